import TestRandomness
import XCTest

@testable import KivoEngine

/// Random operations on a list, compared with the token model.
final class SequenceChangeRandomTests: XCTestCase {
    /// How likely the kinds of operations are, in percent; what remains are clears.
    struct Mix {
        var inserts = 25
        var removals = 25
        var replacements = 15
        var moves = 20
        var swaps = 14
        var longest = 3
    }

    private let mixes = [
        Mix(),
        Mix(inserts: 5, removals: 5, replacements: 10, moves: 50, swaps: 30),
        Mix(inserts: 0, removals: 0, replacements: 20, moves: 50, swaps: 30),
        Mix(inserts: 35, removals: 30, replacements: 30, moves: 3, swaps: 2, longest: 12),
        Mix(inserts: 30, removals: 5, replacements: 30, moves: 20, swaps: 15, longest: 1),
        Mix(inserts: 30, removals: 30, replacements: 10, moves: 10, swaps: 5, longest: 2),
    ]

    private func randomOperation(
        count: Int, mix: Mix, using generator: inout TestRandom
    ) -> TokenListModel.Operation {
        func index(_ generator: inout TestRandom) -> Int { Int.random(in: 0..<count, using: &generator) }
        var kind = Int.random(in: 0..<100, using: &generator)
        if kind < mix.inserts || (count == 0 && kind < 95) {
            return .insert(
                at: Int.random(in: 0...count, using: &generator),
                count: Int.random(in: 0...mix.longest, using: &generator))
        }
        guard count > 0 else { return .clear }
        kind -= mix.inserts
        if kind < mix.removals {
            let start = index(&generator)
            return .remove(
                at: start, count: Int.random(in: 0...min(mix.longest, count - start), using: &generator))
        }
        kind -= mix.removals
        if kind < mix.replacements {
            return .replace(index(&generator))
        }
        kind -= mix.replacements
        if kind < mix.moves {
            return .move(from: index(&generator), to: index(&generator))
        }
        kind -= mix.moves
        return kind < mix.swaps ? .swap(index(&generator), index(&generator)) : .clear
    }

