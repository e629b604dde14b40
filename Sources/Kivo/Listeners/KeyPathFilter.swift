import KivoEngine

/// The key paths that an observer asked for, resolved against the classes they pass through.
struct KeyPathFilter {
    /// One component of a path.
    enum Step {
        /// A property with a column: a value, a link or a collection. Maps have two columns.
        case forward(columns: Set<Int>, target: TableID?)
        /// Linking objects: the origins' table and column.
        case backward(origin: TableID, column: Int, backlinks: TableID)
    }

    struct Path {
        /// The name of the first component, by which changes are reported.
        var name: String
        var steps: [Step]
    }

    var paths: [Path]

    /// Resolves key paths of a class; nil for no filter, which an empty array means too. Traps on a key path that
    /// leads nowhere, and names the component and the class.
    static func make(_ keyPaths: [String]?, _ context: TableContext) -> KeyPathFilter? {
        guard let keyPaths, !keyPaths.isEmpty else { return nil }
        return KeyPathFilter(
            paths: keyPaths.flatMap { keyPath in
                let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                return expand(names[...], context).map { resolve($0, keyPath, context) }
            })
    }

    /// The paths that one with wildcards stands for: `*` is every property of a class, and before other names every one
    /// that leads on to them.
    private static func expand(_ names: ArraySlice<String>, _ context: TableContext) -> [[String]] {
        guard let name = names.first, names.contains("*") else { return [Array(names)] }
        let rest = names.dropFirst()
        let properties = context.info.properties.filter { name == "*" || $0.name == name }
        if properties.isEmpty { return [Array(names)] }
        return properties.flatMap { property -> [[String]] in
            guard let next = rest.first else { return [[property.name]] }
            guard let target = property.type.target else {
                return rest.allSatisfy { $0 == "*" } ? [[property.name]] : []
            }
            let linked = context.target(target)
            if name == "*", next != "*", linked.info.property(named: next) == nil { return [] }
            return expand(rest, linked).map { [property.name] + $0 }
        }
    }

    private static func resolve(_ names: [String], _ keyPath: String, _ context: TableContext) -> Path {
        var current = context
        var steps: [Step] = []
        for (index, name) in names.enumerated() {
            guard let property = current.info.property(named: name) else {
                trap(
                    """
                    Property '\(name)' of key path '\(keyPath)' does not exist in class '\(current.info.name)', so \
                    it cannot be observed.
                    """)
            }
            steps.append(step(property, current))
            guard index < names.count - 1 else { break }
            guard let target = property.type.target else {
                trap(
                    """
                    Property '\(current.info.name).\(name)' is no link, so key path '\(keyPath)' cannot go on from it.
                    """)
            }
            current = current.target(target)
        }
        return Path(name: names[0], steps: steps)
    }

    private static func step(_ property: PropertyInfo, _ context: TableContext) -> Step {
        if property.type.collection == .linkingObjects {
            let origin = context.target(property.type.target!)
            let back = origin.info.property(named: property.type.originProperty!)!
            let column = back.valuesColumn ?? back.column
            let backlinks = context.instance.catalog.tables[origin.table].backlinks[column]!
            return .backward(origin: origin.table, column: column, backlinks: backlinks)
        }
        return .forward(
            columns: Set([property.column, property.valuesColumn].compactMap { $0 }),
            target: property.type.target.map { context.target($0).table })
    }
}
