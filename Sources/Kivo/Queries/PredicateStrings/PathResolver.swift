import KivoEngine

/// Resolves key paths of names through classes. Traps if a class has no such property; the message names it.
struct PathResolver {
    /// The class that paths start from.
    let context: TableContext
    /// The text that a message appends to a property that does not exist.
    var consequence = ""

    /// A resolved path, and the class or property at its end.
    struct Resolved {
        var path: ResolvedPath
        /// The class of the objects at the end; nil for plain values.
        fileprivate(set) var target: TableContext?
        /// The property at the end; nil for the object itself and for the keys of a map.
        fileprivate var property: PropertyInfo?

        /// The type of the values at the end.
        var type: QueryValueType {
            if let target { return .object(target) }
            return .scalar(property?.type.scalar ?? .string)
        }
    }

    /// Resolves a dotted key path.
    func resolve(_ keyPath: String) -> Resolved { resolve(QueryPath.Component.named(keyPath)) }

    func resolve(_ components: [QueryPath.Component]) -> Resolved {
        var resolved = Resolved(path: ResolvedPath(from: context.table), target: context)
        var rest = components[...]
        while let component = rest.popFirst() {
            let text = { QueryPath(components: components).text }
            guard case .property(let name) = component, let current = resolved.target else {
                trap("'\(component.text)' of key path '\(text())' leads nowhere.")
            }
            guard let property = current.info.property(named: name) else {
                trap(
                    """
                    Property '\(name)' of key path '\(text())' does not exist in class \
                    '\(current.info.name)'\(consequence).
                    """)
            }
            resolved.append(property, current, &rest)
            if resolved.target == nil, !rest.isEmpty {
                trap(
                    "'\(current.info.name).\(name)' is no link, so key path '\(text())' cannot go on from it."
                )
            }
        }
        return resolved
    }
}

extension PathResolver.Resolved {
    /// Appends a property of a class; for a map, appends the part that the next component selects.
    fileprivate mutating func append(
        _ property: PropertyInfo, _ context: TableContext, _ rest: inout ArraySlice<QueryPath.Component>
    ) {
        let catalog = context.instance.catalog
        target = property.isLinking ? context.target(of: property) : nil
        self.property = property
        let isWhole = property.type.collection.isWhole(before: rest)
        switch property.type.collection {
        case .none, .list, .set: path.append(property.column, order: property.order, in: catalog)
        case .linkingObjects:
            path.append(context.origins(of: property))
        case .map:
            let part = ResolvedPath.MapPart(taking: &rest)
            if case .keys = part { (target, self.property) = (nil, nil) }
            path.append(
                keys: property.column, values: property.valuesColumn!, part, order: property.order,
                in: catalog)
        }
        guard self.property?.type.scalar == .any else { return }
        if !isWhole { return path.append(AnyStep.taking(&rest), in: catalog) }
        path.appendToCollection(property.type.collection.steps(taking: &rest), in: catalog)
    }
}

extension CollectionKind {
    /// Whether a path means a collection itself, and not the keys, the values or one value of a map.
    func isWhole(before rest: ArraySlice<QueryPath.Component>) -> Bool {
        switch (self, rest.first) {
        case (.list, _), (.set, _): true
        case (.map, .keys?), (.map, .values?), (.map, .key?): false
        case (.map, _): true
        case (.none, _), (.linkingObjects, _): false
        }
    }

    /// Removes the next components that lead into a collection of values of any type, and returns them as steps. Returns no steps
    /// if the first is a position and the collection is not a list.
    func steps(taking rest: inout ArraySlice<QueryPath.Component>) -> [AnyStep] {
        if self != .list, case .index? = rest.first { return [] }
        return AnyStep.taking(&rest)
    }
}

extension AnyStep {
    /// Removes the next components that lead into values of any type, and returns them as steps.
    static func taking(_ rest: inout ArraySlice<QueryPath.Component>) -> [AnyStep] {
        var steps: [AnyStep] = []
        while let component = rest.first {
            switch component {
            case .key(let key): steps.append(.key(.string(key)))
            case .index(let index): steps.append(.index(index))
            case .all: steps.append(.all)
            case .property, .keys, .values, .type: return steps
            }
            rest.removeFirst()
        }
        return steps
    }
}

extension ResolvedPath.MapPart {
    /// Creates the part of a map that the next component selects; without such a component, the values.
    fileprivate init(taking rest: inout ArraySlice<QueryPath.Component>) {
        switch rest.first {
        case .keys: self = .keys
        case .key(let key): self = .entry(.string(key))
        case .values: self = .values
        default:
            self = .values
            return
        }
        rest.removeFirst()
    }
}

extension TableContext {
    /// Returns the origins of a property's linking objects.
    func origins(of property: PropertyInfo) -> Origins {
        let origin = target(of: property)
        let back = origin.info.property(named: property.type.originProperty!)!
        let column = back.valuesColumn ?? back.column
        let backlinks = instance.catalog.tables[origin.table].backlinks[column]!
        return Origins(table: origin.table, column: column, backlinks: backlinks)
    }
}
