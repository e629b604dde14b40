import Foundation

extension QueryFuzz {
    /// A way from objects of a class over links and collections to values.
    struct Path: Sendable {
        enum End: Sendable {
            case property(Int)
            /// The value of a map for a key.
            case entry(Int, String)
            /// The object itself.
            case this
        }

        var root: Class
        var hops: [Int] = []
        var end: End

        /// The class whose property is at the end.
        var owner: Class {
            hops.reduce(root) { QueryFuzz.properties($0)[$1].shape.target! }
        }

        var property: Property? {
            switch end {
            case .property(let index), .entry(let index, _): QueryFuzz.properties(owner)[index]
            case .this: nil
            }
        }

        /// Whether its last hop leads to several objects.
        var isOwnerMany: Bool {
            var type = root
            for hop in hops {
                let shape = QueryFuzz.properties(type)[hop].shape
                guard case .link(let target) = shape else { return true }
                type = target
            }
            return false
        }

        /// Whether it leads to several values.
        var isMany: Bool {
            if isOwnerMany { return true }
            guard case .property(let index) = end else { return false }
            switch QueryFuzz.properties(owner)[index].shape {
            case .objects, .numbers, .map: return true
            default: return false
            }
        }

        /// Names of the properties, with dots.
        var names: [String] {
            var (names, type): ([String], Class) = ([], root)
            for hop in hops {
                names.append(QueryFuzz.properties(type)[hop].name)
                type = QueryFuzz.properties(type)[hop].shape.target!
            }
            if let property { names.append(property.name) }
            return names
        }
    }

    enum Function: String, Sendable { case count, min, max, sum, avg }

    /// An operand of a comparison.
    indirect enum Operand: Sendable {
        case path(Path)
        /// A function of the collection at the end of a path, and of the values that another path leads to
        /// from its
        /// elements.
        case aggregate(Path, Function, Path?)
        /// The number of elements of the collection at the end of a path for which a condition holds.
        case subquery(Path, Tree)
        /// Arithmetic on numbers, all but one of which can be constants.
        case computed(Operand, Arithmetic, Operand)
        case constant(Value)
    }

    enum Quantifier: String, Sendable { case any = "ANY", all = "ALL", none = "NONE" }

    enum Right: Sendable {
        case value(Value)
        case among([Value])
        case between(Value, Value)
        case operand(Operand)
    }

    struct Comparison: Sendable {
        var quantifier = Quantifier.any
        var left: Operand
        var sign: Sign
        /// `c`, `d`, both or none.
        var options = ""
        var right: Right
    }

    /// A condition on objects of a class.
    indirect enum Tree: Sendable {
        case constant(Bool)
        case and(Tree, Tree)
        case or(Tree, Tree)
        case not(Tree)
        case comparison(Comparison)
    }
}

extension QueryFuzz.World {
    typealias Row = QueryFuzz.Row
    typealias Value = QueryFuzz.Value

    func holds(_ tree: QueryFuzz.Tree, _ row: Row) -> Bool {
        switch tree {
        case .constant(let value): value
        case .and(let a, let b): holds(a, row) && holds(b, row)
        case .or(let a, let b): holds(a, row) || holds(b, row)
        case .not(let a): !holds(a, row)
        case .comparison(let comparison): holds(comparison, row)
        }
    }

    private func holds(_ comparison: QueryFuzz.Comparison, _ row: Row) -> Bool {
        let values = values(comparison.left, row)
        let passes = { (value: Value) -> Bool in
            switch comparison.right {
            case .value(let other): return Value.holds(comparison.sign, value, other, comparison.options)
            case .among(let others):
                return others.contains { Value.holds(.equal, value, $0, comparison.options) }
            case .between(let low, let high):
                return Value.holds(.greaterOrEqual, value, low, comparison.options)
                    && Value.holds(.lessOrEqual, value, high, comparison.options)
            case .operand(let operand):
                return self.values(operand, row).contains {
                    Value.holds(comparison.sign, value, $0, comparison.options)
                }
            }
        }
        switch comparison.quantifier {
        case .any: return values.contains(where: passes)
        case .all: return values.allSatisfy(passes)
        case .none: return !values.contains(where: passes)
        }
    }

    private func values(_ operand: QueryFuzz.Operand, _ row: Row) -> [Value] {
        switch operand {
        case .path(let path):
            // A path through a nil link is nil.
            let values = values(path, row)
            return values.isEmpty && !path.isMany ? [.null] : values
        case .constant(let value): return [value]
        case .computed(let left, let sign, let right):
            let others = values(right, row)
            return values(left, row).flatMap { value in others.map { sign.result(value, $0) } }
        case .aggregate(let path, let function, let value):
            return ownersOrNone(path, row).map { owner in
                guard case .property(let index) = path.end else { return .null }
                let held = owner.map { cells($0, index) } ?? []
                if function == .count {
                    return .int(path.property?.shape == .map ? held.count / 2 : held.count)
                }
                guard let value else { return result(function, elements(path.property!, held)) }
                let targets = owner.map { self.targets($0, index) } ?? []
                let result = result(function, targets.flatMap { values(value, $0) })
                // The sum of no fractions is one as well.
                return result == .int(0) && value.property?.shape == .double ? .double(0) : result
            }
        case .subquery(let path, let tree):
            guard case .property(let index) = path.end else { return [] }
            return ownersOrNone(path, row).map { owner in
                .int((owner.map { self.targets($0, index) } ?? []).filter { holds(tree, $0) }.count)
            }
        }
    }

    /// Returns the owners of a collection; behind a nil link the collection has no owner, and is empty.
    private func ownersOrNone(_ path: QueryFuzz.Path, _ row: Row) -> [Row?] {
        let owners = owners(path, row)
        return owners.isEmpty && !path.isOwnerMany ? [nil] : owners
    }

    func owners(_ path: QueryFuzz.Path, _ row: Row) -> [Row] {
        var rows = [row]
        for hop in path.hops { rows = rows.flatMap { targets($0, hop) } }
        return rows
    }

    private func elements(_ property: QueryFuzz.Property, _ cells: [Value]) -> [Value] {
        if property.shape != .map { return cells }
        return cells.filter { if case .int = $0 { true } else { false } }
    }

    /// The values that a path leads to: none where a link on the way is nil.
    func values(_ path: QueryFuzz.Path, _ row: Row) -> [Value] {
        owners(path, row).flatMap { owner -> [Value] in
            switch path.end {
            case .this: return [.object(owner.id)]
            case .property(let index): return elements(path.property!, cells(owner, index))
            case .entry(let index, let key):
                let cells = cells(owner, index)
                guard let place = cells.firstIndex(of: .text(key)) else { return [.null] }
                return [cells[place + 1]]
            }
        }
    }

    func result(_ function: QueryFuzz.Function, _ values: [Value]) -> Value {
        let values = values.filter { $0 != .null && $0.number?.isNaN != true }
        let numbers = values.map { $0.number! }
        let isInt = values.allSatisfy { if case .int = $0 { true } else { false } }
        switch function {
        case .count: return .int(values.count)
        case .min: return values.min { Value.compare($0, $1) < 0 } ?? .null
        case .max: return values.max { Value.compare($0, $1) < 0 } ?? .null
        case .sum: return isInt ? .int(values.reduce(0) { $0 + $1.int! }) : .double(numbers.reduce(0, +))
        case .avg:
            return values.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(values.count))
        }
    }
}
