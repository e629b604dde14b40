import KivoEngine

/// A path of names that was followed through the classes it passes: the hops, and what is at its end.
struct ResolvedPath {
    enum End {
        case value(PropertyInfo)
        /// A list or set, or the values of a map.
        case elements(PropertyInfo, column: Int)
        case keys(PropertyInfo)
        case entry(PropertyInfo, ValuePath.MapEntry)
        /// An object, or those that refer to the one before.
        case object
    }

    var hops: [ValuePath.Hop]
    var end: End
    /// The class that links at the end lead to; nil for plain values.
    var target: TableContext?

    var valuePath: ValuePath {
        switch end {
        case .value(let property):
            ValuePath(hops: hops, end: .column(property.column, property.columnKind), order: property.order)
        case .elements(let property, let column):
            ValuePath(
                hops: hops, end: .elements(column, property.type.elementKind), order: property.order)
        case .keys(let property):
            ValuePath(hops: hops, end: .elements(property.column, .string))
        case .entry(let property, let entry):
            ValuePath(hops: hops, end: .entry(entry, property.type.elementKind), order: property.order)
        case .object: ValuePath(hops: hops, end: .object)
        }
    }

    /// What the values are.
    var type: QueryValueType {
        if let target { return .object(target) }
        switch end {
        case .keys: return .scalar(.string)
        case .value(let property), .elements(let property, _), .entry(let property, _):
            return .scalar(property.type.scalar!)
        case .object: trap("A path to nothing has no value.")
        }
    }

    /// The collection at the end, and the class of its elements. Traps if there is none.
    func collection(_ path: QueryPath) -> (CollectionPath, TableContext?) {
        switch end {
        case .elements(let property, let column):
            if let target {
                return (
                    CollectionPath(owner: hops, elements: .objects(column: column, target: target.table)),
                    target
                )
            }
            return (
                CollectionPath(owner: hops, elements: .values(column: column, property.type.elementKind)), nil
            )
        case .keys(let property):
            return (
                CollectionPath(owner: hops, elements: .values(column: property.column, .string)), nil
            )
        case .object:
            if case .origins(let origins)? = hops.last {
                return (CollectionPath(owner: hops.dropLast(), elements: .origins(origins)), target)
            }
        case .value, .entry: break
        }
        trap("'\(path.text)' is no collection, so there is nothing to count or to add up.")
    }
}

extension QueryCompiler {
    /// Follows a path of names. Traps where a class has no such property.
    func resolve(_ components: [QueryPath.Component]) -> ResolvedPath {
        var path = ResolvedPath(hops: [], end: .object, target: context)
        var rest = components[...]
        while let component = rest.popFirst() {
            guard case .property(let name) = component, let current = path.target else {
                trap(
                    "'\(component.text)' of key path '\(QueryPath(components: components).text)' leads nowhere."
                )
            }
            if case .object = path.end {} else { path.follow() }
            guard let property = current.info.property(named: name) else {
                trap(
                    """
                    Property '\(name)' of key path '\(QueryPath(components: components).text)' does not exist in class \
                    '\(current.info.name)'.
                    """)
            }
            path.append(property, current, &rest)
            if path.target == nil, !rest.isEmpty {
                trap(
                    """
                    '\(current.info.name).\(name)' is no link, so key path '\(QueryPath(components: components).text)' \
                    cannot go on from it.
                    """)
            }
        }
        return path
    }
}

extension ResolvedPath {
    /// Turns the end into a hop, because the path goes on.
    fileprivate mutating func follow() {
        let table = target!.table
        switch end {
        case .value(let property): hops.append(.link(column: property.column, target: table))
        case .elements(_, let column): hops.append(.elements(column: column, target: table))
        case .entry(_, let entry): hops.append(.entry(entry, target: table))
        case .keys, .object: break
        }
        end = .object
    }

    /// Goes on to a property of a class; for a map, to what the next component says of it.
    fileprivate mutating func append(
        _ property: PropertyInfo, _ context: TableContext, _ rest: inout ArraySlice<QueryPath.Component>
    ) {
        target = property.type.target.map { context.target($0) }
        switch property.type.collection {
        case .none: end = .value(property)
        case .list, .set: end = .elements(property, column: property.column)
        case .linkingObjects:
            let origin = target!
            let back = origin.info.property(named: property.type.originProperty!)!
            let column = back.valuesColumn ?? back.column
            let backlinks = context.instance.catalog.tables[origin.table].backlinks[column]!
            hops.append(
                .origins(ValuePath.Origins(table: origin.table, column: column, backlinks: backlinks)))
            end = .object
        case .map:
            let values = property.valuesColumn!
            switch rest.first {
            case .keys:
                rest.removeFirst()
                target = nil
                end = .keys(property)
            case .key(let key):
                rest.removeFirst()
                let entry = ValuePath.MapEntry(keys: property.column, values: values, key: .string(key))
                end = .entry(property, entry)
            case .values:
                rest.removeFirst()
                end = .elements(property, column: values)
            default: end = .elements(property, column: values)
            }
        }
    }
}
