import Foundation

extension RealmCollection {
    /// Returns the state from which queries start. Traps if the collection is unmanaged.
    private func query(_ purpose: String) -> QueryState {
        guard let query = queryState else {
            trap("Cannot \(purpose) an unmanaged collection: add its object to a realm first.")
        }
        return query
    }

    // MARK: Filtering

    /// Returns live results with the elements for which a query holds, in the order of the collection.
    ///
    ///     dogs.where { $0.age > 5 && $0.owner.name == "Ann" }
    ///
    /// The query is evaluated when its result is first needed. Conditions are evaluated in the order of their cost and
    /// selectivity. An index or a primary key is used if it leaves few candidates. Plain values are compared themselves:
    /// `numbers.where { $0 > 5 }`.
    ///
    /// - Complexity: O(1) to create; the condition is compiled, and evaluated at the first read. An evaluation is O(n), or less
    ///   if an index, an order of the objects' keys or a limit on their number allows it.
    /// - Precondition: The collection is managed.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        let condition = isIncluded(Query<Element>(.operand(.path(QueryPath())))).node
        return Results(query("filter").filtered(condition))
    }

    /// Returns live results with the elements for which a predicate holds, in the order of the collection.
    ///
    ///     dogs.filter("age > %@ AND owner.name BEGINSWITH[c] 'a'", 5)
    ///
    /// The language is that of predicate format strings, as far as it applies to persisted properties. It has comparisons,
    /// `BETWEEN`, `IN`, `MATCHES`, `GEOWITHIN`, and `BEGINSWITH`, `ENDSWITH`, `CONTAINS` and `LIKE` with `[c]` and `[d]`.
    /// Conditions are combined by `AND`, `OR` and `NOT`, and quantified by `ANY`, `ALL` and `NONE`; `TRUEPREDICATE` and
    /// `FALSEPREDICATE` are constants. Key paths lead over links, collections and linking objects, with `@count`, `@min`, `@max`,
    /// `@sum`, `@avg`, `@keys` and `@values`. There are also `SUBQUERY`, arithmetic (`+`, `-`, `*`, `/`), and the placeholders
    /// `%@` and `%K`. Plain values are called `self`: `numbers.filter("self > 5")`. `LIMIT(100)` at the end keeps the first elements, as
    /// ``Results/first(_:)`` does.
    ///
    /// - Complexity: O(p) for a predicate of p characters; the results are evaluated at the first read, as those of ``where(_:)``
    ///   are.
    /// - Precondition: The predicate is well-formed; otherwise the message names the position and what was expected there. The
    ///   collection is managed, the properties exist, and the values can be compared.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        let (condition, limit) = QueryNode.parsingFilter(predicateFormat, args)
        return filtered(condition).limited(to: limit)
    }

    /// Returns live results with the elements for which a condition holds.
    func filtered(_ condition: QueryNode) -> Results<Element> { Results(query("filter").filtered(condition)) }

    /// Returns the position of the first element for which a query holds, or nil if there is none. Works for unmanaged
    /// collections too.
    ///
    /// - Complexity: O(n).
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        firstPosition(isIncluded(Query<Element>(.operand(.path(QueryPath())))).node)
    }

    /// Returns the position of the first element for which a predicate holds, or nil if there is none; see ``filter(_:_:)``.
    /// Works for unmanaged collections too.
    ///
    /// - Complexity: O(n).
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        firstPosition(QueryNode.parsing(predicateFormat, args))
    }

    /// Unavailable: the condition in a block is opaque, so that it can neither use an index nor be updated incrementally.
    @available(
        *, unavailable,
        message:
            "write the condition as 'where { $0.age > 5 }' or as a predicate string, 'filter(\"age > %@\", 5)'"
    )
    public func filter(_ predicate: NSPredicate) -> Results<Element> { trap("unavailable") }

    /// Unavailable: the condition in a block is opaque, so that it cannot use an index.
    @available(
        *, unavailable,
        message:
            "write the condition as a closure, 'index(matching: { $0.age > 5 })', or as a predicate string"
    )
    public func index(matching predicate: NSPredicate) -> Int? { trap("unavailable") }

    func firstPosition(_ node: QueryNode) -> Int? {
        if let query = queryState { return query.firstPosition(node) }
        guard let type = Element.self as? ObjectBase.Type else {
            var described = DeclaredType()
            Element._access.type.describeElement(&described)
            guard let scalar = described.scalar else {
                trap("A collection of \(Element.self) cannot be searched by a condition.")
            }
            let predicate = QueryCompiler(ElementScope(type: scalar)).predicateOrTrap(node)
            return firstIndex { predicate.holds($0.cell(in: .unmanaged), nil) }
        }
        let predicate = QueryCompiler(ObjectScope(type)).predicateOrTrap(node)
        return firstIndex { ($0 as? ObjectBase).map(predicate.holds) ?? false }
    }

    // MARK: Order

    /// Returns live results in the order of some keys. Stable: equal elements keep their previous order, so that the last sort
    /// counts most. Null orders before all values. Elements that a key path does not reach, because a link on it is null, order
    /// after all others. Strings are compared by their bytes.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    /// - Precondition: The collection is managed, and each key path leads to one value.
    public func sorted<S: Swift.Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Element == SortDescriptor {
        Results(query("sort").sorted(Array(sortDescriptors)))
    }

    /// Returns live results in the order of one key path. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Returns live results in the order of one key path. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted<Value: _HasPersistedType>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> where Element: ObjectBase, Value.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Returns live results in the elements' own order. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted(ascending: Bool = true) -> Results<Element> where Element.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }

    /// Returns live results with the first element of each group that is equal in all of some key paths, in the order of the
    /// collection. Sort before this call to determine which element is first. A condition that is added later is applied before
    /// the elements are made distinct. Elements with a nil link on a key path are left out.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n) on average.
    /// - Precondition: The collection is managed, and each key path leads to one value.
    public func distinct<S: Swift.Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        Results(query("make distinct").distinct(Array(keyPaths)))
    }

    /// Returns live results with the first element of each group that is equal in all of some key paths; see
    /// ``distinct(by:)-(S)``.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n) on average.
    public func distinct<S: Swift.Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element>, Element: ObjectBase {
        distinct(by: keyPaths.map { KeyPathName.of($0) })
    }

    /// Returns live results with the first of each group of equal values, in the order of the collection.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n) on average.
    public func distinct() -> Results<Element> where Element: _Persistable { distinct(by: ["self"]) }

    /// Returns live results with the first of each group of equal values, in the order of the collection.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n) on average.
    @_disfavoredOverload
    public func distinct() -> Results<Element> where Element.PersistedType: SortableType {
        distinct(by: ["self"])
    }
}

