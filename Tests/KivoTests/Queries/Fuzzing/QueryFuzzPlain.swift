import Foundation
import Kivo

extension QueryFuzz {
    /// A condition on an integer: whether `self * factor + term` compares so with a bound.
    indirect enum PlainCondition: Sendable, CustomStringConvertible {
        case comparison(factor: Int, term: Int, Sign, Int)
        case among([Int])
        case between(Int, Int)
        case not(PlainCondition)
        case or(PlainCondition, PlainCondition)
        case and(PlainCondition, PlainCondition)

        init(_ generator: inout Generator, depth: Int = 2) {
            let below = { (generator: inout Generator) in PlainCondition(&generator, depth: depth - 1) }
            switch generator.random.below(depth > 0 ? 8 : 5) {
            case 0: self = .among((0..<generator.random.below(4)).map { _ in generator.random.below(5) })
            case 1: self = .between(generator.random.below(5), generator.random.below(5))
            case 5: self = .not(below(&generator))
            case 6: self = .or(below(&generator), below(&generator))
            case 7: self = .and(below(&generator), below(&generator))
            default:
                let isPlain = generator.random.chance(60)
                self = .comparison(
                    factor: isPlain ? 1 : generator.random.below(5) - 2,
                    term: isPlain ? 0 : generator.random.below(5) - 2, generator.pick(Sign.order),
                    generator.random.below(5))
            }
        }

        func holds(_ number: Int) -> Bool {
            switch self {
            case .comparison(let factor, let term, let sign, let bound):
                Value.holds(sign, .int(number * factor + term), .int(bound), "")
            case .among(let values): values.contains(number)
            case .between(let low, let high): number >= low && number <= high
            case .not(let condition): !condition.holds(number)
            case .or(let a, let b): a.holds(number) || b.holds(number)
            case .and(let a, let b): a.holds(number) && b.holds(number)
            }
        }

        var description: String {
            switch self {
            case .comparison(1, 0, let sign, let bound): "SELF \(sign.rawValue) \(bound)"
            case .comparison(let factor, let term, let sign, let bound):
                "self * \(factor) + \(term) \(sign.rawValue) \(bound)"
            case .among(let values): "self IN {\(values.map { "\($0)" }.joined(separator: ", "))}"
            case .between(let low, let high): "self BETWEEN {\(low), \(high)}"
            case .not(let condition): "NOT (\(condition))"
            case .or(let a, let b): "(\(a) OR \(b))"
            case .and(let a, let b): "(\(a) AND \(b))"
            }
        }

        func typed(_ query: Query<Int>) -> Query<Bool> {
            switch self {
            case .comparison(let factor, let term, let sign, let bound):
                let number = factor == 1 && term == 0 ? query : query * factor + term
                switch sign {
                case .equal: return number == bound
                case .notEqual: return number != bound
                case .less: return number < bound
                case .lessOrEqual: return number <= bound
                case .greater: return number > bound
                default: return number >= bound
                }
            case .among(let values): return query.in(values)
            case .between(let low, let high):
                return low <= high ? query.contains(low...high) : query >= low && query <= high
            case .not(let condition): return !condition.typed(query)
            case .or(let a, let b): return a.typed(query) || b.typed(query)
            case .and(let a, let b): return a.typed(query) && b.typed(query)
            }
        }
    }

    /// Plain values of an object and what is done with them.
    struct PlainChain: Sendable {
        enum Step: Sendable { case sort(isAscending: Bool), distinct, filter(PlainCondition) }

        let owner: Int
        /// Whether they are the values of a map, not those of a list.
        let isMap: Bool
        let steps: [Step]

        init(_ owner: Int, _ generator: inout Generator) {
            self.owner = owner
            isMap = generator.random.chance(30)
            steps = (0...generator.random.below(3)).map { _ in
                switch generator.random.below(5) {
                case 0: .sort(isAscending: true)
                case 1: .sort(isAscending: false)
                case 2: .distinct
                default: .filter(PlainCondition(&generator))
                }
            }
        }

        var isDistinct: Bool { steps.contains { if case .distinct = $0 { true } else { false } } }

        /// Returns the expected numbers. Conditions are applied before all other steps.
        func expected(_ world: World) -> [Int] {
            let cells = world.byID[owner]?.cells[QueryFuzz.index(isMap ? "map" : "numbers", .thing)] ?? []
            var numbers = cells.compactMap(\.int)
            for case .filter(let condition) in steps { numbers = numbers.filter(condition.holds) }
            for step in steps {
                switch step {
                case .sort(let isAscending): numbers.sort { isAscending ? $0 < $1 : $0 > $1 }
                case .distinct:
                    var seen: Set<Int> = []
                    numbers = numbers.filter { seen.insert($0).inserted }
                case .filter: break
                }
            }
            return numbers
        }
    }
}

extension QueryFuzz.Builder {
    func numbers(_ chain: QueryFuzz.PlainChain, _ style: QueryFuzz.Style) -> QueryFuzz.Answer? {
        guard let thing = object(chain.owner) as? QueryFuzzThing, thing.realm != nil else { return nil }
        let none: [Kivo.SortDescriptor] = []
        var results = chain.isMap ? thing.map.sorted(by: none) : thing.numbers.sorted(by: none)
        for (place, step) in chain.steps.enumerated() {
            switch step {
            case .sort(let isAscending): results = results.sorted(ascending: isAscending)
            case .distinct: results = results.distinct()
            case .filter(let condition):
                switch (style, place) {
                case (.typed, 0) where chain.isMap: results = thing.map.where { condition.typed($0) }
                case (.typed, 0): results = thing.numbers.where { condition.typed($0) }
                case (.typed, _): results = results.where { condition.typed($0) }
                case (_, 0) where chain.isMap: results = thing.map.filter(condition.description)
                case (_, 0): results = thing.numbers.filter(condition.description)
                default: results = results.filter(condition.description)
                }
            }
        }
        return QueryFuzz.Answer(results, { $0 }, { $0 })
    }
}

extension QueryFuzz.Run {
    /// Observes plain values.
    func addNumbers(_ world: QueryFuzz.World) {
        let chain = QueryFuzz.PlainChain(generator.pick(world.all(.thing)), &generator)
        let builder = builder
        guard let answer = builder.numbers(chain, generator.pick(QueryFuzz.Style.allCases)) else { return }
        let watch = QueryFuzz.Watch(
            "thing \(chain)", answer, [], [], hasDuplicates: !chain.isDistinct, isReplacing: true,
            isPlain: true,
            expected: { chain.expected($0) }, build: { builder.numbers(chain, $0) })
        add(watch)
    }
}
