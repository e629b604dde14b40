import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// The file that a studio shows: its newest version, its recent commits, and the views of the page's tables.
///
/// Not thread-safe: a lock guards it, or it is confined to a queue.
final class StudioSession {
    let path: String
    private(set) var history: StudioHistory
    private(set) var recent = RecentCommits()
    private(set) var schemaVersion: UInt64 = 0
    /// The number of times that the file was replaced by another one, or that its classes were changed by a migration.
    private(set) var generation = 0
    /// The number of times that a class changed its properties: values and edits of before belong to other classes. A file that replaces
    /// another one may have the same, as after a compaction.
    private(set) var schemaGeneration = 0
    private var outlines: [String: [String]] = [:]
    /// The number of tables, and the generation, when the classes were outlined.
    private var outlined = (tables: 0, generation: 0)
    /// Whether there is no file at the path any more.
    private(set) var isGone = false
    private var views: [Int: StudioView] = [:]
    // Beyond the numbers of other sessions, so that a request for one of their views finds none.
    private var lastView = Int.random(in: 0..<1 << 50)
    private let newCommits: DispatchSemaphore
    /// The histories of versions that are no longer pinned, which were read again from the file, with their commits.
    private var replayed: [(number: UInt64, history: StudioHistory)] = []
    /// The summaries of commits before the recent ones, as far as the page asked for them.
    private var older: CommitSummaries?
    private var cachedClasses: (tables: Int, generation: Int, classes: [StoredClass])?

    init(_ path: String, newCommits: DispatchSemaphore) throws {
        self.path = path
        self.newCommits = newCommits
        history = try StoredFile.reporting(path) { try StudioHistory(path, newCommits: newCommits) }
        try follow()
    }

    deinit {
        for view in views.values { view.close() }
        recent.unpinAll(history.unpin)
    }

    // MARK: Following

    /// Advances to the commits of other processes. Returns whether there were any.
    @discardableResult
    func follow() throws -> Bool {
        try StoredFile.reporting(path) {
            // Commits to the old file from before its replacement come first.
            let isDisplaced = history.isDisplaced
            var hasChanged = try read(history)
            if isDisplaced, let next = try? StudioHistory(path, newCommits: newCommits) {
                try replace(next)
                hasChanged = true
            }
            if hasChanged { outlineClasses() }
            let wasGone = isGone
            isGone = isDisplaced && !FileManager.default.fileExists(atPath: path)
            return hasChanged || isGone != wasGone
        }
    }

    /// Notes the properties of the classes, and whether a known class has others.
    private func outlineClasses() {
        let current = (tables: history.catalog.tables.count, generation: generation)
        if current == outlined { return }
        outlined = current
        var known = outlines
        var isOther = false
        for some in classes {
            let outline = some.outline(history.catalog)
            if let old = known[some.name], old != outline { isOther = true }
            known[some.name] = outline
        }
        outlines = known
        if isOther { schemaGeneration += 1 }
    }

    private func read(_ history: StudioHistory) throws -> Bool {
        var hasRead = false
        try history.readOn { record, commits in
            hasRead = true
            switch record.kind {
            case .commit: break
            case .schemaVersion(let version), .beginning(let version): schemaVersion = version
            case .migration(let version):
                schemaVersion = version
                generation += 1
                // The versions of before have other classes.
                recent.unpinAll { commits.unpin($0) }
            }
            recent.append(record, &commits)
        }
        return hasRead
    }

    private func replace(_ next: StudioHistory) throws {
        recent.unpinAll(history.unpin)
        recent = RecentCommits()
        (replayed, older) = ([], nil)
        generation += 1
        history = next
        _ = try read(next)
    }

    /// Waits until there may be new commits. The file is also polled, because it may be replaced by hand.
    static func wait(_ newCommits: DispatchSemaphore, isAnnounced: Bool) {
        _ = newCommits.wait(timeout: .now() + (isAnnounced ? 0.5 : 0.02))
        // All that were announced are read at once.
        while newCommits.wait(timeout: .now()) == .success {}
    }

    // MARK: Classes

    var values: StoredValues { StoredValues(history.snapshot, history.catalog) }

    var classes: [StoredClass] {
        let tables = history.catalog.tables.count
        if let cachedClasses, cachedClasses.tables == tables, cachedClasses.generation == generation {
            return cachedClasses.classes
        }
        let classes = StoredClass.all(history.catalog)
        cachedClasses = (tables, generation, classes)
        return classes
    }

    func some(_ name: String) throws -> StoredClass { try place(of: nil).some(name) }

    // MARK: Views

