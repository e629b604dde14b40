/// Paths to collections, for aggregates and subqueries. Each object that has such a collection is an owner and yields a value of
/// its own.
extension ResolvedPath {
    /// A Boolean value that indicates whether the path ends at a collection or at the origins of an object.
    package var isCollection: Bool {
        switch end {
        case .elements: true
        case .column, .entry, .position, .nested: false
        case .object: if case .origins? = hops.last { true } else { false }
        }
    }

    /// The hops to the owners.
    var ownerHops: ArraySlice<Hop> {
        if case .object = end { hops.dropLast() } else { hops[...] }
    }

    /// Returns the number of elements of an owner.
    func elementCount(_ snapshot: Snapshot, _ owner: Row) -> Int {
        switch (end, hops.last) {
        case (.elements(let column, let element), _): owner.sequence(column, element).count
        case (_, .origins(let origins)?): snapshot.backlinks(origins.backlinks, of: owner.key).count
        default: 0
        }
    }

    /// Calls `body` with each row among the elements of an owner, once for each occurrence. Counts and sums need every
    /// occurrence, whereas conditions need each row only once.
    func forEachElement(_ snapshot: Snapshot, _ owner: Row, _ body: (Row) -> Void) {
        guard let target else { return }
        let table = snapshot.table(target)
        let follow = { (key: ObjectKey) in
            if key != 0, let row = table.row(key) { body(row) }
        }
        switch (end, hops.last) {
        case (.elements(let column, _), _): owner.sequence(column, .link).forEachLink(follow)
        case (_, .origins(let origins)?):
            snapshot.backlinks(origins.backlinks, of: owner.key).forEach(follow)
        default: break
        }
    }
}
