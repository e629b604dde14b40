import KivoEngine

/// Objects of a class that may be unmanaged, in an unmanaged collection. Their values are read one by one.
struct ObjectScope: ClassScope {
    typealias Path = ObjectPath

    let type: ObjectBase.Type
    private let identities: ObjectIdentities

    init(_ type: ObjectBase.Type) { self.init(type, ObjectIdentities()) }

    fileprivate init(_ type: ObjectBase.Type, _ identities: ObjectIdentities) {
        (self.type, self.identities) = (type, identities)
    }

    var info: ClassInfo { Registry.info(type) }
    var consequence: String { "" }
    fileprivate var valueType: QueryValueType { .instance(type, identities) }

    func isOne(of values: [AnyRealmValue], at path: ObjectPath) -> ObjectOperand {
        path.operand { held in
            let held = AnyRealmValue.fromAny(held) ?? .none
            return values.contains { $0.isEqualInConditions(to: held) }.cell
        }
    }

    fileprivate func target(of property: PropertyInfo) -> ObjectScope? {
        property.type.target.map { ObjectScope($0, identities) }
    }
}

/// A path from objects in memory; see ``ResolvedPath``.
struct ObjectPath: ClassPath {
    typealias Elements = ObjectScope
    typealias Operand = ObjectOperand

    private(set) var elements: ObjectScope?
    private(set) var isCollection = false
    /// Whether the path leads from the objects to themselves.
    private var isStart = true
    /// A closure that returns the objects that have the property at the end of the path.
    private var owners: (ObjectBase) -> [ObjectBase] = { [$0] }
    private var areOwnersSingle = true
    /// A closure that returns the values of an owner, without optionals around them.
    private var read: (ObjectBase) -> [Any?] = { [$0] }
    private var isValueSingle = true
    /// The type of plain values at the end.
    private var scalar = ScalarType.string

    init(from scope: ObjectScope) { elements = scope }

    mutating func append(_ step: PathStep, of scope: ObjectScope) {
        let property = step.property
        follow()
        elements = step.part == .keys ? nil : scope.target(of: property)
        scalar = step.part == .keys ? .string : property.type.scalar ?? .string
        (isCollection, isValueSingle) = (false, true)
        switch (property.type.collection, step.part) {
        case (.none, _): read = { [Self.stored($0.kivoValue(property), property)] }
        case (_, .keys):
            read = { ($0.kivoValue(property) as? any RealmKeyedCollection).map { Self.keys($0) } ?? [] }
            (isCollection, isValueSingle) = (true, false)
        case (_, .entry(let key)):
            read = { owner in
                [
                    (owner.kivoValue(property) as? any RealmKeyedCollection).flatMap {
                        Self.entry($0, key, property)
                    }
                ]
            }
        case (_, .all):
            read = { Self.elements(of: $0, property) }
            (isCollection, isValueSingle) = (true, false)
        }
        append(step.anySteps, to: property, isWhole: step.isWhole)
    }

    /// Makes the objects at the end the owners of the next property.
    private mutating func follow() {
        guard !isStart else { return isStart = false }
        owners = { [owners, read] in owners($0).flatMap(read).compactMap { $0 as? ObjectBase } }
        areOwnersSingle = isSingle
    }

    /// Appends steps into values of any type. If they start at a whole collection, the first selects from its elements.
    private mutating func append(_ steps: [AnyStep], to property: PropertyInfo, isWhole: Bool) {
        var steps = steps[...]
        guard let first = steps.first else { return }
        isCollection = false
        switch first {
        case .index(let index) where isWhole:
            read = { owner in
                let elements = Self.elements(of: owner, property)
                let position = index < 0 ? elements.count + index : index
                return [elements.indices.contains(position) ? elements[position] : nil]
            }
            isValueSingle = true
            steps.removeFirst()
        case .all where isWhole: steps.removeFirst()
        default: break
        }
        if steps.contains(.all) { isValueSingle = false }
        read = { [steps, read] owner in
            read(owner).flatMap { value -> [Any?] in
                (AnyRealmValue.fromAny(value) ?? .none).values(at: steps)
            }
        }
    }

    private static func elements(of owner: ObjectBase, _ property: PropertyInfo) -> [Any?] {
        (CollectionContents.elements(of: owner.kivoValue(property)) ?? []).map { stored($0, property) }
    }

    private static func keys(_ map: some RealmKeyedCollection) -> [Any?] { map.keys.map(\._mapKey) }