    /// Begins to open a view of the objects of a class: pins its version. Its query and its numbers are evaluated by
    /// ``StudioViewOpening/open()``, outside of the session.
    ///
    /// - Parameters:
    ///   - commit: The number of the commit whose version is shown; nil for the newest, which the view follows.
    ///   - query: Returns the query and the numbers for the class as it is in that version.
    func begin(
        _ name: String, at commit: UInt64?,
        _ query: (StoredClass, Catalog) throws -> (RowQuery?, StudioNumbers.Request)
    ) throws -> StudioViewOpening {
        guard views.count < 64 else {
            throw HTTPProblem(
                .unavailable, "64 tables of this file are open: close some tabs. This one opens then.")
        }
        let place = try place(of: commit)
        let some = try place.some(name)
        let (query, numbers) = try query(some, place.history.catalog)
        lastView += 1
        return StudioViewOpening(
            id: lastView, some: some, query: query, numbers: numbers, history: place.history,
            version: place.version, snapshot: place.history.pin(place.version),
            catalog: place.history.catalog,
            number: commit ?? recent.number, generation: generation, isFrozen: commit != nil)
    }

    /// Adds a view that was opened.
    func add(_ view: StudioView) { views[view.id] = view }

    func view(_ id: Int) throws -> StudioView {
        guard let view = views[id] else { throw HTTPProblem(.gone, "This table is closed.") }
        return view
    }

    func close(_ view: StudioView) { if views.removeValue(forKey: view.id) != nil { view.close() } }

    /// Whether a view still shows the file as it is.
    func isCurrent(_ view: StudioView) -> Bool { view.isFrozen || view.history === history }

    // MARK: Commits

    /// Returns where a commit is shown; the newest if there is no number.
    func place(of commit: UInt64?) throws -> StudioPlace {
        guard let commit else { return StudioPlace(history, history.version, classes) }
        if let found = recent.version(of: commit) { return StudioPlace(history, found.version, classes) }
        let history = try replayed(to: commit)
        return StudioPlace(history, history.version, StoredClass.all(history.catalog))
    }

    /// Returns what a commit changed.
    func changes(of commit: UInt64, limit: Int) throws -> CommitChanges {
        if let (version, before) = recent.version(of: commit), let before {
            let changes = history.changes(from: before, to: version)
            let (old, new) = (history.pin(before), history.pin(version))
            defer {
                history.unpin(before)
                history.unpin(version)
            }
            return CommitChanges(
                changes, from: StoredValues(old, history.catalog), to: StoredValues(new, history.catalog),
                limit: limit)
        }
        return try replayed(to: commit).lastChanges(limit: limit)
    }

    /// Returns the history that was read up to a commit.
    private func replayed(to commit: UInt64) throws -> StudioHistory {
        guard let found = replayed.first(where: { $0.number == commit }) else {
            throw StudioReplay.version(of: commit)
        }
        return found.history
    }

    /// Returns the summaries of commits before a number, the newest first, and whether there are earlier ones.
    func summaries(before number: UInt64, count: Int) throws -> (commits: [CommitSummary], hasMore: Bool) {
        // The summaries that were read end with a commit that may no longer be the newest.
        let number = min(number, recent.number + 1)
        let known = recent.summaries.filter { $0.number < number }
        if known.count >= count { return (known.suffix(count).reversed(), true) }
        // The commits before the newest checkpoint are read only on request.
        guard let found = older?.newest(count, before: number) else {
            throw StudioReplay.summaries(before: number)
        }
        return found
    }

    /// Adds a part of the past that was read from the file.
    func add(_ past: StudioPast) {
        switch past {
        case .version(let number, let history):
            replayed.insert((number, history), at: 0)
            if replayed.count > 2 { replayed.removeLast() }
        case .summaries(let summaries): older = summaries
        }
    }
}

/// A version of a file, and its classes: those of other versions may have other tables and columns.
struct StudioPlace {
    let history: StudioHistory
    let version: UInt64
    let classes: [StoredClass]

    init(_ history: StudioHistory, _ version: UInt64, _ classes: [StoredClass]) {
        (self.history, self.version, self.classes) = (history, version, classes)
    }

    func some(_ name: String) throws -> StoredClass {
        guard let some = classes.first(where: { $0.name == name }) else {
            throw HTTPProblem(.notFound, "The file has no class '\(name)'.")
        }
        return some
    }

    /// The values, until the session ends.
    var values: StoredValues {
        defer { history.unpin(version) }
        return StoredValues(history.pin(version), history.catalog)
    }
}

extension StoredClass {
    /// Where the values of the class are, and of what types.
    fileprivate func outline(_ catalog: Catalog) -> [String] {
        ["\(table)"]
            + properties.map { property in
                let collection = property.collection?.rawValue ?? ""
                return
                    "\(property.name) \(property.column) \(collection) \(property.type(catalog)) \(property.spec.isOptional)"
            }
    }
}
