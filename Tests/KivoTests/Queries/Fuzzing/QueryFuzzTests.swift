import Foundation
import Kivo
import TestRandomness
import XCTest

/// Random queries of random objects under random transactions. Both ways to write a query agree with each other and with a slow
/// evaluation over arrays, and the notifications of observers are consistent.
///
/// `KIVO_FUZZ_SEED=n` repeats one round.
final class QueryFuzzTests: RealmTestCase {
    func testObserversAndQueriesAgreeWithTheSlowModel() throws {
        var random = RandomSource()
        let wished = ProcessInfo.processInfo.environment["KIVO_FUZZ_SEED"].flatMap(UInt64.init)
        var (rounds, steps, deliveries) = (0, 0, 0)
        while rounds < QueryFuzzTests.rounds {
            let seed = (rounds == 0 ? wished : nil) ?? random.next()
            let run = try makeRun(RandomSource(seed: seed), "round \(rounds)")
            if let problem = run.problem { return XCTFail("KIVO_FUZZ_SEED=\(seed): \(problem)") }
            rounds += 1
            steps += run.steps
            deliveries += run.deliveries
        }
        XCTAssertGreaterThan(deliveries, steps / 2)
    }

    private static let rounds = Sanitizer.isPresent ? 10 : TestEffort.count(1, full: 40)

    private func makeRun(_ random: RandomSource, _ name: String) throws -> QueryFuzz.Run {
        QueryFuzz.nextID.store(100, ordering: .relaxed)
        let run = try QueryFuzz.Run(
            Realm.Configuration(inMemoryIdentifier: "\(self.name) \(name)"),
            QueryFuzz.Generator(random: random))
        run.fill()
        for _ in 0..<6 { run.addWatch() }
        run.settle()
        for step in 0..<40 where run.problem == nil {
            run.steps = step
            try run.step()
        }
        return run
    }
}

extension QueryFuzz.Run {
    /// Creates the first objects: sometimes few, sometimes so many that indexes are worth asking.
    func fill() {
        let count = generator.random.chance(30) ? 70 : 12
        var edits: [QueryFuzz.Edit] = []
        while edits.count < count {
            var edit = QueryFuzz.Edit(&generator)
            if edits.count < count / 2 { edit.kind %= 13 } else if edit.kind == 93 { continue }
            if edit.kind < 13, edit.values.count < 5 { continue }
            edits.append(edit)
        }
        do { try write(edits) } catch { fail("\(error)", nil) }
    }

    /// Observes something at random.
    func addWatch() {
        let world = world
        generator.known = [.thing: world.all(.thing), .holder: world.all(.holder)]
        if generator.random.chance(15), !world.all(.thing).isEmpty { return addNumbers(world) }
        let type: QueryFuzz.Class = generator.random.chance(75) ? .thing : .holder
        var source = QueryFuzz.Source.all
        if generator.random.chance(50) {
            let owner: QueryFuzz.Class = generator.random.chance(50) ? .thing : .holder
            let properties = QueryFuzz.properties(owner)
            let fitting = properties.indices.filter { index in
                if case .objects(let target, _, _) = properties[index].shape { target == type } else { false }
            }
            if !world.all(owner).isEmpty, !fitting.isEmpty {
                source = .property(generator.pick(world.all(owner)), owner, generator.pick(fitting))
            }
        }
        let chain = generator.chain(source, type)
        let builder = builder
        guard let answer = builder.answer(chain, generator.pick(QueryFuzz.Style.allCases)) else { return }
        var (isReplacing, isRecorded) = (false, false)
        if chain.steps.isEmpty, case .property(_, let owner, let index) = source,
            case .objects(_, let isList, let isLinking) = QueryFuzz.properties(owner)[index].shape
        {
            // Elements that were removed and inserted again are reported as such, because these collections follow the
            // operations.
            (isReplacing, isRecorded) = (isList, !isLinking)
        }
        let keyPaths = generator.random.chance(35) ? generator.keyPaths(type) : []
        let watch = QueryFuzz.Watch(
            "\(chain.text) by \(generator.names(keyPaths, type))", answer, keyPaths,
            generator.names(keyPaths, type),
            hasDuplicates: chain.hasDuplicates || isRecorded, isReplacing: isReplacing, isPlain: false,
            expected: { $0.answer(chain) }, build: { builder.answer(chain, $0) })
        watch.type = type
        watch.isRecorded = isRecorded
        add(watch)
    }

    /// Some transactions and a delivery.
    func step() throws {
        for _ in 0...generator.random.below(3) {
            switch generator.random.below(10) {
            case 0..<4: try write(edits())
            case 4: try write(edits(), isSilent: true)
            case 5: try write(edits(), isCancelled: true)
            default: try writeElsewhere(edits())
            }
        }
        settle()
        checkAnswers(world, "after a delivery")
        if generator.random.chance(30), drop() {}
        if watches.count < 8, generator.random.chance(50) {
            addWatch()
            settle()
        }
    }
}

extension QueryFuzz.Generator {
    /// Key paths of a class, of one to three components.
    mutating func keyPaths(_ root: QueryFuzz.Class) -> [[Int]] {
        (0...random.below(2)).map { _ in
            var (path, type): ([Int], QueryFuzz.Class?) = ([], root)
            repeat {
                path.append(random.below(QueryFuzz.properties(type!).count))
                let property = QueryFuzz.properties(type!)[path.last!]
                // Behind linking objects it matters which deliveries there were in between.
                type = property.origin == nil ? property.shape.target : nil
            } while type != nil && path.count < 3 && random.chance(60)
            return path
        }
    }

    func names(_ keyPaths: [[Int]], _ root: QueryFuzz.Class) -> [String] {
        keyPaths.map { path in
            var (names, type): ([String], QueryFuzz.Class?) = ([], root)
            for index in path {
                names.append(QueryFuzz.properties(type!)[index].name)
                type = QueryFuzz.properties(type!)[index].shape.target
            }
            return names.joined(separator: ".")
        }
    }
}
