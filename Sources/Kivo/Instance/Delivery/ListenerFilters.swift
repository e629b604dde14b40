import KivoEngine

/// What the listeners of one realm instance depend on, kept by table and key paths: those that ask for the same share it,
/// and with it what is worked out for a delivery.
final class ListenerFilters {
    private struct Key: Hashable {
        let table: TableID
        let keyPaths: [String]
    }

    private var filters: [Key: KeyPathFilter] = [:]
    private var linked: [TableID: Dependencies] = [:]
    private var anyElements: [CollectionID: Dependencies] = [:]
    private var answers: Set<Dependencies> = []

    /// Programs have few different sets of key paths; those that make them up as they go do not fill memory.
    private static let capacity = 256

    /// The filter of some key paths, which is made if it is not known yet.
    func filter(_ keyPaths: [String], _ table: TableID, _ make: () -> KeyPathFilter) -> KeyPathFilter {
        let key = Key(table: table, keyPaths: keyPaths)
        if let known = filters[key] { return known }
        if filters.count == ListenerFilters.capacity { filters.removeAll() }
        let filter = make()
        filters[key] = filter
        return filter
    }

    /// What counts as a modification of the objects of a class: without a filter every assignment in them and in objects
    /// that are at most three links away.
    func dependencies(_ filter: KeyPathFilter?, _ context: TableContext) -> Dependencies {
        filter?.dependencies ?? dependencies(context.table, context.instance.catalog)
    }

    /// What counts as a modification of the objects of a class without a filter.
    func dependencies(_ table: TableID, _ catalog: Catalog) -> Dependencies {
        let dependencies = (linked[table] ?? Dependencies(links: 3, from: table, catalog)).grown(catalog)
        linked[table] = dependencies
        return dependencies
    }

    /// What counts as a modification of the objects among any values in a collection property, for the objects that have it.
    func dependencies(ofElementsOf id: CollectionID, _ catalog: Catalog) -> Dependencies {
        let column = CollectionID(table: id.table, column: id.column, key: 0)
        let dependencies =
            (anyElements[column]
            ?? Dependencies(links: 3, fromElementsOf: id.column, of: id.table, catalog)).grown(catalog)
        anyElements[column] = dependencies
        return dependencies
    }

    /// What the result of a query depends on: one object for all queries that depend on the same.
    func dependencies(_ query: RowQuery, _ catalog: Catalog) -> Dependencies {
        let dependencies = Dependencies(query, catalog)
        if answers.count == ListenerFilters.capacity { answers.removeAll() }
        return answers.insert(dependencies).memberAfterInsert
    }
}