    private static func entry<M: RealmKeyedCollection>(
        _ map: M, _ key: String, _ property: PropertyInfo
    ) -> Any? {
        stored(map[M.Key(_mapKey: key)], property)
    }

    /// Returns a property's value without optionals around it; for a mapped type that is stored as an object, that object.
    private static func stored(_ value: Any?, _ property: PropertyInfo) -> Any? {
        let value = flatten(value)
        return property.type.isMapped && property.isLinking ? value.map(persisted) : value
    }
}

// MARK: Operands

extension ObjectPath {
    var type: QueryValueType { elements?.valueType ?? .scalar(scalar) }
    var isSingle: Bool { areOwnersSingle && isValueSingle }

    var values: ObjectOperand {
        let type = type
        return operand { type.cell(ofHeld: $0) }
    }

    var types: ObjectOperand { operand { AnyTypeName(AnyRealmValue.fromAny($0) ?? .none).cell } }

    var sizes: ObjectOperand {
        operand { value in
            (AnyRealmValue.fromAny(value) ?? .none).values(at: [.size]).first?.plainCell ?? .null
        }
    }

    func count(where predicate: Predicate<ObjectOperand>) -> ObjectOperand {
        operandOfOwners { owner in
            let count = owner.map(read)?.count { ($0 as? ObjectBase).map(predicate.holds) ?? false }
            return .word(UInt64(count ?? 0))
        }
    }

    func aggregate(
        _ function: Aggregate.Function, of value: ObjectPath?, _ order: CellOrder,
        _ arithmetic: Aggregate.Arithmetic
    ) -> ObjectOperand {
        if function == .count {
            return operandOfOwners { .word(UInt64($0.map(read)?.count ?? 0)) }
        }
        let (type, inner) = (type, value?.values)
        return operandOfOwners { owner in
            var fold = AggregateFold(function, order, arithmetic)
            for element in owner.map(read) ?? [] {
                guard let inner else {
                    fold.add(type.cell(ofHeld: element))
                    continue
                }
                fold.add((element as? ObjectBase).flatMap { inner.cells($0).first } ?? .null)
            }
            return fold.result
        }
    }

    static func derived(
        _ paths: [ObjectPath], _ rule: @escaping @Sendable ([[Cell]]) -> Cell
    ) -> ObjectOperand {
        paths[0].operandOfOwners { owner in
            guard let owner else { return .null }
            return rule(paths.map { path in path.read(owner).map { path.type.cell(ofHeld: $0) } })
        }
    }

    /// Returns the operand with a cell for each value. If a to-one link on the path is nil, the only value is nil.
    fileprivate func operand(_ cell: @escaping (Any?) -> Cell) -> ObjectOperand {
        ObjectOperand { [owners, read, isSingle] object in
            let values = owners(object).flatMap(read)
            return values.isEmpty && isSingle ? [cell(nil)] : values.map(cell)
        }
    }

    /// Returns the operand with a cell for each owner, or one cell for nil if a to-one link on the path is nil.
    private func operandOfOwners(_ cell: @escaping (ObjectBase?) -> Cell) -> ObjectOperand {
        ObjectOperand { [owners, areOwnersSingle] object in
            let owners = owners(object)
            return owners.isEmpty && areOwnersSingle ? [cell(nil)] : owners.map(cell)
        }
    }
}

/// An operand of a condition on objects in memory.
struct ObjectOperand: QueryScopeOperand {
    /// A closure that returns the values of an object. After a to-one link that is nil, a value is nil and a collection is empty.
    fileprivate let cells: (ObjectBase) -> [Cell]

    fileprivate init(_ cells: @escaping (ObjectBase) -> [Cell]) { self.cells = cells }

    static func constant(_ cell: Cell) -> ObjectOperand { ObjectOperand { _ in [cell] } }

    static func computed(
        _ left: ObjectOperand, _ right: ObjectOperand, _ rule: @escaping @Sendable (Cell, Cell) -> Cell
    ) -> ObjectOperand {
        ObjectOperand { object in
            let others = right.cells(object)
            return left.cells(object).flatMap { cell in others.map { rule(cell, $0) } }
        }
    }
}

extension Predicate<ObjectOperand> {
    private struct Subject: PredicateSubject {
        let object: ObjectBase

        func forEachValue(of operand: ObjectOperand, _ body: (Cell) -> Bool) -> Bool {
            operand.cells(object).allSatisfy(body)
        }
    }

    /// Returns whether an object satisfies the predicate.
    func holds(_ object: ObjectBase) -> Bool { holds(for: Subject(object: object)) }
}
