import KivoEngine

extension KeyPathFilter {
    /// Resolves key paths of a class; returns nil, for no filter, if there are none. Traps on an unknown key path with a message
    /// that names the component and the class.
    static func make(_ keyPaths: [String]?, _ context: TableContext) -> KeyPathFilter? {
        guard let keyPaths, !keyPaths.isEmpty else { return nil }
        return context.instance.listeners.filters.filter(keyPaths, context.table) {
            let scope = RowScope(context, consequence: ", so it cannot be observed")
            let paths = keyPaths.flatMap { keyPath in
                let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                return expand(names[...], context).map { names -> (property: Int, path: ResolvedPath) in
                    let path = QueryMismatch.trapping { () throws(QueryMismatch) in
                        try scope.resolve(names.map { .property($0) }).path
                    }
                    return (context.info.properties.firstIndex { $0.name == names[0] }!, path)
                }
            }
            return KeyPathFilter(paths, from: context.table, context.instance.catalog)
        }
    }

    /// Returns the paths that a path with wildcards stands for. A final `*` is every property of a class; before other names it
    /// is every property that leads to them.
    private static func expand(_ names: ArraySlice<String>, _ context: TableContext) -> [[String]] {
        guard let name = names.first, names.contains("*") else { return [Array(names)] }
        let rest = names.dropFirst()
        let properties = context.info.properties.filter { name == "*" || $0.name == name }
        if properties.isEmpty { return [Array(names)] }
        return properties.flatMap { property -> [[String]] in
            guard let next = rest.first else { return [[property.name]] }
            guard property.isLinking else {
                return rest.allSatisfy { $0 == "*" } ? [[property.name]] : []
            }
            let linked = context.target(of: property)
            if name == "*", next != "*", linked.info.property(named: next) == nil { return [] }
            return expand(rest, linked).map { [property.name] + $0 }
        }
    }
}
