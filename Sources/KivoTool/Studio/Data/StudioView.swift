import Kivo
import KivoEngine

/// The objects of a class that a table of the page shows: their number and order, and what of them the page can see.
///
/// The order is that of a maintained view, which advances by change sets; all objects of a class need no view.
final class StudioView {
    let id: Int
    let some: StoredClass
    let history: StudioHistory
    fileprivate(set) var catalog: Catalog
    /// The pinned version that the view shows.
    fileprivate(set) var version: UInt64
    fileprivate(set) var snapshot: Snapshot
    /// The number of the commit that the view shows.
    fileprivate(set) var number: UInt64
    /// The generation of the session when the view was begun.
    let generation: Int
    /// Whether the view stays at its version.
    let isFrozen: Bool
    var isPaused = false
    fileprivate let view: MaintainedView?
    /// The numbers to which the objects add up.
    let numbers: StudioNumbers
    /// The positions that the page can see, and their keys as the page knows them.
    fileprivate(set) var window = 0..<0
    fileprivate var known: [ObjectKey] = []
    /// Whether the page wants the same rows to stay in sight when others are inserted before them.
    fileprivate var isAnchored = false

    fileprivate init(_ opening: StudioViewOpening) throws {
        generation = opening.generation
        (id, some, history, number) = (opening.id, opening.some, opening.history, opening.number)
        (version, isFrozen) = (opening.version, opening.isFrozen)
        (catalog, snapshot) = (opening.catalog, opening.snapshot)
        numbers = try StudioNumbers(opening.numbers, opening.some, opening.snapshot, opening.catalog)
        view = opening.query.map { MaintainedView($0, opening.snapshot, opening.catalog) }
    }

    /// Unpins the version. Called once, at the end.
    func close() { history.unpin(version) }

    var values: StoredValues { StoredValues(snapshot, catalog) }
    fileprivate var table: Table { snapshot.table(some.table) }
    /// The number of objects.
    var count: Int { view?.count ?? table.count }

    func key(at position: Int) -> ObjectKey { view?.key(at: position) ?? table.key(at: position) }

    /// Returns the keys at the positions that exist, and makes these positions the window.
    func show(_ positions: Range<Int>, isAnchored: Bool) -> [ObjectKey] {
        self.isAnchored = isAnchored
        window = positions
        known = keys(in: window)
        return known
    }

    /// Returns the keys at the positions that exist.
    func keys(in positions: Range<Int>) -> [ObjectKey] {
        positions.clamped(to: 0..<count).map { key(at: $0) }
    }

    /// Whether the view has all objects of the class, in the order of their keys.
    var isWholeClass: Bool { view == nil }

    /// The keys of all objects in order. O(n).
    var keys: [ObjectKey] {
        if let view { return view.keys }
        var keys: [ObjectKey] = []
        table.forEachKey { keys.append($0) }
        return keys
    }

    /// Returns the first position of an object, or nil if it is not in the view.
    func position(of key: ObjectKey) -> Int? {
        guard table.contains(key) else { return nil }
        guard let view else { return table.position(of: key) }
        var first: Int?
        view.forEachPosition(of: key, snapshot) { first = min($0, first ?? $0) }
        return first
    }
}

/// A view that is being opened, with the version that it pins.
struct StudioViewOpening: Sendable {
    let id: Int
    let some: StoredClass
    /// The condition and order of the objects; nil for all of them.
    let query: RowQuery?
    let numbers: StudioNumbers.Request
    let history: StudioHistory
    let version: UInt64
    let snapshot: Snapshot
    let catalog: Catalog
    /// The number of the commit.
    let number: UInt64
    let generation: Int
    let isFrozen: Bool

    /// Whether nothing has to be evaluated.
    var isImmediate: Bool { query == nil && numbers.numbers.isEmpty }

    /// Evaluates the query and the numbers. Call this once. O(objects).
    ///
    /// - Throws: An error of opening the realm in memory that knows the tables.
    func open() throws -> StudioView { try StudioView(self) }
}

/// The difference between two versions of a view, as far as the page can see it.
struct StudioUpdate {
    /// The kind of change of a row.
    enum Kind: String { case inserted, modified, moved }

