import KivoEngine

/// For tools that look into files without knowing their classes.
extension Realm {
    /// What the realm sees, and the tables of it. Valid while the realm is not refreshed.
    package var inspected: (snapshot: Snapshot, catalog: Catalog) {
        instance.checkConfinement()
        instance.updateCatalog()
        return (instance.snapshot, instance.catalog)
    }

    /// The keys of the objects of a class for which a predicate holds, ascending; of all, without one. Throws if the predicate is
    /// malformed; traps if it does not fit the class.
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

    /// Has something else happen where Kivo would stop the program: a tool is not the program whose mistake it is. Set once, at
    /// the start.
    package static func whenTrapping(_ body: @escaping @Sendable (String) -> Never) {
        trapHandler.withLock { $0 = body }
    }
}
