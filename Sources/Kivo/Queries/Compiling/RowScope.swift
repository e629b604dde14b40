import KivoEngine

/// The rows of a class's table.
struct RowScope: ClassScope {
    typealias Path = RowPath

    let context: TableContext
    var consequence = ""

    init(_ context: TableContext, consequence: String = "") {
        (self.context, self.consequence) = (context, consequence)
    }

    var info: ClassInfo { context.info }
    fileprivate var catalog: Catalog { context.instance.catalog }

    /// Returns a value, or values, for a comparison with values of any type. Objects of other realms are replaced by a value that
    /// equals nothing.
    func localized(_ value: Any?, _ type: QueryValueType) -> Any? {
        type.isAny ? AnyRealmValue.localized(value, in: context.instance.store) : value
    }

    func isOne(of values: [AnyRealmValue], at path: RowPath) -> RowOperand {
        path.isOne(of: values.map { $0.contents(in: context.instance.store) })
    }

    /// Returns the key by which a key path sorts or groups. Throws if the key path does not lead to a single value.
    func sortKey(_ keyPath: String, ascending: Bool) throws(QueryMismatch) -> SortKey {
        let path = try resolve(QueryPath.Component.named(keyPath)).path
        guard path.isSingle else {
            throw QueryMismatch(
                "Key path '\(keyPath)' passes through a collection, which has no value to sort or group by.")
        }
        return SortKey(path, path.order, isAscending: ascending)
    }

    /// Returns the path to the values that are the keys of live groups, and their type. Throws if the key path does not lead to a single
    /// value of one type.
    func groupKey(_ keyPath: String) throws(QueryMismatch) -> (path: ResolvedPath, type: ScalarType) {
        let resolved = try resolve(QueryPath.Component.named(keyPath))
        guard case .scalar(let type) = resolved.type, resolved.isSingle else {
            throw QueryMismatch(
                "Elements cannot be grouped by '\(keyPath)': group by a property of the object that it leads to."
            )
        }
        if type == .any {
            throw QueryMismatch(
                "Elements cannot be grouped by '\(keyPath)', whose values are of any type: group by a property of one type."
            )
        }
        return (resolved.path, type)
    }
}

/// A path from the rows of a table, or from a plain value to itself.
struct RowPath: ClassPath {
    typealias Elements = RowScope
    typealias Operand = RowOperand

    private(set) var elements: RowScope?
    /// The path in the engine; nil for a plain value itself.
    private var resolved: ResolvedPath?
    /// The type of plain values at the end.
    private var scalar = ScalarType.string
    private let catalog: Catalog

    init(from scope: RowScope) {
        elements = scope
        resolved = ResolvedPath(from: scope.context.table)
        catalog = scope.catalog
    }

    /// Creates the path from a plain value of a type to itself.
    init(ofElement scalar: ScalarType, _ catalog: Catalog) {
        (self.scalar, self.catalog) = (scalar, catalog)
    }

    /// The path in the engine. Traps if the path is that of a plain value.
    var path: ResolvedPath {
        guard let resolved else { trap("A plain value is no object and no collection.") }
        return resolved
    }

    mutating func append(_ step: PathStep, of scope: RowScope) {
        let (property, context) = (step.property, scope.context)
        let isKeys = step.part == .keys
        elements = property.isLinking && !isKeys ? RowScope(context.target(of: property)) : nil
        scalar = isKeys ? .string : property.type.scalar ?? .string
        switch property.type.collection {
        case .none, .list, .set: resolved?.append(property.column, order: property.order, in: catalog)
        case .linkingObjects: resolved?.append(context.origins(of: property))
        case .map:
            resolved?.append(
                keys: property.column, values: property.valuesColumn!, step.part.engine,
                order: property.order, in: catalog)
        }
        if step.isWhole {
            resolved?.appendToCollection(step.anySteps, in: catalog)
        } else {
            resolved?.append(step.anySteps, in: catalog)
        }
    }

    var type: QueryValueType { elements.map { .object($0.context) } ?? .scalar(scalar) }
    var isSingle: Bool { resolved?.isSingle ?? true }
    var isCollection: Bool { resolved?.isCollection ?? false }

    var values: RowOperand { resolved.map { .path($0) } ?? .element }

    var sizes: RowOperand {
        var path = path
        path.append([.size], in: catalog)
        return .path(path)
    }

    /// The type of each value, with the tables of lists and dictionaries inside values of any type.
    var types: RowOperand {
        let tables = AnyTables(catalog)
        return .computed(values, .constant(.null)) { cell, _ in AnyTypeName(of: cell, tables).cell }
    }

    /// Whether each value has one of some contents.
    fileprivate func isOne(of contents: [AnyContents]) -> RowOperand {
        guard var path = resolved else { return .inside([.equals(contents)], AnyTables(catalog)) }
        path.append([.equals(contents)], in: catalog)
        return .path(path)
    }

    func count(where predicate: RowPredicate) -> RowOperand { .matching(path, predicate) }

    func aggregate(
        _ function: Aggregate.Function, of value: RowPath?, _ order: CellOrder,
        _ arithmetic: Aggregate.Arithmetic
    ) -> RowOperand {
        .aggregate(Aggregate(function, path, value: value?.path, order: order, arithmetic: arithmetic))
    }

    static func derived(
        _ paths: [RowPath], _ rule: @escaping @Sendable ([[Cell]]) -> Cell
    ) -> RowOperand {
        .derived(Derivation(paths.map(\.path), rule))
    }
}

extension RowOperand: QueryScopeOperand {}

/// Plain values of one type: a condition on them is about `self`.
struct ElementScope: QueryScope {
    let type: ScalarType
    /// The catalog of the realm of the values.
    var catalog = Catalog()
    /// The store of the realm of the values; nil for values that are not stored.
    var store: Store?

    func resolve(_ path: QueryPath) throws(QueryMismatch) -> RowPath {
        if !path.components.isEmpty || path.aggregate != nil {
            throw QueryMismatch("Plain values have no '\(path.text)': a condition on them is about 'self'.")
        }
        return RowPath(ofElement: type, catalog)
    }

    func isOne(of values: [AnyRealmValue], at path: RowPath) -> RowOperand {
        path.isOne(of: values.map { $0.contents(in: store) })
    }
}

extension PathStep.Part {
    fileprivate var engine: ResolvedPath.MapPart {
        switch self {
        case .all: .values
        case .keys: .keys
        case .entry(let key): .entry(.string(key))
        }
    }
}

extension TableContext {
    /// Returns the origins of a property's linking objects.
    fileprivate func origins(of property: PropertyInfo) -> Origins {
        let origin = target(of: property)
        let back = origin.info.property(named: property.type.originProperty!)!
        let column = back.valuesColumn ?? back.column
        let backlinks = instance.catalog.tables[origin.table].backlinks[column]!
        return Origins(table: origin.table, column: column, backlinks: backlinks)
    }
}
