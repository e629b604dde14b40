import Foundation

extension QueryFuzz {
    /// Makes random values, paths and conditions.
    struct Generator {
        var random: RandomSource
        /// The objects that there are, for conditions to name.
        var known: [Class: [Int]] = [:]

        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[random.below(elements.count)]
        }

        static let words = [
            "", "a", "A", "b", "ab", "É", "é", "e", "Zoe", "zoë", "x*", "a longer text than fifteen bytes",
            "A LONGER text than fifteen bytes", "日本語のとても長いテキスト", "straße", "STRASSE",
        ]
        static let expressions = [
            "a.*", ".*[eéÉ]", "(a|A)?b", "[^a]*", "", ".", "x\\*", "(?:zo)+[ëe]", ".{2,3}", "日.*スト",
            "a|.*bytes",
        ]
        static let patterns = ["a*", "*b", "?", "*", "", "*é*", "?*?", "*LONGER*than*", "x\\*", "*e", "??"]

        mutating func value(_ shape: Shape) -> Value {
            switch shape {
            case .int: return .int(random.below(6) - 1)
            case .double:
                if random.chance(4) { return .double(.nan) }
                return .double(pick([0, -0.0, 0.5, 1, 2.25, -1.5, 3]))
            case .text: return .text(pick(Generator.words))
            case .bool: return .bool(random.chance(50))
            case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(random.below(5)) * 1.5))
            default: return .null
            }
        }

        mutating func value(_ property: Property) -> Value {
            property.isOptional && random.chance(25) ? .null : value(property.shape)
        }

        /// An object that links can lead to, or one that is gone.
        private mutating func object(_ type: Class) -> Value {
            guard let ids = known[type], !ids.isEmpty, random.chance(92) else {
                return .object(type.rawValue)
            }
            return .object(pick(ids))
        }

        // MARK: Paths

        /// The properties of a class that satisfy a condition.
        private func candidates(_ type: Class, _ isWanted: (Property) -> Bool) -> [Int] {
            let properties = QueryFuzz.properties(type)
            return properties.indices.filter { isWanted(properties[$0]) }
        }

        private mutating func hops(_ type: Class, _ isSingle: Bool, _ limit: Int) -> ([Int], Class) {
            var (hops, type): ([Int], Class) = ([], type)
            while hops.count < limit, random.chance(40) {
                let found = candidates(type) { property in
                    if case .link = property.shape { return true }
                    return !isSingle && property.shape.target != nil
                }
                hops.append(pick(found))
                type = QueryFuzz.properties(type)[hops.last!].shape.target!
            }
            return (hops, type)
        }

        /// A path over links to one value, to sort or to group by.
        mutating func singlePath(_ root: Class, isGrouping: Bool) -> Path {
            let (hops, type) = hops(root, true, 2)
            let ends = candidates(type) { property in
                if property.shape.isScalar { return true }
                if case .link = property.shape {
                    return isGrouping
                }
                return false
            }
            return Path(root: root, hops: hops, end: .property(pick(ends)))
        }

        mutating func path(_ root: Class) -> Path {
            let (hops, type) = hops(root, false, 2)
            if random.chance(3) { return Path(root: root, end: .this) }
            if type == .thing, random.chance(5) {
                let entry = Path.End.entry(QueryFuzz.index("map", .thing), pick(["a", "b", "c"]))
                return Path(root: root, hops: hops, end: entry)
            }
            return Path(
                root: root, hops: hops, end: .property(random.below(QueryFuzz.properties(type).count)))
        }

        // MARK: Conditions

        mutating func tree(_ root: Class, depth: Int, isInner: Bool = false) -> Tree {
            if depth > 0, random.chance(55) {
                switch random.below(5) {
                case 0, 1:
                    return .and(
                        tree(root, depth: depth - 1, isInner: isInner),
                        tree(root, depth: depth - 1, isInner: isInner))
                case 2, 3:
                    return .or(
                        tree(root, depth: depth - 1, isInner: isInner),
                        tree(root, depth: depth - 1, isInner: isInner))
                default: return .not(tree(root, depth: depth - 1, isInner: isInner))
                }
            }
            if random.chance(2) { return .constant(random.chance(70)) }
            if random.chance(12), let (operand, shape) = computed(root, depth: 2) {
                var comparison = Comparison(left: operand, sign: .equal, right: .value(.null))
                if random.chance(25) { comparison.quantifier = random.chance(50) ? .all : .none }
                if random.chance(20), let (other, _) = computed(root, depth: 1) {
                    comparison.sign = pick(Sign.order)
                    comparison.right = .operand(other)
                } else {
                    fill(&comparison, shape, true)
                }
                return .comparison(comparison)
            }
            switch random.below(10) {
            case 0, 1: return .comparison(aggregate(root))
            case 2 where !isInner: return .comparison(subquery(root))
            default: return .comparison(comparison(root))
            }
        }

        private mutating func comparison(_ root: Class) -> Comparison {
            let path = path(root)
            let isMany = path.isMany
            var shape = path.property?.shape ?? .link(path.owner)
            if shape == .numbers || shape == .map { shape = .int }
            if let target = shape.target { shape = .link(target) }
            var comparison = Comparison(left: .path(path), sign: .equal, right: .value(.null))
            if isMany, random.chance(35) { comparison.quantifier = random.chance(50) ? .all : .none }
            if random.chance(12), pair(&comparison, root, path, shape) { return comparison }
            fill(&comparison, shape, path.property?.isOptional ?? false)
            return comparison
        }

        private mutating func fill(_ comparison: inout Comparison, _ shape: Shape, _ isOptional: Bool) {
            if case .link(let target) = shape {
                comparison.sign = random.chance(60) ? .equal : .notEqual
                if random.chance(20) {
                    comparison.sign = .equal
                    comparison.right = .among((0..<random.below(4)).map { _ in object(target) })
                } else {
                    comparison.right = .value(random.chance(30) ? .null : object(target))
                }
                return
            }
            let one = { (generator: inout Generator) -> Value in
                generator.random.chance(isOptional ? 20 : 3) ? .null : generator.value(shape)
            }
            if shape == .bool {
                comparison.sign = random.chance(60) ? .equal : .notEqual
                comparison.right = .value(value(.bool))
                return
            }
            if shape == .text, random.chance(40) { comparison.options = pick(["c", "d", "cd"]) }
            switch random.below(10) {
            case 0: comparison.right = .among((0..<random.below(4)).map { _ in one(&self) })
            case 1:
                let (a, b) = (value(shape), value(shape))
                comparison.right = .between(a, b)
            case 2..<5 where shape == .text:
                comparison.sign = pick([.begins, .ends, .contains, .like, .matches])
                let text =
                    switch comparison.sign {
                    case .like: pick(Generator.patterns)
                    case .matches: pick(Generator.expressions)
                    default: pick(Generator.words)
                    }
                comparison.right = .value(.text(text))
            default:
                comparison.sign = pick(Sign.order)
                comparison.right = .value(one(&self))
                // Integers are also compared with values that are not integers.
                if shape == .int, random.chance(6) {
                    comparison.right = .value(.double(pick([0.5, 1, -0.5, 1e30, -1e30, .infinity, .nan])))
                }
            }
        }

        /// Makes it a comparison of two properties, if another one of the kind is found.
        private mutating func pair(
            _ comparison: inout Comparison, _ root: Class, _ path: Path, _ shape: Shape
        ) -> Bool {
            for attempt in 0..<8 {
                // A property compared with itself is equal also where it is nil.
                let other = attempt == 0 && random.chance(30) ? path : self.path(root)
                guard let property = other.property else { continue }
                switch (shape, property.shape) {
                case (.int, .int), (.int, .double), (.double, .int), (.double, .double), (.date, .date):
                    comparison.sign = pick(Sign.order)
                case (.text, .text):
                    comparison.sign = pick(Sign.allCases.filter { $0 != .matches })
                    if random.chance(50) {
                        comparison.options = pick(["c", "d", "cd"])
                    }
                case (.link(let a), .link(let b)) where a == b:
                    comparison.sign = random.chance(60) ? .equal : .notEqual
                default: continue
                }
                comparison.right = .operand(.path(other))
                return true
            }
            return false
        }

        private mutating func aggregate(_ root: Class) -> Comparison {
            let (operand, shape, isOptional) = aggregateOperand(root)
            var comparison = Comparison(left: operand, sign: .equal, right: .value(.null))
            fill(&comparison, shape, isOptional)
            if case .aggregate(_, .avg, _) = operand, random.chance(50) {
                comparison.right = .value(self.value(.int))
            }
            return comparison
        }

        /// Returns an aggregate of a collection, and whether it can be nil.
        mutating func aggregateOperand(_ root: Class) -> (Operand, Shape, isOptional: Bool) {
            let (hops, type) = hops(root, false, 1)
            let ends = candidates(type) { property in
                switch property.shape {
                case .objects, .numbers, .map: true
                default: false
                }
            }
            let end = pick(ends)
            let path = Path(root: root, hops: hops, end: .property(end))
            var function = pick([Function.count, .count, .min, .max, .sum, .avg])
            var value: Path?
            var shape = Shape.int
            if case .objects(let target, _, _) = QueryFuzz.properties(type)[end].shape, function != .count {
                repeat { value = singlePath(target, isGrouping: false) } while !isNumber(value!)
                shape = value!.property!.shape
                if shape == .date, function == .sum || function == .avg { function = .max }
            }
            if function == .avg { shape = .double }
            return (.aggregate(path, function, value), shape, function != .count && function != .sum)
        }

        private func isNumber(_ path: Path) -> Bool {
            switch path.property!.shape {
            case .int, .double, .date: true
            default: false
            }
        }

        private mutating func subquery(_ root: Class) -> Comparison {
            let (hops, type) = hops(root, false, 1)
            let end = pick(candidates(type) { if case .objects = $0.shape { true } else { false } })
            let target = QueryFuzz.properties(type)[end].shape.target!
            let path = Path(root: root, hops: hops, end: .property(end))
            let tree = tree(target, depth: 1, isInner: random.chance(60))
            return Comparison(
                left: .subquery(path, tree), sign: pick(Sign.order), right: .value(.int(random.below(3))))
        }
    }
}