    func testShortHistories() {
        var generator = TestRandom()
        for round in TestEffort.rounds(12_000, within: 0.3) {
            let mix = mixes[round % mixes.count]
            let oldCount = Int.random(in: 0...12, using: &generator)
            var model = TokenListModel(oldCount: oldCount)
            var onePass = SequenceChange(oldCount: oldCount)
            var composed = SequenceChange(oldCount: oldCount)
            var latest = SequenceChange(oldCount: oldCount)
            var history: [TokenListModel.Operation] = []
            for _ in 0..<Int.random(in: 0...16, using: &generator) {
                let operation = randomOperation(count: model.tokens.count, mix: mix, using: &generator)
                history.append(operation)
                model.apply(operation)
                onePass.apply(operation)
                latest.apply(operation)
                onePass.checkInvariants()
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    composed.append(latest)
                    composed.checkInvariants()
                    latest = SequenceChange(oldCount: composed.newCount)
                }
            }
            composed.append(latest)
            composed.checkInvariants()
            let expected = model.resolve()
            let context = "round \(round), \(oldCount) elements, \(history)"
            XCTAssertEqual(onePass.newCount, model.tokens.count, context)
            XCTAssertEqual(onePass.resolve(), expected, context)
            XCTAssertEqual(composed, onePass, context)
            XCTAssertEqual(composed.resolve(), expected, context)
            for isRollback in [false, true] {
                XCTAssertEqual(
                    expected.keyValueChange(isRollback: isRollback),
                    writtenRule(expected, isRollback: isRollback), context)
            }
            checkRoundTrip(onePass, context)
            if onePass.isUntouched {
                XCTAssertTrue(expected.isEmpty, context)
            }
        }
    }

    func testLongHistories() {
        var generator = TestRandom()
        for round in TestEffort.cases(mixes.indices) {
            var mix = mixes[round]
            // No clears, so that many runs build up.
            mix.swaps = 100 - mix.inserts - mix.removals - mix.replacements - mix.moves
            let context = "round \(round)"
            let oldCount = 1500
            var model = TokenListModel(oldCount: oldCount)
            var onePass = SequenceChange(oldCount: oldCount)
            var composed = SequenceChange(oldCount: oldCount)
            var latest = SequenceChange(oldCount: oldCount)
            for step in 1...2500 {
                let operation = randomOperation(count: model.tokens.count, mix: mix, using: &generator)
                model.apply(operation)
                onePass.apply(operation)
                latest.apply(operation)
                if step % 173 == 0 {
                    onePass.checkInvariants()
                    composed.append(latest)
                    composed.checkInvariants()
                    latest = SequenceChange(oldCount: composed.newCount)
                    XCTAssertEqual(composed, onePass, context)
                }
            }
            composed.append(latest)
            composed.checkInvariants()
            XCTAssertEqual(onePass.resolve(), model.resolve(), context)
            XCTAssertEqual(composed, onePass, context)
            XCTAssertEqual(composed.resolve(), onePass.resolve(), context)
            checkRoundTrip(onePass, context)
        }
    }

    /// So many runs that their pieces are counted in groups: which element is where, compared with an array.
    func testVeryManyRuns() {
        var generator = TestRandom()
        for inserts in TestEffort.sample([50, 10, 0], 1) {
            let oldCount = 30_000
            var change = SequenceChange(oldCount: oldCount)
            var origins = Array(0..<oldCount)
            var most = 0
            for step in 0..<16_000 {
                let (a, b) = (
                    Int.random(in: 0..<origins.count, using: &generator),
                    Int.random(in: 0..<origins.count, using: &generator)
                )
                let kind = Int.random(in: 0..<100, using: &generator)
                if step > 12_000, kind == 0 {
                    // Whole pieces go.
                    let count = min(300, origins.count - a)
                    change.remove(at: a, count: count)
                    origins.removeSubrange(a..<a + count)
                } else if kind < inserts {
                    change.insert(at: a)
                    origins.insert(SequenceChange.Run.new, at: a)
                } else if kind < 80 {
                    change.move(from: a, to: b)
                    origins.insert(origins.remove(at: a), at: b)
                } else {
                    change.remove(at: a)
                    origins.remove(at: a)
                }
                if step % 2_000 == 1_999 { change.checkInvariants() }
                most = max(most, change.table.pieces.count)
            }
            change.checkInvariants()
            XCTAssertGreaterThan(most, 64, "too few pieces for several groups")
            let found = change.runs.flatMap { run in
                (0..<run.count).map { run.isNew ? SequenceChange.Run.new : run.origin + $0 }
            }
            XCTAssert(found == origins)
            var composed = SequenceChange(oldCount: oldCount)
            composed.insert(at: 7)
            composed.remove(at: 7)
            composed.append(change)
            composed.checkInvariants()
            XCTAssertEqual(composed.runs, change.runs)
        }
    }

    func testCompositionIsAssociative() {
        var generator = TestRandom()
        for round in 0..<2000 {
            let mix = mixes[round % mixes.count]
            var count = Int.random(in: 0...30, using: &generator)
            var parts: [SequenceChange] = []
            for _ in 0..<3 {
                var part = SequenceChange(oldCount: count)
                for _ in 0..<Int.random(in: 0...12, using: &generator) {
                    part.apply(randomOperation(count: part.newCount, mix: mix, using: &generator))
                }
                count = part.newCount
                parts.append(part)
            }
            var fromLeft = parts[0]
            fromLeft.append(parts[1])
            fromLeft.append(parts[2])
            var rightHalf = parts[1]
            rightHalf.append(parts[2])
            var fromRight = parts[0]
            fromRight.append(rightHalf)
            XCTAssertEqual(fromLeft, fromRight, "round \(round)")
        }
    }

    private func checkRoundTrip(_ change: SequenceChange, _ context: String) {
        let restored = SequenceChange(
            oldCount: change.oldCount, runs: change.runs, isCleared: change.isCleared,
            hasInserted: change.hasInserted)
        XCTAssertEqual(restored, change, context)
        XCTAssertEqual(restored?.runs, change.runs, context)
        XCTAssertEqual(restored?.resolve(), change.resolve(), context)
        XCTAssertEqual(restored?.isUntouched, change.isUntouched, context)
        restored?.checkInvariants()
    }

    /// The rule for key-value observing as it is written down, index by index.
    private func writtenRule(
        _ changes: CollectionChanges, isRollback: Bool
    ) -> CollectionChanges.KeyValueChange {
        let inserted = Set(changes.insertions)
        let deleted = Set(changes.deletions)
        let modified = Set(changes.modifications)
        if inserted.isEmpty && deleted.isEmpty && modified.isEmpty && changes.moves.isEmpty {
            return .none
        }
        if !changes.moves.isEmpty && inserted.count == deleted.count
            && deleted.count == changes.moves.count
        {
            var replaced = modified.union(deleted)
            let touched = inserted.union(deleted)
            var shift = 0
            for index in touched.min()!...touched.max()! {
                if deleted.contains(index) {
                    shift -= 1
                } else if inserted.contains(index + shift) {
                    shift += 1
                }
                if shift != 0 {
                    replaced.insert(index)
                }
            }
            return .replacement(replaced.sorted())
        }
        if [inserted, deleted, modified].count(where: { !$0.isEmpty }) > 1 {
            return .wholesale
        }
        if !modified.isEmpty {
            return .replacement(modified.sorted())
        }
        if !inserted.isEmpty {
            return isRollback ? .removal(inserted.sorted()) : .insertion(inserted.sorted())
        }
        return isRollback ? .insertion(deleted.sorted()) : .removal(deleted.sorted())
    }
}
