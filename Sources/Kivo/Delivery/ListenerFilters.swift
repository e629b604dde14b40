import KivoEngine

/// The dependencies of the listeners of one realm instance, cached by table and key paths. Listeners with equal dependencies
/// share them, together with everything that a delivery computes from them.
final class ListenerFilters {
    private struct Key: Hashable {
        let table: TableID
        let keyPaths: [String]
    }

    private var filters: [Key: KeyPathFilter] = [:]
    private var linked: [TableID: Dependencies] = [:]
    private var anyElements: [CollectionID: Dependencies] = [:]
    private var answers: Set<Dependencies> = []

    /// Programs use few different sets of key paths. The limit bounds the memory for programs that generate them.
    private static let capacity = 256

    /// Returns the filter of key paths, which `make` creates if it is not cached.
    func filter(_ keyPaths: [String], _ table: TableID, _ make: () -> KeyPathFilter) -> KeyPathFilter {
        let key = Key(table: table, keyPaths: keyPaths)
        if let known = filters[key] { return known }
        if filters.count == ListenerFilters.capacity { filters.removeAll() }
        let filter = make()
        filters[key] = filter
        return filter
    }

    /// Returns the changes that count as modifications of the objects of a class. Without a filter these are all assignments in
    /// the objects, and in objects that are at most three links away.
    func dependencies(_ filter: KeyPathFilter?, _ table: TableID, _ catalog: Catalog) -> Dependencies {
        filter?.dependencies ?? dependencies(table, catalog)
    }

    /// Returns the changes that count as modifications of the objects of a class without a filter.
    func dependencies(_ table: TableID, _ catalog: Catalog) -> Dependencies {
        let dependencies = (linked[table] ?? Dependencies(links: 3, from: table, catalog)).extended(
            to: catalog)
        linked[table] = dependencies
        return dependencies
    }

    /// Returns the changes that count as modifications of the objects among any values in a collection property. The objects that
    /// have the property share them.
    func dependencies(ofElementsOf id: CollectionID, _ catalog: Catalog) -> Dependencies {
        let column = CollectionID(table: id.table, column: id.column, key: 0)
        let dependencies =
            (anyElements[column]
            ?? Dependencies(links: 3, fromElementsOf: id.column, of: id.table, catalog)).extended(to: catalog)
        anyElements[column] = dependencies
        return dependencies
    }

    /// Returns the dependencies of the result of a query, shared by all queries whose dependencies are equal.
    func dependencies(_ query: RowQuery, _ catalog: Catalog) -> Dependencies {
        let dependencies = Dependencies(query, catalog)
        if answers.count == ListenerFilters.capacity { answers.removeAll() }
        return answers.insert(dependencies).memberAfterInsert
    }
}
