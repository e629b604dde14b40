import TestRandomness
import XCTest

@testable import KivoEngine

/// Numbers of random queries, and of their groups, that follow random commits, compared with those of arrays.
final class MaintainedFoldTests: XCTestCase {
    /// A function of a property of the elements.
    private struct Number {
        let function: Aggregate.Function
        let property: ViewModel.Property

        static func random(_ store: ViewStore, isOfValues: Bool, functions: [Aggregate.Function]) -> Number {
            let properties: [ViewModel.Property] = isOfValues ? [.number] : [.number, .weight, .parentNumber]
            return Number(
                function: functions[store.random.below(functions.count)],
                property: properties[store.random.below(properties.count)])
        }

        var order: CellOrder { property == .weight ? .floatingPoint : .natural }
        var arithmetic: Aggregate.Arithmetic { property == .weight ? .floatingPoint : .saturating }

        /// Returns the result for some elements.
        func result(_ elements: [ViewModel.Element], _ model: ViewModel) -> Cell {
            var (integers, doubles): ([Int64], [Double]) = ([], [])
            for element in elements {
                switch model.sortValue(property, of: element) {
                case .integer(let value): integers.append(value)
                case .double(let value): doubles.append(value)
                default: break
                }
            }
            if property == .weight {
                let sum = MaintainedFoldTests.sum(doubles)
                switch function {
                case .count: return .word(UInt64(elements.count { $0.item.weight != nil }))
                case .min: return doubles.min().bits
                case .max: return doubles.max().bits
                case .sum: return sum.bits
                case .average: return doubles.isEmpty ? .null : (sum / Double(doubles.count)).bits
                }
            }
            let sum = integers.reduce(Int128(0)) { $0 + Int128($1) }
            switch function {
            case .count: return .word(UInt64(integers.count))
            case .min: return integers.min().cell
            case .max: return integers.max().cell
            case .sum: return .word(UInt64(bitPattern: Int64(clamping: sum)))
            case .average: return integers.isEmpty ? .null : sum.average(of: integers.count).bits
            }
        }
    }

    private static func sum(_ values: [Double]) -> Double {
        let infinite = values.filter(\.isInfinite)
        if infinite.isEmpty { return ExactSumTests.exactSum(values) }
        let sum = infinite.reduce(0, +)
        return sum.isNaN ? .nan : sum
    }

    /// Returns whether two results are equal; 0 and -0 are.
    private static func areEqual(_ a: Cell, _ b: Cell, _ order: CellOrder) -> Bool {
        a == b || a != .null && b != .null && order.compare(a, b) == 0
    }

    /// A fold, and the version that it shows.
    private class Follower {
        let query: ViewQuery
        private let fold: any ElementFold
        private let maintained: MaintainedFold
        private var version: UInt64
        private(set) var snapshot: Snapshot

        init(_ store: ViewStore, _ query: ViewQuery, _ fold: any ElementFold, reading paths: [ResolvedPath]) {
            (self.query, self.fold) = (query, fold)
            (version, snapshot) = store.pinHead()
            let catalog = ViewModel.catalog
            maintained = MaintainedFold(
                query.query.unordered, into: fold, snapshot, catalog,
                Dependencies(query.query.unordered, catalog, reading: paths))
        }

        /// Checks the results, and those of an evaluation.
        func check(_ store: ViewStore, mayHaveChanged: Bool) {}

        func update(_ store: ViewStore) {
            let (oldVersion, old) = (version, snapshot)
            (version, snapshot) = store.pinHead()
            let changes = store.chain.changes(from: oldVersion, to: version)
            let traversals = ChangeTraversals(changes, snapshot, ViewModel.catalog)
            if store.random.chance(50) { traversals.smallestBudget = 1 }
            let mayChange = maintained.mayChange(traversals, old: old)
            maintained.update(traversals, old: old)
            check(store, mayHaveChanged: mayChange)
            store.unpin(oldVersion)
        }

        func end(_ store: ViewStore) { store.unpin(version) }
    }

    private final class NumberFollower: Follower {
        private let number: Number?
        private let fold: any NumberFold
        private let makeFold: () -> any NumberFold
        private var seen = Cell.null

        init(_ store: ViewStore) {
            let query = ViewQuery(store)
            let isCount = store.random.chance(20)
            let number = Number.random(
                store, isOfValues: query.isOfValues, functions: [.count, .min, .max, .sum, .average])
            let path = query.isOfValues ? nil : ViewQuery.path(to: number.property)
            makeFold = {
                if isCount { return SumFold() }
                if number.function == .min || number.function == .max {
                    return ExtremumFold(number.function, of: path, number.order)
                }
                return SumFold(number.function, of: path, number.order, number.arithmetic)
            }
            (self.number, fold) = (isCount ? nil : number, makeFold())
            super.init(store, query, fold, reading: isCount || query.isOfValues ? [] : [path!])
            check(store, mayHaveChanged: true)
        }