extension QueryNode {
    /// Returns the condition of a predicate string, and the number in `LIMIT(5)` at its end. Traps with a message if the string is
    /// malformed.
    static func parsingFilter(_ format: String, _ arguments: [Any]) -> (condition: QueryNode, limit: Int?) {
        PredicateSyntaxError.trapping { () throws(PredicateSyntaxError) in
            try PredicateParser.parseFilter(format, arguments)
        }
    }

    /// Returns the condition of a predicate string. Traps with a message if the string is malformed.
    static func parsing(_ format: String, _ arguments: [Any]) -> QueryNode {
        PredicateSyntaxError.trapping { () throws(PredicateSyntaxError) in
            try PredicateParser.parse(format, arguments)
        }
    }
}

extension RealmCollection {
    /// Returns the elements at some positions, in ascending order of the positions.
    ///
    /// - Complexity: That of reading one element by position, for each of the positions.
    /// - Precondition: The positions are in 0 ..< count.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }
}

/// Queries over the map's values. Objects that are nil are left out.
extension RealmKeyedCollection {
    /// Returns the values as results. Traps if the map is unmanaged.
    private func results(_ purpose: String) -> Results<Value> {
        guard let query = queryState else {
            trap("Cannot \(purpose) an unmanaged map: add its object to a realm first.")
        }
        return Results(query)
    }

    /// Returns live results with the values for which a query holds, in the order of their keys; see
    /// ``RealmCollection/where(_:)``.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n).
    /// - Precondition: The map is managed.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        results("filter").where(isIncluded)
    }

    /// Returns live results with the values for which a predicate holds, in the order of their keys; see
    /// ``RealmCollection/filter(_:_:)``.
    ///
    /// - Complexity: O(p) for a predicate of p characters; the results are evaluated at the first read, in O(n).
    /// - Precondition: The map is managed, and the predicate is well-formed and valid for its values.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        let (condition, limit) = QueryNode.parsingFilter(predicateFormat, args)
        return filtered(condition).limited(to: limit)
    }

    /// Returns live results with the values for which a condition holds.
    func filtered(_ condition: QueryNode) -> Results<Value> {
        Results(results("filter").state.filtered(condition))
    }

    /// Unavailable: the condition in a block is opaque, so that it can neither use an index nor be updated incrementally.
    @available(
        *, unavailable,
        message:
            "write the condition as 'where { $0.age > 5 }' or as a predicate string, 'filter(\"age > %@\", 5)'"
    )
    public func filter(_ predicate: NSPredicate) -> Results<Value> { trap("unavailable") }

    /// Returns live results with the values in the order of some sort keys. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    /// - Precondition: The map is managed, and each key path leads to one value.
    public func sorted<S: Swift.Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Element == SortDescriptor {
        results("sort").sorted(by: sortDescriptors)
    }

    /// Returns live results with the values in the order of one key path. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results("sort").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// Returns live results with the objects in the order of one key path. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted<Target: ObjectBase, Property: _HasPersistedType>(
        by keyPath: KeyPath<Target, Property>, ascending: Bool = true
    ) -> Results<Value> where Value == Target?, Property.PersistedType: SortableType {
        sorted(byKeyPath: KeyPathName.of(keyPath), ascending: ascending)
    }

    /// Returns live results with the values in their own order. Stable.
    ///
    /// - Complexity: O(1) to create; the results are evaluated at the first read, in O(n log n).
    public func sorted(ascending: Bool = true) -> Results<Value> where Value.PersistedType: SortableType {
        results("sort").sorted(ascending: ascending)
    }
}
