import Foundation
import Kivo

extension Trial {
    /// Makes random values and conditions.
    struct Generator {
        var random: RandomSource
        /// The objects that there are.
        var ids: [Int] = []

        private mutating func pick<T>(_ values: [T]) -> T { values[random.below(values.count)] }

        private static let large = 1 << 53
        private static let ints = [0, 1, -1, 2, 3, 7, large - 1, large, large + 1, large + 2, -large - 1]
        private static let doubles = [
            0, -0.0, 0.5, 0.1, 1, 2.5, -1.5, 3, 16_777_217, 0x1p53, 0x1p53 + 2, -0x1p53, 0x1p63, 1e300, .nan,
            .infinity,
            -.infinity, .leastNonzeroMagnitude,
        ]
        private static let decimals: [Decimal128] = [
            0, 1, 2, 3, Decimal128(large + 1), Decimal128(large), .nan, .infinity, -.infinity, .max,
            try! Decimal128(string: "0.1"), try! Decimal128(string: "2.50"), try! Decimal128(string: "-1.5"),
            try! Decimal128(string: "1E-6000"), try! Decimal128(string: "9007199254740993.5"),
        ]
        private static let words = [
            "", "a", "A", "b", "ab", "é", "É", "ß", "ss", "straße", "a long text of many bytes", "x*",
        ]
        private static let patterns = [
            "*", "?", "??", "a*", "*b", "?*", "stra?e", "*s", "s?", "*?s*", "x\\*", "",
        ]

        mutating func value(_ kind: Kind, depth: Int = 2, isExtreme: Bool = true) -> Value {
            switch kind {
            case .integer: return .int(isExtreme && random.chance(5) ? pick([.max, .min]) : pick(Self.ints))
            case .float, .double: return .double(pick(Self.doubles))
            case .decimal: return .decimal(pick(Self.decimals))
            case .text: return .text(pick(Self.words))
            case .data:
                return .data(
                    pick([[], [1], [1, 2], [255], Array("a".utf8), Array("Ab".utf8)].map { Data($0) }))
            case .flag: return .bool(random.chance(50))
            case .date: return .date(Date(timeIntervalSinceReferenceDate: pick([0, 1.5, -3])))
            case .uuid:
                return .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5\(random.below(3))")!)
            case .objectId:
                return .objectId(try! ObjectId(string: "507f1f77bcf86cd79943901\(random.below(3))"))
            case .link: return ids.isEmpty || random.chance(30) ? .null : .object(pick(ids))
            case .mixed:
                if depth > 0, random.chance(30) {
                    let values = (0..<random.below(4)).map { _ in value(.mixed, depth: depth - 1) }
                    if random.chance(50) { return .list(values) }
                    return .dictionary(Dictionary(uniqueKeysWithValues: zip(["a", "b", "c"], values)))
                }
                if random.chance(10) { return .null }
                return value(
                    pick([
                        .integer, .integer, .double, .decimal, .text, .data, .flag, .date, .uuid, .objectId,
                        .link,
                    ]))
            }
        }

        /// Numbers of all types are compared with each other, and any values with all.
        private mutating func constant(_ kind: Kind) -> Value {
            if random.chance(12), kind != .flag { return .null }
            switch kind {
            case .integer, .float, .double, .decimal: return value(pick([.integer, .double, .decimal]))
            case .mixed: return value(.mixed, depth: 0)
            default: return value(kind)
            }
        }

        private mutating func hops() -> [String] {
            var hops: [String] = []
            while hops.count < 2, random.chance(35) {
                hops.append(pick(["link", "link", "things", "linkedBy"]))
            }
            return hops
        }

        private mutating func path() -> Path {
            if random.chance(25) {
                let (name, kind) = pick(Trial.collections)
                var path = Path(hops: hops(), end: name, kind: kind, isCollection: true)
                if name == "texts" || name == "mixedMap", random.chance(50) {
                    path.steps = [.key(pick(["a", "b", "c"]))]
                }
                if name == "mixeds", random.chance(70) {
                    path.steps = [pick([.index(0), .index(1), .index(-1), .all])]
                }
                if name == "mixedMap", path.steps.isEmpty, random.chance(50) { path.steps = [.all] }
                if kind == .mixed, !path.steps.isEmpty { path.steps += steps() }
                return path
            }
            let (name, kind) = pick(Trial.scalars)
            return Path(hops: hops(), end: name, kind: kind, steps: kind == .mixed ? steps() : [])
        }

