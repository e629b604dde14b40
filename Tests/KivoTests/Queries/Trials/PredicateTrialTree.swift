import Foundation
import Kivo

extension Trial {
    /// A step into a value of any type, or into a collection.
    enum Step { case key(String), index(Int), all }

    /// A path from an object over links and collections to values.
    struct Path {
        var hops: [String] = []
        var end: String
        var kind: Kind
        var steps: [Step] = []
        var isCollection = false

        var areOwnersSingle: Bool { hops.allSatisfy { $0 == "link" } }
        /// Whether there is one value, be it nil.
        var isSingle: Bool {
            let isWhole =
                isCollection && !(steps.first.map { if case .all = $0 { false } else { true } } ?? false)
            return areOwnersSingle && !isWhole
                && !steps.contains { if case .all = $0 { true } else { false } }
        }
        var text: String {
            (hops + [end]).joined(separator: ".")
                + steps.map { step in
                    switch step {
                    case .key(let key): "['\(key)']"
                    case .index(let index): index < 0 ? "[LAST]" : "[\(index)]"
                    case .all: "[*]"
                    }
                }.joined()
        }
    }

    indirect enum Operand {
        case path(Path)
        /// A function of a collection of plain values, or of a property of objects.
        case aggregate(Path, String, String?)
        case subquery([String], Tree)
    }

    enum Right { case value(Value), among([Value]), between(Value, Value), operand(Operand) }

    struct Comparison {
        var quantifier = "ANY"
        var left: Operand
        var kind: Kind
        var sign = Sign.equal
        var options = ""
        var right = Right.value(.null)
    }

    indirect enum Tree {
        case comparison(Comparison), and(Tree, Tree), or(Tree, Tree), not(Tree)
    }

    /// All objects, and what conditions say of them.
    struct World {
        var rows: [Int: Row] = [:]

        func holds(_ tree: Tree, _ row: Row) -> Bool {
            switch tree {
            case .and(let a, let b): holds(a, row) && holds(b, row)
            case .or(let a, let b): holds(a, row) || holds(b, row)
            case .not(let a): !holds(a, row)
            case .comparison(let comparison): holds(comparison, row)
            }
        }

        private func holds(_ comparison: Comparison, _ row: Row) -> Bool {
            let (sign, options) = (comparison.sign, comparison.options)
            func given(_ value: Value) -> Value { rounded(value, comparison.kind) }
            func passes(_ value: Value) -> Bool {
                switch comparison.right {
                case .value(let other): return Value.holds(sign, value, given(other), options)
                case .among(let others):
                    return others.contains { Value.holds(.equal, value, given($0), options) }
                case .between(let low, let high):
                    return Value.holds(.greaterOrEqual, value, given(low))
                        && Value.holds(.lessOrEqual, value, given(high))
                case .operand(let operand):
                    return self.values(operand, row).contains { Value.holds(sign, value, $0, options) }
                }
            }
            let found = values(comparison.left, row)
            switch comparison.quantifier {
            case "ALL": return found.allSatisfy(passes)
            case "NONE": return !found.contains(where: passes)
            default: return found.contains(where: passes)
            }
        }

        /// Fractions that floats are compared with are meant as floats.
        private func rounded(_ value: Value, _ kind: Kind) -> Value {
            guard kind == .float, case .finite(_, _, let fraction)? = value.number, fraction != "" else {
                return value
            }
            switch value {
            case .double(let double): return .double(Double(Float(double)))
            case .decimal(let decimal): return .double(Double(Float(decimal.doubleValue)))
            default: return value
            }
        }

        func owners(_ hops: [String], _ row: Row) -> [Row] {
            hops.reduce([row]) { rows, hop in
                rows.flatMap { row in
                    let value = row[hop]!
                    return (value.elements + [value]).compactMap {
                        if case .object(let id) = $0 { self.rows[id] } else { nil }
                    }
                }
            }
        }

