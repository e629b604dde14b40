import TestRandomness
import XCTest

@testable import KivoEngine

/// An index of occurrences, compared with an array.
final class OccurrenceIndexTests: XCTestCase {
    private func run(_ random: inout TestRandom, universe: Int, start: Int, edits: Int) {
        var model = (0..<start).map { _ in ObjectKey(1 + random.below(universe)) }
        let index = OccurrenceIndex(model)
        for step in 0..<edits {
            let isGrowing = step / 500 % 2 == 0
            if model.isEmpty || random.chance(isGrowing ? 70 : 30) {
                let position = random.chance(30) ? model.count : random.below(model.count + 1)
                let key = ObjectKey(1 + random.below(universe))
                index.insert(index.allocate(key), at: position)
                model.insert(key, at: position)
            } else {
                let position = random.below(model.count)
                let occurrence = index.occurrence(at: position)
                XCTAssertEqual(index.key(of: occurrence), model[position])
                index.remove(occurrence)
                model.remove(at: position)
            }
            if step % 97 == 0 || step == edits - 1 { check(index, model, universe) }
        }
    }

    private func check(_ index: OccurrenceIndex, _ model: [ObjectKey], _ universe: Int) {
        index.checkInvariants()
        for key in 1...ObjectKey(min(universe, 40)) {
            var positions: [Int] = []
            index.forEachPosition(of: key) { positions.append($0) }
            XCTAssertEqual(positions.sorted(), model.indices.filter { model[$0] == key })
        }
    }

    func testFewObjectsThatOccurOften() {
        var random = TestRandom()
        run(&random, universe: 3, start: 0, edits: TestEffort.count(800, full: 3_000))
        run(&random, universe: 5, start: 2_000, edits: TestEffort.count(600, full: 2_000))
    }

    func testManyObjects() {
        var random = TestRandom()
        run(
            &random, universe: TestEffort.size(1_250, full: 5_000),
            start: TestEffort.size(750, full: 3_000), edits: TestEffort.size(1_000, full: 4_000))
    }

    func testAnIndexRunsEmptyAndFillsAgain() {
        let index = OccurrenceIndex([ObjectKey](repeating: 7, count: 1_000))
        for _ in 0..<1_000 { index.remove(index.occurrence(at: 0)) }
        index.checkInvariants()
        for key in 1...600 { index.insert(index.allocate(ObjectKey(key)), at: key - 1) }
        index.checkInvariants()
        XCTAssertEqual(index.key(of: index.occurrence(at: 599)), 600)
    }
}
