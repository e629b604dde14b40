import KivoEngine

/// The key paths that a listener observes, resolved against the classes they pass through.
final class KeyPathFilter {
    /// The paths that begin with one property, by which changes are reported.
    struct Group {
        /// The index of the property among those of the class.
        let property: Int
        let dependencies: Dependencies
    }

    /// The groups, in the order of the class's properties.
    let groups: [Group]
    /// All paths together.
    let dependencies: Dependencies

    /// Whether only assignments in the rows themselves count, so that the dirty bits of their columns decide.
    var readsOwnColumns: Bool { dependencies.areOwn }

    /// Creates a filter of paths, each with the index of its first property.
    init(_ paths: [(property: Int, path: ResolvedPath)], from table: TableID, _ catalog: Catalog) {
        func dependencies(_ paths: some Collection<ResolvedPath>) -> Dependencies {
            Dependencies(Array(paths), from: table, .keyPaths, catalog)
        }
        groups = Dictionary(grouping: paths, by: \.property).sorted { $0.key < $1.key }.map {
            property, paths in
            Group(property: property, dependencies: dependencies(paths.map(\.path)))
        }
        self.dependencies = groups.count == 1 ? groups[0].dependencies : dependencies(paths.map(\.path))
    }
}