        func values(_ operand: Operand, _ row: Row) -> [Value] {
            switch operand {
            case .path(let path):
                let values = owners(path.hops, row).flatMap { self.values($0[path.end]!, path) }
                // A path through a nil link is nil.
                return values.isEmpty && path.isSingle ? [.null] : values
            case .aggregate(let path, let function, let property):
                return owned(path, row).map { owner in
                    let elements = owner?[path.end]!.elements ?? []
                    guard let property else { return result(function, elements, path.kind) }
                    let kind = Trial.scalars.first { $0.name == property }!.kind
                    return result(
                        function, elements.flatMap { owners([], rows[$0.id]!) }.map { $0[property]! }, kind)
                }
            case .subquery(let hops, let tree):
                let path = Path(
                    hops: Array(hops.dropLast()), end: hops.last!, kind: .link, isCollection: true)
                return owned(path, row).map { owner in
                    .int((owner?[path.end]!.elements ?? []).filter { holds(tree, rows[$0.id]!) }.count)
                }
            }
        }

        /// Returns the owners of a collection; if a link on the way is nil, the collection has no owner, and is empty.
        private func owned(_ path: Path, _ row: Row) -> [Row?] {
            let owners = owners(path.hops, row)
            return owners.isEmpty && path.areOwnersSingle ? [nil] : owners
        }

        /// Returns the values to which the steps of a path lead from a property's value.
        private func values(_ value: Value, _ path: Path) -> [Value] {
            // A collection without a step is all of its elements.
            if path.isCollection, path.steps.isEmpty { return value.elements }
            return path.steps.reduce([value]) { values, step in values.flatMap { take(step, $0) } }
        }

        private func take(_ step: Step, _ value: Value) -> [Value] {
            switch (step, value) {
            case (.all, _): return value.elements
            case (.index(let index), .list(let list)):
                let place = index < 0 ? list.count + index : index
                return [list.indices.contains(place) ? list[place] : .null]
            case (.key(let key), .dictionary(let entries)): return [entries[key] ?? .null]
            default: return [.null]
            }
        }

        /// Returns the result of a function, which ignores null and NaN.
        private func result(_ function: String, _ all: [Value], _ kind: Kind) -> Value {
            if function == "count" { return .int(all.count) }
            var values = all.filter { !$0.isNull && !$0.isNaN }
            if kind == .mixed {
                let isExtreme = function == "min" || function == "max"
                values = values.filter {
                    if case .null = $0 { false } else { isExtreme ? !$0.isLink : $0.number != nil }
                }
            }
            switch function {
            case "min": return values.min { Value.compare($0, $1) < 0 } ?? .null
            case "max": return values.max { Value.compare($0, $1) < 0 } ?? .null
            default: break
            }
            if function == "avg", values.isEmpty { return .null }
            switch kind {
            case .integer:
                let sum = values.reduce(Int128(0)) { $0 + Int128($1.int) }
                return function == "sum" ? .int(Int(sum)) : .double(quotient(sum, values.count))
            case .decimal, .mixed:
                let sum = values.reduce(Decimal128(0)) { $0 + $1.decimal }
                return .decimal(function == "sum" ? sum : sum / Decimal128(values.count))
            default:
                let sum = values.reduce(0.0) { $0 + $1.double }
                return .double(function == "sum" ? sum : sum / Double(values.count))
            }
        }

        /// The double that is nearest to a quotient, of three that are near: by how far their products are from the sum. Of two
        /// that are as near, the one whose last bit is 0.
        private func quotient(_ sum: Int128, _ count: Int) -> Double {
            let near = Double(sum) / Double(count)
            if sum.magnitude < 1 << 53 { return near }
            let scale = Int128(1 << 20)
            func error(_ double: Double) -> Int128.Magnitude {
                (Int128(double * Double(scale)) * Int128(count) - sum * scale).magnitude
            }
            return [near, near.nextDown, near.nextUp].min {
                (error($0), $0.significandBitPattern & 1) < (error($1), $1.significandBitPattern & 1)
            }!
        }
    }
}

extension Trial.Value {
    var id: Int { if case .object(let id) = self { id } else { -1 } }
    var isLink: Bool {
        switch self {
        case .object, .list, .dictionary: true
        default: false
        }
    }
    fileprivate var int: Int { if case .int(let value) = self { value } else { 0 } }
    fileprivate var double: Double { if case .double(let value) = self { value } else { 0 } }
    fileprivate var decimal: Decimal128 {
        switch self {
        case .int(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        default: 0
        }
    }
}
