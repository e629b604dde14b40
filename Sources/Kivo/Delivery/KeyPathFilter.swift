import KivoEngine

/// The key paths that a listener observes, resolved against the classes they pass through.
final class KeyPathFilter {
    /// The paths that begin with one property, by which changes are reported.
    struct Group {
        let property: PropertyInfo
        let dependencies: Dependencies
    }

    /// The groups, in the order of the class's properties.
    let groups: [Group]
    /// All paths together.
    let dependencies: Dependencies

    /// Whether only assignments in the rows themselves count, so that the dirty bits of their columns decide.
    var readsOwnColumns: Bool { dependencies.areOwn }

    init(_ paths: [(first: String, path: ResolvedPath)], _ context: TableContext) {
        let catalog = context.instance.catalog
        let dependencies = { (paths: [(first: String, path: ResolvedPath)]) in
            Dependencies(paths.map(\.path), from: context.table, .keyPaths, catalog)
        }
        groups = context.info.properties.compactMap { property in
            let own = paths.filter { $0.first == property.name }
            return own.isEmpty ? nil : Group(property: property, dependencies: dependencies(own))
        }
        self.dependencies = groups.count == 1 ? groups[0].dependencies : dependencies(paths)
    }
}
