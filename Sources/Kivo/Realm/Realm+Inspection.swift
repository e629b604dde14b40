import KivoEngine

/// Access for tools that inspect files without declarations of their classes.
extension Realm {
    /// The snapshot that the realm reads, and its tables. Valid until the realm is refreshed.
    package var inspected: (snapshot: Snapshot, catalog: Catalog) {
        instance.checkConfinement()
        instance.updateCatalog()
        return (instance.snapshot, instance.catalog)
    }

    /// Returns the keys of the objects of a class for which a predicate holds, ascending; without a predicate, of all. Throws if
    /// the predicate is malformed; traps if it does not fit the class.
    package func keys(ofClass className: String, where predicate: String?) throws -> [ObjectKey] {
        var objects = dynamicObjects(className)
        if let predicate {
            do {
                objects = objects.filtered(try PredicateParser.parse(predicate, []))
            } catch {
                throw Realm.Error(.invalidInput, "The predicate is malformed. \(error)")
            }
        }
        return objects.map(\.kivoRow.key).sorted()
    }

    /// Replaces the trap of the library with another handler, because a tool is not the program that made the mistake. Call this
    /// once, at the start.
    package static func whenTrapping(_ body: @escaping @Sendable (String) -> Never) {
        trapHandler.withLock { $0 = body }
    }
}
