import KivoEngine

/// Turns query expressions and key paths of names into predicates and columns of a class's table.
struct QueryCompiler {
    let context: TableContext

    func predicate(_ node: QueryNode) -> Predicate {
        switch node {
        case .and(let a, let b): return .and(predicate(a), predicate(b))
        case .or(let a, let b): return .or(predicate(a), predicate(b))
        case .not(let a): return .not(predicate(a))
        case .constant(let value): return .constant(value as? Bool ?? false)
        case .path(let names):
            let (path, property) = column(names)
            guard property.type.scalar == .bool else {
                trap("'\(names.joined(separator: "."))' is no condition: compare it with something.")
            }
            return .comparison(path, .equal, .word(1))
        case .comparison(.path(let a), let comparison, .path(let b)):
            return .columns(column(a).path, comparison, column(b).path)
        case .comparison(.path(let names), let comparison, .constant(let value)):
            let (path, property) = column(names)
            return .comparison(path, comparison, cell(value, property))
        case .comparison: trap("A query compares a property with a value or with another property.")
        case .contains(let values, .path(let names)):
            let (path, property) = column(names)
            return values.reduce(.constant(false)) {
                .or($0, .comparison(path, .equal, cell($1, property)))
            }
        case .contains: trap("'in' is asked of a property.")
        case .text(.path(let names), let comparison, let text):
            let (path, _) = column(names)
            return .test(path) { cell in
                guard case .string(let string) = cell else { return false }
                switch comparison {
                case .begins: return string.utf8.starts(with: text.utf8)
                case .ends: return string.utf8.reversed().starts(with: text.utf8.reversed())
                case .contains: return text.isEmpty || string.contains(text)
                }
            }
        case .text: trap("Strings are compared with those of a property.")
        }
    }

    /// The column that a path of names leads to. Traps if there is none.
    func column(_ names: [String]) -> (path: ColumnPath, property: PropertyInfo) {
        var hops: [(column: Int, target: TableID)] = []
        var current = context
        for (index, name) in names.enumerated() {
            guard let property = current.info.property(named: name) else {
                trap(
                    """
                    Property '\(name)' of key path '\(names.joined(separator: "."))' does not exist in class \
                    '\(current.info.name)'.
                    """)
            }
            if index == names.count - 1 {
                guard property.type.collection == .none else {
                    trap(
                        "'\(current.info.name).\(name)' is a collection, which has no value to compare or sort by."
                    )
                }
                return (
                    ColumnPath(
                        hops: hops, column: property.column, kind: property.columnKind, order: property.order),
                    property
                )
            }
            guard property.isLink else {
                trap(
                    "'\(current.info.name).\(name)' is no link for key path '\(names.joined(separator: "."))'."
                )
            }
            current = current.target(property.type.target!)
            hops.append((property.column, current.table))
        }
        trap("An empty key path leads nowhere.")
    }

    private func cell(_ value: Any?, _ property: PropertyInfo) -> Cell {
        guard let value = flatten(value) else { return property.isLink ? .link(0) : .null }
        if property.isLink {
            guard let object = value as? ObjectBase, object.isManaged, object.locate() else {
                return .link(-1)
            }
            return .link(object.kivoRow.key)
        }
        let raw = (value as? any RawRepresentable).map { $0.rawValue as Any } ?? value
        guard let cell = property.cell(of: raw) else {
            trap("'\(value)' cannot be compared with '\(context.info.name).\(property.name)'.")
        }
        return cell
    }
}

extension PropertyInfo {
    /// How values of the property compare.
    var order: CellOrder {
        guard let scalar = type.scalar else { return .natural }
        if scalar.isFloatingPoint { return .floatingPoint }
        guard scalar == .decimal128 else { return .natural }
        return .custom { a, b in
            let (x, y) = (Decimal128(_cell: a), Decimal128(_cell: b))
            return x < y ? -1 : x > y ? 1 : 0
        }
    }
}