        override func check(_ store: ViewStore, mayHaveChanged: Bool) {
            let elements = query.result(store.model)
            let expected = number?.result(elements, store.model) ?? .word(UInt64(elements.count))
            let order = number?.function == .count ? .natural : number?.order ?? .natural
            XCTAssert(
                MaintainedFoldTests.areEqual(fold.result, expected, order),
                "\(fold.result) is not \(expected), \(String(describing: number))")
            XCTAssert(mayHaveChanged || fold.result == seen, "an unexpected change")
            seen = fold.result
            let fresh = makeFold()
            fresh.evaluate(query.query, snapshot, ViewModel.catalog)
            XCTAssert(MaintainedFoldTests.areEqual(fresh.result, expected, order), "an evaluation differs")
        }
    }

    private final class GroupFollower: Follower {
        private let number: Number?
        private let key: ViewModel.Property
        private let fold: GroupFold
        private var seen: [ViewModel.SortValue: Cell] = [:]

        init?(_ store: ViewStore) {
            let query = ViewQuery(store)
            if query.isOfValues { return nil }
            let number =
                store.random.chance(40)
                ? nil : Number.random(store, isOfValues: false, functions: [.count, .sum, .average])
            let keys: [ViewModel.Property] = [.number, .weight, .name, .parentNumber]
            key = keys[store.random.below(keys.count)]
            let value = number.map { ViewQuery.path(to: $0.property) }
            fold = GroupFold(
                by: ViewQuery.path(to: key), key == .weight ? .floatingPoint : .natural,
                number?.function ?? .count, of: value, number?.order ?? .natural,
                number?.arithmetic ?? .saturating)
            self.number = number
            super.init(
                store, query, fold, reading: [ViewQuery.path(to: key)] + (value.map { [$0] } ?? []))
            seen = results
            XCTAssert(fold.takeChanges().isEmpty, "the first groups are no changes")
            check(store, mayHaveChanged: true)
        }

        private func sortValue(_ cell: Cell) -> ViewModel.SortValue {
            switch cell {
            case .word(let word) where key == .weight:
                let value = Double(bitPattern: word)
                return value.isNaN ? .nan : .double(value)
            case .word(let word): return .integer(Int64(bitPattern: word))
            case .string(let text): return .text(text)
            default: return .null
            }
        }

        private var results: [ViewModel.SortValue: Cell] {
            var results: [ViewModel.SortValue: Cell] = [:]
            fold.forEach { results[sortValue($0)] = $1 }
            return results
        }

        override func check(_ store: ViewStore, mayHaveChanged: Bool) {
            let groups = Dictionary(grouping: query.result(store.model)) {
                let value = store.model.sortValue(key, of: $0)
                return value == .unreached ? .null : value
            }
            let expected = groups.mapValues {
                number?.result($0, store.model) ?? .word(UInt64($0.count))
            }
            XCTAssertEqual(results, expected)
            XCTAssertEqual(fold.count, expected.count)
            var shown = seen
            let changes = fold.takeChanges()
            XCTAssert(mayHaveChanged || changes.isEmpty, "an unexpected change")
            for change in changes {
                XCTAssertEqual(shown[sortValue(change.key)], change.before)
                XCTAssertNotEqual(change.before, change.after)
                XCTAssertEqual(fold.result(of: change.key), change.after)
                shown[sortValue(change.key)] = change.after
            }
            XCTAssertEqual(shown, expected, "the changes do not lead to the groups")
            seen = results
        }
    }

    func testRandomQueriesAndCommits() {
        for round in TestEffort.rounds(600, within: 0.6, atLeast: 20) {
            let store = ViewStore(TestRandom("folds \(round)"), items: round % 8 == 0 ? 200 : 20)
            let followers: [Follower] =
                (0..<6).map { _ in NumberFollower(store) } + (0..<4).compactMap { _ in GroupFollower(store) }
            for _ in 0..<12 {
                store.transact()
                for follower in followers where store.random.chance(60) { follower.update(store) }
            }
            for follower in followers {
                follower.update(store)
                follower.end(store)
            }
            store.destroy()
            if let failures = testRun?.failureCount, failures > 0 {
                XCTFail("in round \(round)")
                return
            }
        }
    }
}

extension Double {
    fileprivate var bits: Cell { .word(bitPattern) }
}

extension Double? {
    fileprivate var bits: Cell { self?.bits ?? .null }
}
