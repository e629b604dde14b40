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
    private var lastView = 0
    private let newCommits: DispatchSemaphore
    /// The histories of versions that are no longer pinned, which were read again from the file, with their commits.
    private var replayed: [(number: UInt64, history: StudioHistory)] = []
    private var cachedClasses: (tables: Int, generation: Int, classes: [StoredClass])?

    init(_ path: String, newCommits: DispatchSemaphore) throws {
        self.path = path
        self.newCommits = newCommits
        history = try StoredFile.reporting(path) { try StudioHistory(path, newCommits: newCommits) }
        try follow()
    }

    deinit {
        for view in views.values { view.close() }
        recent.unpinAll(history)
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
            }
            recent.append(record, &commits)
        }
        return hasRead
    }

    private func replace(_ next: StudioHistory) throws {
        recent.unpinAll(history)
        recent = RecentCommits()
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

    func some(_ name: String) throws -> StoredClass {
        guard let some = classes.first(where: { $0.name == name }) else {
            throw HTTPProblem(.notFound, "The file has no class '\(name)'.")
        }
        return some
    }

    // MARK: Views

    /// Begins to open a view of the objects of a class: pins its version. Its query is evaluated by ``StudioViewOpening/open()``,
    /// outside of the session.
    ///
    /// - Parameter commit: The number of the commit whose version is shown; nil for the newest, which the view follows.
    func begin(_ some: StoredClass, _ query: RowQuery?, at commit: UInt64?) throws -> StudioViewOpening {
        guard views.count < 64 else {
            throw HTTPProblem(
                .unavailable, "64 tables of this file are open: close some tabs. This one opens then.")
        }
        let (history, version) = try place(of: commit)
        lastView += 1
        return StudioViewOpening(
            id: lastView, some: some, query: query, history: history, version: version,
            snapshot: history.pin(version), catalog: history.catalog, number: commit ?? recent.number,
            isFrozen: commit != nil)
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

    /// Returns the history and the version that show a commit; the newest if there is no number.
    func place(of commit: UInt64?) throws -> (history: StudioHistory, version: UInt64) {
        guard let commit else { return (history, history.version) }
        if let found = recent.version(of: commit) { return (history, found.version) }
        let history = try replay(to: commit)
        return (history, history.version)
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
        return try replay(to: commit).lastChanges(limit: limit)
    }

    /// Reads the file again up to a commit.
    private func replay(to commit: UInt64) throws -> StudioHistory {
        if let found = replayed.first(where: { $0.number == commit }) { return found.history }
        let read = try StudioHistory(path, newCommits: nil, isWhole: true)
        guard try read.readOn(to: commit) else {
            throw HTTPProblem(.notFound, "Commit \(commit) is not in the file.")
        }
        replayed.insert((commit, read), at: 0)
        if replayed.count > 2 { replayed.removeLast() }
        return read
    }

    /// Returns the summaries of commits before a number, the newest first, and whether there may be earlier ones.
    func summaries(before number: UInt64, count: Int) throws -> (commits: [CommitSummary], hasMore: Bool) {
        let known = recent.summaries.filter { $0.number < number }
        if known.count >= count { return (known.suffix(count).reversed(), true) }
        // The commits before the newest checkpoint are read only when somebody asks.
        let read = try StudioHistory(path, newCommits: nil, isWhole: true)
        var found: [CommitSummary] = []
        try read.readOn { record, commits in
            guard record.number < number, record.kind.isData else { return }
            found.append(CommitSummary(record, commits))
            if found.count > 2 * count + 1000 { found.removeFirst(found.count - count - 1) }
        }
        return (found.suffix(count).reversed(), found.count > count)
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
