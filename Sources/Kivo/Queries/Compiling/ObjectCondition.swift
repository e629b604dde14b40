import KivoEngine

/// A condition for unmanaged objects. It is evaluated value by value, by the same rules as predicates on rows. Traps with a
/// message if the condition is invalid for the class.
struct ObjectCondition {
    /// A closure that returns whether an object of the class satisfies the condition.
    let holds: (ObjectBase) -> Bool

    /// Creates a condition on objects of a class.
    init(_ node: QueryNode, _ type: ObjectBase.Type) {
        holds = Compiler(type: type, numbers: ObjectNumbers()).test(node)
    }

    private struct Operand {
        /// A closure that returns the values of an object. After a to-one link that is nil, a value is nil and a collection is
        /// empty.
        var cells: (ObjectBase) -> [Cell]
        var type: QueryValueType
        /// Whether there is at most one value.
        var isSingle: Bool

        /// Returns the values for comparison with other values of the object: a nil link becomes nil, like any other value.
        func compared(_ object: ObjectBase) -> [Cell] {
            cells(object).map { $0 == .link(0) ? .null : $0 }
        }
    }

    private struct Compiler {
        let type: ObjectBase.Type
        let numbers: ObjectNumbers

        func test(_ node: QueryNode) -> (ObjectBase) -> Bool {
            switch node {
            case .constant(let value): return { _ in value }
            case .and(let a, let b):
                let (a, b) = (test(a), test(b))
                return { a($0) && b($0) }
            case .or(let a, let b):
                let (a, b) = (test(a), test(b))
                return { a($0) || b($0) }
            case .not(let a):
                let a = test(a)
                return { !a($0) }
            case .comparison(let comparison): return test(comparison)
            }
        }

        private func test(_ comparison: QueryComparison) -> (ObjectBase) -> Bool {
            let quantifier = comparison.quantifier
            if let (place, area) = comparison.area {
                let within = location(place, area)
                return { quantifier.holds(within($0)) { QueryComparison.isWithin.holds($0) } }
            }
            if let (typed, test) = comparison.typeTest {
                let way = ObjectWay(typed.components, from: type)
                typed.checkIsAny(way.type(numbers))
                return { object in
                    let values = way.values(of: object)
                    return quantifier.holds(values) {
                        test.holds(AnyTypeName(AnyRealmValue.fromAny($0) ?? .none))
                    }
                }
            }
            switch (comparison.left, comparison.right) {
            case (.value, .path) where comparison.operator == .isIn:
                var turned = comparison
                (turned.left, turned.operator, turned.right) = (comparison.right, .equal, comparison.left)
                return test(turned)
            case (_, .value(let value)):
                let operand = operand(
                    comparison.left, sumsAreDecimals: QueryComparison.needsDecimalSums(value))
                let test = comparison.test(operand.type, value)
                return { quantifier.holds(operand.cells($0)) { test.holds($0) } }
            default:
                let left = operand(comparison.left, sumsAreDecimals: true)
                let right = operand(comparison.right, sumsAreDecimals: true)
                let relation = comparison.relation(left.type, right.type)
                return { object in
                    let others = right.compared(object)
                    return quantifier.holds(left.compared(object)) { cell in
                        others.contains { relation.holds(cell, $0) }
                    }
                }
            }
        }

        private func operand(_ operand: QueryOperand, sumsAreDecimals: Bool = false) -> Operand {
            switch operand {
            case .value: trap("A comparison has a property on its left, and a value on its right.")
            case .arithmetic(let left, let sign, let right):
                let ((a, first), (b, second)) = (number(left, sign), number(right, sign))
                let arithmetic = QueryArithmetic(sign, first, second)
                return Operand(
                    cells: { object in
                        let others = b.cells(object)
                        return a.cells(object).flatMap { x in others.map { arithmetic.apply(x, $0) } }
                    }, type: .scalar(arithmetic.result), isSingle: a.isSingle && b.isSingle)
            case .subquery(let path, let node):
                let way = collection(path)
                guard let target = way.target else {
                    trap("A subquery goes over objects, and '\(path.text)' is a collection of plain values.")
                }
                let test = Compiler(type: target, numbers: numbers).test(node)
                return Operand(
                    cells: { object in
                        way.mapOwners(object) { owner in
                            let found = (owner.map { way.values($0) } ?? []).filter {
                                ($0 as? ObjectBase).map(test) ?? false
                            }
                            return .word(UInt64(found.count))
                        }
                    }, type: .scalar(.int), isSingle: way.areOwnersSingle)
            case .path(let path):
                if let (function, components) = path.aggregate {
                    return aggregate(function, components, path, sumsAreDecimals)
                }
                let way = ObjectWay(path.components, from: type)
                let type = way.type(numbers)
                return Operand(
                    cells: { object in
                        way.values(of: object).map { type.cell(ofHeld: $0) }
                    }, type: type, isSingle: way.isSingle)
            }
        }

