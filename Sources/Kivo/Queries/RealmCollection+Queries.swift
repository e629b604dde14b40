import Foundation

extension RealmCollection {
    /// What queries start from. Traps if the collection is unmanaged.
    private func query(_ purpose: String) -> QueryState {
        guard let query = _query else {
            trap("Cannot \(purpose) an unmanaged collection: add its object to a realm first.")
        }
        return query.state
    }

    // MARK: Filtering

    /// The elements for which a query holds as well, live, in the order of the collection.
    ///
    ///     dogs.where { $0.age > 5 && $0.owner.name == "Ann" }
    ///
    /// Nothing is evaluated until it is needed. Conditions are asked in the order of what they cost and keep out, and
    /// through an index or a primary key where that leaves few candidates. Plain values are compared themselves:
    /// `numbers.where { $0 > 5 }`. Traps if the collection is unmanaged.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        let condition = isIncluded(Query<Element>(.operand(.path(QueryPath())))).node
        return Results(query("filter").filtered(condition))
    }

    /// The elements for which a predicate holds as well, live, in the order of the collection.
    ///
    ///     dogs.filter("age > %@ AND owner.name BEGINSWITH[c] 'a'", 5)
    ///
    /// The language is that of predicate format strings, as far as it applies to persisted properties: comparisons,
    /// `BETWEEN`, `IN`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS` and `LIKE` with `[c]` and `[d]`, `ANY`, `ALL`, `NONE`, `AND`,
    /// `OR`, `NOT`, key paths over links, collections and linking objects, `@count`, `@min`, `@max`, `@sum`, `@avg`,
    /// `@keys`, `@values`, `SUBQUERY`, arithmetic (`+`, `-`, `*`, `/`), `MATCHES`, `GEOWITHIN`, `TRUEPREDICATE`,
    /// `FALSEPREDICATE`, and the placeholders `%@` and `%K`. Plain values are called `self`: `numbers.filter("self > 5")`.
    ///
    /// Traps, naming the position and what was expected there, if the predicate is malformed; if it names a property that
    /// does not exist or compares what cannot be compared; and if the collection is unmanaged.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        filtered(QueryNode.parsing(predicateFormat, args))
    }

    /// The elements for which a condition holds as well.
    func filtered(_ condition: QueryNode) -> Results<Element> { Results(query("filter").filtered(condition)) }

    /// The position of the first element for which a query holds, or nil. O(n). Unmanaged collections can be asked as well.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        firstPosition(isIncluded(Query<Element>(.operand(.path(QueryPath())))).node)
    }

    /// The position of the first element for which a predicate holds, or nil; see ``filter(_:_:)``. O(n). Unmanaged
    /// collections can be asked as well.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        firstPosition(QueryNode.parsing(predicateFormat, args))
    }

    /// Unavailable: what a block asks cannot be looked up or followed.
    @available(
        *, unavailable,
        message:
            "write the condition as 'where { $0.age > 5 }' or as a predicate string, 'filter(\"age > %@\", 5)'"
    )
    public func filter(_ predicate: NSPredicate) -> Results<Element> { trap("unavailable") }

    /// Unavailable: what a block asks cannot be looked up.
    @available(
        *, unavailable,
        message:
            "write the condition as a closure, 'index(matching: { $0.age > 5 })', or as a predicate string"
    )
    public func index(matching predicate: NSPredicate) -> Int? { trap("unavailable") }

    private func firstPosition(_ node: QueryNode) -> Int? {
        if let query = _query { return query.state.firstPosition(node) }
        guard let type = Element.self as? ObjectBase.Type else {
            var described = DeclaredType()
            Element._describeElement(&described)
            guard let scalar = described.scalar else {
                trap("A collection of \(Element.self) cannot be searched by a condition.")
            }
            let predicate = QueryCompiler(values: .scalar(scalar)).predicate(node)
            return firstIndex { predicate.holds($0._elementCell(.unmanaged)) }
        }
        let condition = ObjectCondition(node, type)
        return firstIndex { ($0 as? ObjectBase).map(condition.holds) ?? false }
    }

    // MARK: Order

    /// The elements in the order of keys, live. Stable: ties keep the order they had, so the last sort counts most.
    /// Null comes before all values, and what is behind a link that is null after them; strings are compared by their bytes.
    /// Traps if unmanaged, and on key paths that do not lead to one value.
    public func sorted<S: Swift.Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Element == SortDescriptor {
        Results(query("sort").sorted(Array(sortDescriptors)))
    }

    /// The elements in the order of one key path, live. Stable.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The elements in the order of one key path, live. Stable.
    public func sorted<Value: _HasPersistedType>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true
    ) -> Results<Element> where Element: ObjectBase, Value.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The elements in their own order, live. Stable.
    public func sorted(ascending: Bool = true) -> Results<Element> where Element.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }

    /// The first element of each group of elements that are equal in all of some key paths, live, in the order of the
    /// collection: sort before to say which is first. A condition that is added later chooses among the elements before
    /// they are made distinct. Elements that have a link on the way to a value that is nil are left out. Traps if unmanaged,
    /// and on key paths that do not lead to one value.
    public func distinct<S: Swift.Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        Results(query("make distinct").distinct(Array(keyPaths)))
    }

    /// The first element of each group of elements that are equal in all of some key paths; see ``distinct(by:)-(S)``.
    public func distinct<S: Swift.Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element>, Element: ObjectBase {
        distinct(by: keyPaths.map { KeyPathName.of($0) })
    }

    /// The first of each group of equal values, live, in the order of the collection.
    public func distinct() -> Results<Element> where Element: _Persistable { distinct(by: ["self"]) }

    /// The first of each group of equal values, live, in the order of the collection.
    @_disfavoredOverload
    public func distinct() -> Results<Element> where Element.PersistedType: SortableType {
        distinct(by: ["self"])
    }
}

extension QueryNode {
    /// The condition of a predicate string. Traps in words if it is malformed.
    static func parsing(_ format: String, _ arguments: [Any]) -> QueryNode {
        do throws(PredicateSyntaxError) {
            return try PredicateParser.parse(format, arguments)
        } catch {
            trap("The predicate is malformed. \(error)")
        }
    }
}