    var inserted = 0
    var deleted = 0
    var modified = 0
    var moved = 0
    /// The keys in the window.
    var keys: [ObjectKey] = []
    /// The rows of the window that changed, by their index in the window.
    var changed: [Int: Kind] = [:]
    /// The indexes of rows that the page does not know, or that changed.
    var read: [Int] = []
    /// The keys of the former window that are no longer in the view.
    var gone: [ObjectKey] = []
    /// Whether the objects add up to something else.
    var hasOtherNumbers = false

    var isEmpty: Bool { inserted + deleted + modified + moved == 0 && !hasOtherNumbers }
}

extension StudioView {
    /// Advances to the newest version and returns what changed. Nil if there is no newer one.
    func advance(number: UInt64) -> StudioUpdate? {
        let newest = history.version
        guard newest > version else {
            self.number = number
            return nil
        }
        let changes = history.changes(from: version, to: newest)
        let (old, oldTable) = (snapshot, table)
        let next = history.pin(newest)
        catalog = history.catalog
        let lists = Set(changes.sequences.keys.lazy.filter { $0.table == self.some.table }.map(\.key))
        let traversals = ChangeTraversals(changes, next, catalog)
        var update: StudioUpdate
        if let view {
            let change = view.update(traversals, old: old)
            snapshot = next
            update = self.update(change)
            countModified(changes, lists, &update) { key in
                var isThere = false
                view.forEachPosition(of: key, next) { _ in isThere = true }
                return isThere
            }
        } else {
            snapshot = next
            update = self.update(changes.table(some.table), oldTable)
            countModified(changes, lists, &update) { _ in true }
        }
        update.hasOtherNumbers = numbers.update(traversals, old: old)
        readWindow(changes.table(some.table), lists, &update)
        history.unpin(version)
        (version, self.number) = (newest, number)
        return update
    }

    /// Returns the update of a class whose objects are all shown.
    private func update(_ change: TableChange?, _ oldTable: Table) -> StudioUpdate {
        var update = StudioUpdate()
        guard let change else { return update }
        for leaf in change.leaves {
            update.inserted += leaf.inserted.count
            update.deleted += leaf.deleted.count
        }
        if isAnchored, window.lowerBound > 0, window.lowerBound < oldTable.count {
            shift(to: table.position(of: oldTable.key(at: window.lowerBound)))
        }
        return update
    }

    private func update(_ change: ViewChange) -> StudioUpdate {
        var update = StudioUpdate()
        update.moved = change.moves.count
        update.inserted = change.insertions.count - update.moved
        update.deleted = change.deletions.count - update.moved
        let moved = Set(change.moves.map(\.to))
        if isAnchored, window.lowerBound > 0 {
            var position = window.lowerBound - change.deletions.partitionPoint { $0 < window.lowerBound }
            for insertion in change.insertions where insertion <= position { position += 1 }
            shift(to: position)
        }
        let first = change.insertions.partitionPoint { $0 < window.lowerBound }
        for position in change.insertions[first...].prefix(while: { $0 < window.upperBound }) {
            update.changed[position - window.lowerBound] = moved.contains(position) ? .moved : .inserted
        }
        return update
    }

    private func shift(to position: Int) {
        let start = max(0, min(position, count - 1))
        window = start..<(start + window.count)
    }

    /// Counts the modified objects of the view. Of very many, those outside of the view count as well.
    private func countModified(
        _ changes: RowChangeSet, _ lists: Set<ObjectKey>, _ update: inout StudioUpdate,
        _ isShown: (ObjectKey) -> Bool
    ) {
        var (count, rest) = (0, 2000)
        func add(_ key: ObjectKey) {
            rest -= 1
            if rest < 0 || isShown(key) { count += 1 }
        }
        let change = changes.table(some.table)
        change?.forEachModified { if !lists.contains($0) { add($0) } }
        for key in lists { add(key) }
        update.modified = count
    }

    private func readWindow(_ change: TableChange?, _ lists: Set<ObjectKey>, _ update: inout StudioUpdate) {
        let before = known
        known = keys(in: window)
        update.keys = known
        let knownBefore = Set(before)
        for (index, key) in known.enumerated() {
            let state = change?.state(of: key) ?? .untouched
            if state == .inserted, view == nil { update.changed[index] = .inserted }
            let isModified = state == .modified || lists.contains(key)
            if isModified, update.changed[index] == nil { update.changed[index] = .modified }
            if isModified || state == .inserted || !knownBefore.contains(key) { update.read.append(index) }
        }
        let keys = Set(known)
        for key in before where !keys.contains(key) && position(of: key) == nil { update.gone.append(key) }
    }
}
