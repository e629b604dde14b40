import KivoEngine
import XCTest

final class SequenceChangeTests: XCTestCase {
    private func change(
        _ oldCount: Int, _ operations: (inout SequenceChange) -> Void
    ) -> SequenceChange {
        var change = SequenceChange(oldCount: oldCount)
        operations(&change)
        change.checkInvariants()
        return change
    }

    func testNothingHappened() {
        let unchanged = change(5) {
            $0.move(from: 2, to: 2)
            $0.swapAt(3, 3)
            $0.insert(at: 5, count: 0)
            $0.remove(at: 0, count: 0)
        }
        XCTAssertTrue(unchanged.isUntouched)
        XCTAssertTrue(unchanged.resolve().isEmpty)
        XCTAssertEqual(unchanged.runs, [.init(origin: 0, count: 5)])
        XCTAssertTrue(change(0) { $0.removeAll() }.isUntouched)
    }

    func testAppendingGrowsOneRun() {
        let appended = change(2) { change in
            for _ in 0..<10_000 {
                change.insert(at: change.newCount)
            }
        }
        XCTAssertEqual(appended.runs, [.init(origin: 0, count: 2), .init(origin: -1, count: 10_000)])
        XCTAssertEqual(appended.resolve().insertions, Array(2..<10_002))
    }

    func testQueueKeepsTwoRuns() {
        let shifted = change(20_000) { change in
            for _ in 0..<10_000 {
                change.remove(at: 0)
                change.insert(at: change.newCount)
            }
        }
        XCTAssertEqual(
            shifted.runs, [.init(origin: 10_000, count: 10_000), .init(origin: -1, count: 10_000)])
    }

    func testReplacingAllInOrderKeepsOneRun() {
        let replaced = change(1000) { change in
            for index in 0..<1000 {
                change.replace(at: index)
            }
        }
        XCTAssertEqual(replaced.runs, [.init(origin: 0, count: 1000, isReplaced: true)])
        XCTAssertEqual(replaced.resolve().modifications, Array(0..<1000))
        XCTAssertEqual(replaced.resolve().modificationsOld, Array(0..<1000))
    }

    func testInsertionTakenBackHeals() {
        let healed = change(10) {
            $0.insert(at: 5)
            $0.remove(at: 5)
        }
        XCTAssertEqual(healed.runs, [.init(origin: 0, count: 10)])
        XCTAssertTrue(healed.resolve().isEmpty)
        XCTAssertFalse(healed.isUntouched)
    }

    func testMoveThereAndBack() {
        let back = change(10) {
            $0.move(from: 2, to: 7)
            $0.move(from: 7, to: 2)
        }
        XCTAssertTrue(back.resolve().isEmpty)
        XCTAssertEqual(back.resolve().keyValueChange(), .none)
    }

    func testSwaps() {
        let neighbours = change(5) { $0.swapAt(2, 1) }.resolve()
        XCTAssertEqual(neighbours.moves, [.init(from: 2, to: 1)])
        let apart = change(5) { $0.swapAt(0, 3) }.resolve()
        XCTAssertEqual(apart.moves, [.init(from: 3, to: 0), .init(from: 0, to: 3)])
        XCTAssertEqual(apart.keyValueChange(), .replacement([0, 3]))
    }

    func testMovedAndReplacedIsOnlyMoved() {
        let both = change(4) {
            $0.replace(at: 0)
            $0.move(from: 0, to: 3)
        }.resolve()
        XCTAssertEqual(both.deletions, [0])
        XCTAssertEqual(both.insertions, [3])
        XCTAssertEqual(both.modifications, [])
    }

    func testClear() {
        XCTAssertTrue(change(3) { $0.removeAll() }.resolve().isCleared)
        XCTAssertFalse(change(3) { $0.remove(at: 0, count: 3) }.resolve().isCleared)
        let refilled = change(3) {
            $0.removeAll()
            $0.insert(at: 0, count: 3)
        }.resolve()
        XCTAssertFalse(refilled.isCleared)
        XCTAssertEqual(refilled.deletions, [0, 1, 2])
        XCTAssertEqual(refilled.insertions, [0, 1, 2])
        let filledAndCleared = change(0) {
            $0.insert(at: 0)
            $0.removeAll()
        }.resolve()
        XCTAssertFalse(filledAndCleared.isEmpty)
        XCTAssertEqual(filledAndCleared.keyValueChange(), .none)
    }

    func testLaterInsertionTakesClearBackEvenWhenRemoved() {
        var cleared = change(3) { $0.removeAll() }
        let comeAndGone = change(0) {
            $0.insert(at: 0)
            $0.remove(at: 0)
        }
        cleared.append(comeAndGone)
        XCTAssertFalse(cleared.isCleared)
        XCTAssertEqual(cleared.resolve().deletions, [0, 1, 2])
        var stillCleared = change(3) { $0.removeAll() }
        stillCleared.append(SequenceChange(oldCount: 0))
        XCTAssertTrue(stillCleared.isCleared)
    }

    func testCompositionDropsMarksOfNewElements() {
        var first = change(2) { $0.insert(at: 0, count: 2) }
        first.append(
            change(4) {
                $0.replace(at: 0)
                $0.move(from: 1, to: 3)
            })
        XCTAssertEqual(
            first.runs,
            [.init(origin: -1, count: 1), .init(origin: 0, count: 2), .init(origin: -1, count: 1)])
    }

    func testRunsThatDoNotAddUp() {
        typealias Run = SequenceChange.Run
        func isRefused(_ oldCount: Int, _ runs: [Run], isCleared: Bool = false) -> Bool {
            SequenceChange(oldCount: oldCount, runs: runs, isCleared: isCleared) == nil
        }
        XCTAssertFalse(isRefused(3, [Run(origin: 1, count: 2)]))
        XCTAssertFalse(isRefused(3, [], isCleared: true))
        XCTAssertTrue(isRefused(-1, []))
        XCTAssertTrue(isRefused(3, [Run(origin: 0, count: 0)]), "empty run")
        XCTAssertTrue(isRefused(3, [Run(origin: 1, count: 3)]), "beyond the end")
        XCTAssertTrue(isRefused(3, [Run(origin: Int.max, count: Int.max)]), "beyond all ends")
        XCTAssertTrue(isRefused(3, [Run(origin: -2, count: 1)]), "unknown origin")
        XCTAssertTrue(isRefused(3, [Run(origin: 0, count: 2), Run(origin: 1, count: 1)]), "twice")
        XCTAssertTrue(isRefused(3, [Run(origin: 2, count: 1), Run(origin: 0, count: 1)]), "overtaken")
        XCTAssertTrue(isRefused(3, [Run(origin: 0, count: 2, moveOrder: 1)]), "moved together")
        XCTAssertTrue(isRefused(3, [Run(origin: 0, count: 1, moveOrder: 2)]), "gap in the sequence")
        XCTAssertTrue(
            isRefused(3, [Run(origin: 0, count: 1, moveOrder: 1), Run(origin: 2, count: 1, moveOrder: 1)]),
            "same place in the sequence")
        XCTAssertTrue(
            isRefused(3, [Run(origin: 0, count: 3), Run(origin: 1, count: 1, moveOrder: 1)]), "moved copy")
        XCTAssertTrue(isRefused(3, [Run(origin: -1, count: 1, isReplaced: true)]), "marked new element")
        XCTAssertTrue(
            isRefused(0, [Run(origin: -1, count: Int.max), Run(origin: -1, count: 1)]), "too many")
        XCTAssertTrue(isRefused(3, [Run(origin: 0, count: 1)], isCleared: true), "cleared but not empty")
    }
}
