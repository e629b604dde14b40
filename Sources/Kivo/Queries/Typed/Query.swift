/// An expression of a type-safe query: the element in the closure of ``RealmCollection/where(_:)``, a value that is reached from
/// it, or a condition on such values.
///
///     dogs.where { $0.age > 5 && $0.owner.name == "Ann" }
///     people.where { $0.dogs.name == "Rex" && ($0.dogs.age >= 3).count >= 2 }
///
/// A key path through a to-one link that is nil has the value nil. A property without a value equals nil, differs from every
/// value, and is neither less nor greater than any. Two properties without a value are equal. A key path through a collection
/// matches if any of its values does.
///
/// - Complexity: O(1) for every member, which adds to a condition and evaluates nothing; O(k) if k values are given.
@dynamicMemberLookup
public struct Query<T> {
    enum Content {
        case operand(QueryOperand)
        case condition(QueryNode)
    }

    let content: Content
    /// The collections on the paths in this query, each as the path up to and including the collection.
    let collections: [[QueryPath.Component]]

    init(_ content: Content, collections: [[QueryPath.Component]] = []) {
        self.content = content
        self.collections = collections
    }

    /// The operand that the query names. Traps if the query is a condition.
    var operand: QueryOperand {
        guard case .operand(let operand) = content else { trap("A condition has no value to compare.") }
        return operand
    }

    /// The condition. A property without a comparison must be true.
    var node: QueryNode {
        switch content {
        case .condition(let node): node
        case .operand(let operand):
            .comparison(
                QueryComparison(left: operand, operator: .equal, right: .value(true), isImplied: true))
        }
    }

    /// The path that the query names. Traps if the query names an aggregate, arithmetic or a subquery, from which no path
    /// continues.
    var path: QueryPath {
        switch operand {
        case .path(let path) where path.aggregate == nil: return path
        case .path(let path):
            trap("'\(path.text)' is a value of a whole collection: a query can only compare it.")
        case .arithmetic: trap("What arithmetic makes of properties can only be compared in a query.")
        default: trap("The number of elements of a subquery can only be compared.")
        }
    }

    /// Returns this query with another value type.
    func retyped<Other>() -> Query<Other> { Query<Other>(.operand(operand), collections: collections) }
}

extension Query where T: ObjectBase {
    /// A property of the objects.
    ///
    /// - Precondition: The property is persisted.
    public subscript<Value>(dynamicMember member: KeyPath<T, Value>) -> Query<Value> { appending(member) }
}

extension Query {
    /// A property of the object that a to-one link leads to.
    ///
    /// - Precondition: The property is persisted.
    public subscript<Target: ObjectBase, Value>(dynamicMember member: KeyPath<Target, Value>) -> Query<Value>
    where T == Target? {
        appending(member)
    }

    /// Returns a query for a property of the object that this query names.
    func appending<Root: ObjectBase, Value>(_ member: KeyPath<Root, Value>) -> Query<Value> {
        guard let recorder = KeyPathRecorder.record(member, root: Root.self), recorder.isChain,
            !recorder.names.isEmpty
        else {
            trap(
                """
                A query needs persisted properties: key path '\(member)' of class '\(Root.className())' leads to a value of \
                type '\(Value.self)', which is not '@Persisted'.
                """)
        }
        var (path, collections) = (path, collections)
        var owner: ObjectBase.Type? = Root.self
        for name in recorder.names {
            guard let type = owner.flatMap({ Registry.info($0).property(named: name)?.type }) else {
                trap(
                    """
                    A query needs persisted properties: '\(name)' is no persisted property of class \
                    '\(owner?.className() ?? "\(Root.className())")'.
                    """)
            }
            path.components.append(.property(name))
            if type.collection != .none { collections.append(path.components) }
            owner = type.target
        }
        return Query<Value>(.operand(.path(path)), collections: collections)
    }

    /// Returns a query for a part of the collection that this query names.
    func appending<Value>(_ component: QueryPath.Component) -> Query<Value> {
        var path = path
        path.components.append(component)
        return Query<Value>(.operand(.path(path)), collections: collections)
    }
}

extension Query where T == Bool {
    /// Returns the condition that both conditions hold.
    public static func && (left: Query, right: Query) -> Query {
        Query(.condition(.and(left.node, right.node)), collections: left.collections + right.collections)
    }

    /// Returns the condition that at least one of the conditions holds.
    public static func || (left: Query, right: Query) -> Query {
        Query(.condition(.or(left.node, right.node)), collections: left.collections + right.collections)
    }

    /// Returns the condition that a condition does not hold.
    public static prefix func ! (query: Query) -> Query {
        Query(.condition(.not(query.node)), collections: query.collections)
    }
}

/// Access to the stored values of enums and mapped types, for comparisons that these types do not support. For all other types,
/// the stored value is the value itself.
extension Query where T: _HasPersistedType {
    /// The stored value, for comparisons with values of the stored type.
    public var persistableValue: Query<T.PersistedType> { retyped() }
}

extension Query where T: RealmCollection {
    /// The stored values of the elements, for comparisons with values of the stored type.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { retyped() }
}

extension Query where T: RealmKeyedCollection {
    /// The stored values of the map, for comparisons with values of the stored type.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { retyped() }
}

extension Query where T: _CustomPersistable, T.PersistedType: _QueryString {
    /// Returns the condition that the stored value matches a pattern, in which `?` stands for any one character and `*` for any
    /// number of characters.
    public func like(_ pattern: T.PersistedType, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, pattern, caseInsensitive ? .caseInsensitive : [])
    }
}

/// Values of properties in the older style, `RealmProperty` and `RealmOptional`.
extension Query {
    /// The value of the property, which compares like the value of a ``Persisted`` property.
    ///
    ///     people.where { $0.age.value > 5 }
    public subscript<Value>(dynamicMember member: KeyPath<_BareValue<Value>, Value>) -> Query<Value>
    where T == _BareValue<Value> {
        retyped()
    }
}
