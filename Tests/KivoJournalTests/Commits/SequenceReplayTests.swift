import KivoEngine
import XCTest

@testable import KivoJournal

/// How much of a list is touched when a change of it is carried out again.
final class SequenceReplayTests: XCTestCase {
    private let spec = ColumnSpec(name: "list", kind: .sequence, element: .word)

    /// The change as a record has it, read back.
    private func replay(_ change: SequenceChange) throws -> SequenceReplay {
        var writer = ByteWriter()
        let runs = change.runs
        writer.write(runs.count)
        for run in runs {
            writer.write(run.origin + 1)
            writer.write(run.count)
            writer.write(run.isReplaced)
            if run.origin < 0 || run.isReplaced {
                for _ in 0..<run.count { writer.write(word: 7) }
            }
        }
        return try writer.bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let replay = try SequenceReplay(&reader, spec, oldCount: change.oldCount)
            XCTAssertTrue(reader.isAtEnd)
            return replay
        }
    }

    /// The elements that are taken out or put in.
    private func touched(_ replay: SequenceReplay, _ oldCount: Int) -> Int {
        let staying = replay.runs.filter(\.isStaying).reduce(0) { $0 + $1.count }
        let new = replay.runs.reduce(0) { $0 + $1.count } - staying
        return oldCount - staying + new
    }

    func testMovesTouchWhatMoved() throws {
        var random = TestRandom()
        for count in [100, 10_000, 1_000_000] {
            var change = SequenceChange(oldCount: count)
            for _ in 0..<50 { change.move(from: random.below(count), to: random.below(count)) }
            XCTAssertLessThanOrEqual(touched(try replay(change), count), 100, "\(count)")
        }
    }

    func testOtherChangesTouchWhatChanged() throws {
        var change = SequenceChange(oldCount: 100_000)
        change.remove(at: 500, count: 3)
        change.insert(at: 70_000, count: 4)
        change.replace(at: 10)
        change.move(from: 99_000, to: 3)
        change.swapAt(20_000, 80_000)
        XCTAssertLessThanOrEqual(touched(try replay(change), 100_000), 3 + 4 + 6)
    }

    func testRunsThatNoChangeHas() throws {
        let cases: [(runs: [(origin: Int, count: Int)], isPossible: Bool)] = [
            ([(0, 10)], true), ([(5, 5), (0, 5)], true), ([], true), ([(0, 11)], false), ([(10, 1)], false),
            ([(11, 1)], false), ([(0, 5), (4, 2)], false), ([(3, 1), (3, 1)], false), ([(0, 0)], false),
            ([(.max - 1, 1)], false), ([(5, .max)], false), ([(-1, 2)], false), ([(-1, 1 << 40)], false),
        ]
        for (runs, isPossible) in cases {
            var writer = ByteWriter()
            writer.write(runs.count)
            for run in runs {
                writer.write(run.origin + 1)
                writer.write(run.count)
                writer.write(false)
            }
            writer.bytes.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                XCTAssertEqual(
                    (try? SequenceReplay(&reader, spec, oldCount: 10)) != nil, isPossible, "\(runs)")
            }
        }
    }
}
