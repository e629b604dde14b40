import KivoEngine

/// A path of names that was resolved through classes, for unmanaged objects; see ``ResolvedPath``.
struct ObjectWay {
    private enum End {
        /// The objects themselves.
        case object
        case value(PropertyInfo)
        case elements(PropertyInfo)
        case keys(PropertyInfo)
        case entry(PropertyInfo, String)
        case position(PropertyInfo, Int)
        /// A path into values of any type.
        indirect case nested(End, [AnyStep])
    }

    /// A closure that returns the objects that have the property at the end of the path.
    private(set) var owners: (ObjectBase) -> [ObjectBase] = { [$0] }
    private(set) var areOwnersSingle = true
    private var end = End.object
    /// The class of the objects at the end; nil for plain values.
    private(set) var target: ObjectBase.Type?

    /// Resolves a path from a class. Traps if a class has no such property.
    init(_ components: [QueryPath.Component], from type: ObjectBase.Type) {
        target = type
        var rest = components[...]
        let text = QueryPath(components: components).text
        while let component = rest.popFirst() {
            guard case .property(let name) = component, let current = target else {
                trap("'\(component.text)' of key path '\(text)' leads nowhere.")
            }
            follow()
            let info = Registry.info(current)
            guard let property = info.property(named: name) else {
                trap("Property '\(name)' of key path '\(text)' does not exist in class '\(info.name)'.")
            }
            append(property, &rest)
            if target == nil, !rest.isEmpty {
                trap(
                    "'\(info.name).\(name)' is no link, so key path '\(text)' cannot go on from it.")
            }
        }
    }

    /// Makes the objects at the current end the owners of the next property.
    private mutating func follow() {
        if case .object = end { return }
        let way = self
        areOwnersSingle = isSingle
        owners = { object in
            way.owners(object).flatMap { way.values($0) }.compactMap { $0 as? ObjectBase }
        }
        end = .object
    }

    private mutating func append(_ property: PropertyInfo, _ rest: inout ArraySlice<QueryPath.Component>) {
        target = property.type.target
        let isWhole = property.type.collection.isWhole(before: rest)
        switch (property.type.collection, rest.first) {
        case (.none, _): end = .value(property)
        case (.map, .keys):
            rest.removeFirst()
            target = nil
            end = .keys(property)
        case (.map, .key(let key)):
            rest.removeFirst()
            end = .entry(property, key)
        case (.map, .values):
            rest.removeFirst()
            end = .elements(property)
        default: end = .elements(property)
        }
        if case .keys = end { return }
        guard property.type.scalar == .any else { return }
        var steps = isWhole ? property.type.collection.steps(taking: &rest)[...] : AnyStep.taking(&rest)[...]
        if steps.isEmpty { return }
        if isWhole {
            switch steps.first {
            case .index(let position): end = .position(property, position)
            case .all: break
            default: return end = .nested(end, Array(steps))
            }
            steps.removeFirst()
        }
        end = .nested(end, Array(steps))
    }

    /// Whether the path leads to at most one value.
    var isSingle: Bool { areOwnersSingle && !isCollection }

    /// Whether the path leads to all elements of a collection.
    var isCollection: Bool {
        func isCollection(_ end: End) -> Bool {
            switch end {
            case .elements, .keys: true
            case .object, .value, .entry, .position: false
            case .nested(let end, let steps): isCollection(end) || steps.contains(.all)
            }
        }
        return isCollection(end)
    }

    /// Whether the path leads into values of any type.
    var isNested: Bool { if case .nested = end { true } else { false } }

    /// Returns the type of the values at the end.
    func type(_ numbers: ObjectNumbers) -> QueryValueType {
        if let target { return .instance(target, numbers) }
        switch end {
        case .keys: return .scalar(.string)
        case .value(let property), .elements(let property), .entry(let property, _),
            .position(let property, _):
            return .scalar(property.type.scalar!)
        case .nested: return .scalar(.any)
        case .object: trap("A path to nothing has no value.")
        }
    }

    /// Returns the values of an object, without optionals around them. Returns nil as the only value if a to-one link on the path
    /// is nil.
    func values(of object: ObjectBase) -> [Any?] {
        let values = owners(object).flatMap { self.values($0) }
        return values.isEmpty && isSingle ? [nil] : values
    }

    /// Returns a result for each owner, or one result for nil if a to-one link on the path is nil.
    func mapOwners<Result>(_ object: ObjectBase, _ body: (ObjectBase?) -> Result) -> [Result] {
        let owners = owners(object)
        return owners.isEmpty && areOwnersSingle ? [body(nil)] : owners.map(body)
    }

    /// Returns the values of an owner, without optionals around them.
    func values(_ owner: ObjectBase) -> [Any?] { Self.values(owner, end) }

    private static func values(_ owner: ObjectBase, _ end: End) -> [Any?] {
        switch end {
        case .nested(let end, let steps):
            return values(owner, end).flatMap { (value) -> [Any?] in
                (AnyRealmValue.fromAny(value) ?? .none).values(at: steps[...])
            }
        case .object: return [owner]
        case .value(let property): return [flatten(owner.kivoValue(property))]
        case .elements(let property):
            return (CollectionContents.elements(of: owner.kivoValue(property)) ?? []).map { flatten($0) }
        case .position(let property, let index):
            let elements = CollectionContents.elements(of: owner.kivoValue(property)) ?? []
            let position = index < 0 ? elements.count + index : index
            return [elements.indices.contains(position) ? flatten(elements[position]) : nil]
        case .keys(let property):
            return (owner.kivoValue(property) as? any RealmKeyedCollection).map { Self.keys($0) } ?? []
        case .entry(let property, let key):
            return [(owner.kivoValue(property) as? any RealmKeyedCollection).flatMap { Self.entry($0, key) }]
        }
    }

    private static func keys(_ map: some RealmKeyedCollection) -> [Any?] { map.keys.map(\._mapKey) }

    private static func entry<M: RealmKeyedCollection>(_ map: M, _ key: String) -> Any? {
        flatten(map[M.Key(_mapKey: key)])
    }
}