        private func number(
            _ operand: QueryOperand, _ sign: ArithmeticOperator
        ) -> (Operand, ScalarType) {
            if case .value(let value) = operand {
                let (type, cell) = sign.number(value)
                return (Operand(cells: { _ in [cell] }, type: .scalar(type), isSingle: true), type)
            }
            let compiled = self.operand(operand)
            return (compiled, sign.numbers(compiled.type))
        }

        /// Returns a closure with a Boolean for each location to which a path leads: whether it is in an area.
        private func location(_ place: QueryPath, _ area: GeoArea) -> (ObjectBase) -> [Cell] {
            let way = ObjectWay(place.components, from: type)
            guard place.aggregate == nil, let target = way.target else {
                trap("'\(place.text)' leads to no location: GEOWITHIN needs a path to objects.")
            }
            GeoLocation.check(Registry.info(target), place)
            let (numbers, kind) = (
                ObjectWay([.property(GeoLocation.coordinates)], from: target),
                ObjectWay([.property(GeoLocation.type)], from: target)
            )
            return { object in
                let locations = way.owners(object).flatMap { way.values($0) }.compactMap { $0 as? ObjectBase }
                return locations.map { location in
                    let coordinates = numbers.values(location).compactMap { $0 as? Double }
                    guard coordinates.count >= 2, let kind = kind.values(location).first as? String,
                        GeoLocation.isPoint(kind)
                    else { return false.cell }
                    return area.contains(latitude: coordinates[1], longitude: coordinates[0]).cell
                }
            }
        }

        private func collection(_ path: QueryPath) -> ObjectWay {
            let way = ObjectWay(path.components, from: type)
            if !way.isCollection {
                trap("'\(path.text)' is no collection, so there is nothing to count or to add up.")
            }
            return way
        }

        /// Returns the size of lists and dictionaries inside values of any type; returns nil if a path does not lead to such
        /// values.
        private func size(_ path: QueryPath) -> Operand? {
            let way = ObjectWay(path.components, from: type)
            guard way.isNested || !way.isCollection, way.type(numbers).isAny else { return nil }
            return Operand(
                cells: { object in
                    way.values(of: object).flatMap { value in
                        (AnyRealmValue.fromAny(value) ?? .none).values(at: [.size]).map {
                            $0.plainCell ?? .null
                        }
                    }
                }, type: .scalar(.any), isSingle: way.areOwnersSingle)
        }

        private func aggregate(
            _ function: QueryPath.Function, _ components: [QueryPath.Component], _ path: QueryPath,
            _ sumsAreDecimals: Bool
        ) -> Operand {
            if function == .count, let size = size(path) { return size }
            let way = collection(path)
            if function == .count {
                return Operand(
                    cells: { object in
                        way.mapOwners(object) { .word(UInt64($0.map { way.values($0).count } ?? 0)) }
                    },
                    type: .scalar(.int), isSingle: way.areOwnersSingle)
            }
            var type = way.type(numbers)
            var value = { (element: Any?) -> Cell in type.cell(ofHeld: element) }
            if let target = way.target {
                if components.isEmpty {
                    trap(
                        "'@\(function.rawValue)' of the objects in '\(path.text)' needs a property of theirs."
                    )
                }
                let inner = Compiler(type: target, numbers: numbers).operand(
                    .path(QueryPath(components: components)))
                guard inner.isSingle else {
                    trap("'@\(function.rawValue)' in '\(path.text)' goes over one collection only.")
                }
                type = inner.type
                value = { ($0 as? ObjectBase).flatMap { inner.cells($0).first } ?? .null }
            }
            let (scalar, arithmetic, result) = function.types(type, path, sumsAreDecimals)
            return Operand(
                cells: { object in
                    way.mapOwners(object) { owner in
                        var fold = AggregateFold(function.engine, scalar.order, arithmetic)
                        for element in owner.map({ way.values($0) }) ?? [] { fold.add(value(element)) }
                        return fold.result
                    }
                }, type: result, isSingle: way.areOwnersSingle)
        }
    }
}

extension QueryComparison.Quantifier {
    /// Whether as many values pass a test as the quantifier requires.
    fileprivate func holds<Value>(_ cells: [Value], _ test: (Value) -> Bool) -> Bool {
        switch self {
        case .any: cells.contains(where: test)
        case .all: cells.allSatisfy(test)
        case .none: !cells.contains(where: test)
        }
    }
}