        private mutating func steps() -> [Step] {
            var steps: [Step] = []
            while steps.count < 2, random.chance(40) {
                steps.append(pick([.key("a"), .key("b"), .index(0), .index(-1), .all]))
            }
            return steps
        }

        mutating func tree(_ depth: Int) -> Tree {
            if depth > 0, random.chance(50) {
                switch random.below(3) {
                case 0: return .and(tree(depth - 1), tree(depth - 1))
                case 1: return .or(tree(depth - 1), tree(depth - 1))
                default: return .not(tree(depth - 1))
                }
            }
            return .comparison(comparison(depth))
        }

        private mutating func comparison(_ depth: Int) -> Comparison {
            switch random.below(10) {
            case 0, 1:
                let (operand, kind) = aggregate()
                var comparison = Comparison(left: operand, kind: kind)
                fill(&comparison)
                return comparison
            case 2 where depth > 0:
                var hops = hops()
                hops.append(pick(["things", "linkedBy"]))
                var comparison = Comparison(left: .subquery(hops, tree(depth - 1)), kind: .integer)
                (comparison.sign, comparison.right) = (pick(Sign.order), .value(.int(random.below(3))))
                return comparison
            default: break
            }
            let path = path()
            var comparison = Comparison(left: .path(path), kind: path.kind)
            if !path.isSingle, random.chance(35) { comparison.quantifier = pick(["ALL", "NONE"]) }
            if random.chance(20), pair(&comparison) { return comparison }
            fill(&comparison)
            return comparison
        }

        private mutating func aggregate() -> (Operand, Kind) {
            let function = pick(["count", "min", "max", "sum", "avg"])
            if random.chance(40) {
                let property = pick(["small", "double", "optDouble", "optDecimal"])
                let path = Path(
                    hops: hops(), end: pick(["things", "linkedBy"]), kind: .link, isCollection: true)
                let kind = Trial.scalars.first { $0.name == property }!.kind
                if function == "count" { return (.aggregate(path, function, nil), .integer) }
                return (
                    .aggregate(path, function, property),
                    kind == .integer && function == "avg" ? .double : kind
                )
            }
            let (name, kind) = pick(Trial.collections.filter { $0.kind != .text })
            let path = Path(hops: hops(), end: name, kind: kind, isCollection: true)
            let isDouble = kind == .integer && function == "avg"
            return (
                .aggregate(path, function, nil), function == "count" ? .integer : isDouble ? .double : kind
            )
        }

        private mutating func fill(_ comparison: inout Comparison) {
            let kind = comparison.kind
            let hasOrder = kind != .link && kind != .flag
            if kind == .text || kind == .mixed || kind == .data, random.chance(35) {
                comparison.sign = pick([.begins, .ends, .contains, .like])
                let text = pick(comparison.sign == .like ? Self.patterns : Self.words)
                let isData = kind == .data || kind == .mixed && random.chance(20)
                comparison.right = .value(isData ? .data(Data(text.utf8)) : .text(text))
                if random.chance(60) { comparison.options = pick(["c", "d", "cd"]) }
                return
            }
            if kind == .text || kind == .data, random.chance(30) {
                comparison.options = pick(["c", "d", "cd"])
            }
            switch random.below(6) {
            case 0:
                comparison.right = .among((0..<random.below(4)).map { _ in constant(kind) })
            case 1 where hasOrder:
                comparison.options = ""
                let (low, high) = (constant(kind), constant(kind))
                comparison.right = .between(low, high)
            default:
                comparison.sign = hasOrder ? pick(Sign.order) : pick([.equal, .notEqual])
                comparison.right = .value(constant(kind))
            }
        }

        /// Makes it a comparison with another value of the object, if one of the kind is found.
        private mutating func pair(_ comparison: inout Comparison) -> Bool {
            let numbers: [Kind] = [.integer, .float, .double, .decimal]
            for _ in 0..<8 {
                let other = path()
                let (a, b) = (comparison.kind, other.kind)
                // Lists and dictionaries equal themselves alone, which their contents do not show.
                guard
                    a == b && a != .mixed || numbers.contains(a) && numbers.contains(b)
                        || a == .mixed && ![.mixed, .link, .flag].contains(b),
                    a != .flag
                else { continue }
                comparison.right = .operand(.path(other))
                comparison.sign = a == .link ? pick([.equal, .notEqual]) : pick(Sign.order)
                return true
            }
            return false
        }
    }
}
