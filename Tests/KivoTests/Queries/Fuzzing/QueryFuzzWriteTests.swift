import Foundation
import Kivo
import TestRandomness
import XCTest

/// Random queries that are read after each of many edits of one write. By then they follow the edits instead of being evaluated
/// again.
///
/// `KIVO_TEST_SEED=n` repeats a run.
final class QueryFuzzWriteTests: RealmTestCase {
    func testAnswersThatAreReadBetweenTheEditsOfAWriteAgreeWithTheSlowModel() throws {
        var random = RandomSource()
        let wished = ProcessInfo.processInfo.environment["KIVO_TEST_SEED"].flatMap(UInt64.init)
        var (round, reads) = (0, 0)
        while round < TestEffort.count(5, full: 30) {
            let seed = (round == 0 ? wished : nil) ?? random.next()
            round += 1
            QueryFuzz.nextID.store(100, ordering: .relaxed)
            let run = try QueryFuzz.Run(
                Realm.Configuration(inMemoryIdentifier: "\(name) round \(round)"),
                QueryFuzz.Generator(random: RandomSource(seed: seed)))
            run.fill()
            for _ in 0..<5 { run.addWatch() }
            run.settle()
            for step in 0..<3 where run.problem == nil {
                run.steps = step
                reads += run.readBetweenEdits(40)
            }
            if let problem = run.problem { return XCTFail("KIVO_TEST_SEED=\(seed): \(problem)") }
        }
        XCTAssertGreaterThan(reads, TestEffort.expected(1000))
    }
}

extension QueryFuzz.Run {
    /// Makes some edits in a write that is given up, and reads the collections after each; returns how often that was.
    func readBetweenEdits(_ count: Int) -> Int {
        history = []
        realm.beginWrite()
        defer { realm.cancelWrite() }
        var reads = 0
        // Some are observed, but observers are not notified within a write; others are made for this write.
        let fresh = watches.compactMap { watch in watch.build(.text).map { (watch, $0) } }
        for _ in 0..<count where problem == nil {
            edit()
            let world = QueryFuzz.World(realm)
            for (watch, answer) in watches.map({ ($0, $0.answer) }) + fresh where generator.random.chance(70)
            {
                reads += 1
                let expected = watch.expected(world)
                compareEnds(answer, expected, watch)
                if generator.random.chance(10), answer.ids() != expected {
                    fail("in a write: \(answer.ids()), not \(expected)", watch)
                }
            }
        }
        return reads
    }

    /// One edit: at random, or the deletion of an element that a collection shows at one of its ends.
    private func edit() {
        if generator.random.chance(40), !watches.isEmpty {
            let watch = generator.pick(watches)
            let isFirst = generator.random.chance(70)
            guard !watch.isPlain, let id = isFirst ? watch.answer.first() : watch.answer.last() else {
                return
            }
            history.append("delete \(id), the \(isFirst ? "first" : "last") of \(watch.text)")
            return realm.delete(builder.object(id))
        }
        var edit = QueryFuzz.Edit(&generator)
        while edit.kind >= 91 { edit = QueryFuzz.Edit(&generator) }
        history.append("\(edit)")
        _ = edit.make(in: realm)
    }

    private func compareEnds(_ answer: QueryFuzz.Answer, _ expected: [Int], _ watch: QueryFuzz.Watch) {
        if answer.first() != expected.first {
            fail("in a write: first is \(String(describing: answer.first())), not that of \(expected)", watch)
        }
        if answer.isEmpty() != expected.isEmpty { fail("in a write: isEmpty for \(expected)", watch) }
        if answer.last() != expected.last {
            fail("in a write: last is \(String(describing: answer.last())), not that of \(expected)", watch)
        }
        if answer.count() != expected.count {
            fail("in a write: count is \(answer.count()), not that of \(expected)", watch)
        }
        guard problem == nil, !expected.isEmpty else { return }
        let position = generator.random.below(expected.count)
        if answer.at(position) != expected[position] {
            fail("in a write: [\(position)] is \(answer.at(position)), not that of \(expected)", watch)
        }
    }
}
