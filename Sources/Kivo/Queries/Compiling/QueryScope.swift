import KivoEngine

/// The elements that a condition applies to. Resolves the names in a condition to paths, from which operands are made.
///
/// There are three: the rows of a table (``RowScope``), plain values (``ElementScope``) and objects in memory (``ObjectScope``).
protocol QueryScope {
    associatedtype Path: ResolvedQueryPath

    /// Resolves a path to its end; an aggregate of it is ignored. Throws if the elements have no such path.
    func resolve(_ path: QueryPath) throws(QueryMismatch) -> Path

    /// Returns a value of the app as it is compared with values of a type.
    func localized(_ value: Any?, _ type: QueryValueType) -> Any?

    /// Returns the operand with a Boolean for each value of any type at the end of a path: whether it equals one of some values.
    /// Lists and dictionaries are equal if their contents are.
    func isOne(of values: [AnyRealmValue], at path: Path) -> Path.Operand
}

extension QueryScope {
    func resolve(_ components: [QueryPath.Component]) throws(QueryMismatch) -> Path {
        try resolve(QueryPath(components: components))
    }

    func localized(_ value: Any?, _ type: QueryValueType) -> Any? { value }
}

/// A path of names that was resolved in a scope, and the operands that it makes.
protocol ResolvedQueryPath {
    associatedtype Operand: QueryScopeOperand
    associatedtype Elements: ClassScope where Elements.Path.Operand == Operand

    /// The scope of the objects at the end; nil for plain values.
    var elements: Elements? { get }
    /// The type of the values at the end.
    var type: QueryValueType { get }
    /// Whether the path leads to at most one value.
    var isSingle: Bool { get }
    /// Whether the path ends at a collection or at linking objects.
    var isCollection: Bool { get }

    /// The values at the end.
    var values: Operand { get }
    /// The sizes of the lists and dictionaries inside the values of any type at the end.
    var sizes: Operand { get }
    /// The ``AnyTypeName`` of each value of any type at the end.
    var types: Operand { get }

    /// Returns the number of elements of the collection at the end that satisfy a predicate.
    func count(where predicate: Predicate<Operand>) -> Operand

    /// Returns a function of the collection at the end: of its elements, or of the values to which a path leads from each of
    /// them.
    func aggregate(
        _ function: Aggregate.Function, of value: Elements.Path?, _ order: CellOrder,
        _ arithmetic: Aggregate.Arithmetic
    ) -> Operand

    /// Returns the operand that a rule computes from several properties of each object. The paths to the properties differ only in
    /// their ends.
    static func derived(_ paths: [Self], _ rule: @escaping @Sendable ([[Cell]]) -> Cell) -> Operand
}

/// An operand that does not only consist of a path.
protocol QueryScopeOperand {
    static func constant(_ cell: Cell) -> Self
    /// Returns the results of a rule for each pair of values of two operands.
    static func computed(_ left: Self, _ right: Self, _ rule: @escaping @Sendable (Cell, Cell) -> Cell)
        -> Self
}

// MARK: Names

/// A scope whose elements are objects of a class.
protocol ClassScope: QueryScope where Path: ClassPath, Path.Elements == Self {
    var info: ClassInfo { get }
    /// The text that a message appends to a property that does not exist.
    var consequence: String { get }
}

/// A path through properties of classes.
protocol ClassPath: ResolvedQueryPath {
    /// Creates the path from the objects of a scope to themselves.
    init(from scope: Elements)

    /// Appends a property of the objects at the end, whose scope is given.
    mutating func append(_ step: PathStep, of scope: Elements)
}

/// A property on a path, and the part of it to which the path leads.
struct PathStep {
    enum Part: Equatable {
        /// The value, or the elements of a collection.
        case all
        case keys
        /// The value of a map for a key.
        case entry(String)
    }

    let property: PropertyInfo
    let part: Part
    /// The steps into values of any type.
    let anySteps: [AnyStep]
    /// Whether the first of these steps selects from the elements of a collection, and does not go into each of them.
    let isWhole: Bool

    /// Creates a step from the components that follow the name of the property, and removes those that belong to it.
    init(_ property: PropertyInfo, taking rest: inout ArraySlice<QueryPath.Component>) {
        self.property = property
        let kind = property.type.collection
        isWhole = kind.isWhole(before: rest)
        part = kind == .map ? Part(taking: &rest) : .all
        guard property.type.scalar == .any, part != .keys else {
            anySteps = []
            return
        }
        // A position selects from a list only.
        let isMisplaced = if isWhole, kind != .list, case .index? = rest.first { true } else { false }
        anySteps = isMisplaced ? [] : AnyStep.taking(&rest)
    }
}

extension ClassScope {
    func resolve(_ names: QueryPath) throws(QueryMismatch) -> Path {
        var path = Path(from: self)
        var rest = names.components[...]
        let text = { QueryPath(components: names.components).text }
        while let component = rest.popFirst() {
            guard case .property(let name) = component, let scope = path.elements else {
                throw QueryMismatch("'\(component.text)' of key path '\(text())' leads nowhere.")
            }
            let info = scope.info
            guard let property = info.property(name, taking: &rest) else {
                throw QueryMismatch(
                    """
                    Property '\(name)' of key path '\(text())' does not exist in class \
                    '\(info.name)'\(consequence).\(info.hint(onUnknown: name))
                    """)
            }
            path.append(PathStep(property, taking: &rest), of: scope)
            if path.elements == nil, !rest.isEmpty {
                throw QueryMismatch(
                    "'\(info.name).\(name)' is no link, so key path '\(text())' cannot go on from it.")
            }
        }
        return path
    }
}

extension ClassInfo {
    /// Returns the property that a name and the names after it spell, and removes the latter. A class of a file can have a property
    /// with dots in its name: the longest such name wins over a path.
    fileprivate func property(
        _ name: String, taking rest: inout ArraySlice<QueryPath.Component>
    ) -> PropertyInfo? {
        var (longest, joined) = (property(named: name), name)
        var count = 0
        for (index, component) in rest.enumerated() {
            guard case .property(let next) = component else { break }
            joined += "." + next
            if let property = property(named: joined) { (longest, count) = (property, index + 1) }
        }
        rest.removeFirst(count)
        return longest
    }
}

extension CollectionKind {
    /// Whether a path means a collection itself, and not the keys, the values or one value of a map.
    fileprivate func isWhole(before rest: ArraySlice<QueryPath.Component>) -> Bool {
        switch (self, rest.first) {
        case (.list, _), (.set, _): true
        case (.map, .keys?), (.map, .values?), (.map, .key?): false
        case (.map, _): true
        case (.none, _), (.linkingObjects, _): false
        }
    }
}

extension AnyStep {
    /// Removes the next components that lead into values of any type, and returns them as steps.
    fileprivate static func taking(_ rest: inout ArraySlice<QueryPath.Component>) -> [AnyStep] {
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

extension PathStep.Part {
    /// Creates the part of a map that the next component selects; without such a component, the values.
    fileprivate init(taking rest: inout ArraySlice<QueryPath.Component>) {
        switch rest.first {
        case .keys: self = .keys
        case .key(let key): self = .entry(key)
        case .values: self = .all
        default:
            self = .all
            return
        }
        rest.removeFirst()
    }
}
