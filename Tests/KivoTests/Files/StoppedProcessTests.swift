import Foundation
import Kivo
import TestRandomness
import XCTest

/// A process that is stopped while others compact the file more than once finds no file that still has the commits it missed.
/// Its observers are notified of the difference.
final class StoppedProcessTests: FileTestCase {
    private let process = StoppedProcess()
    private var random = RandomSource("StoppedProcessTests")

    private func configuration(_ name: String) -> Realm.Configuration {
        var often = self.configuration
        often.objectTypes = [Depot.self, DepotTrack.self, DepotClock.self]
        often.separation = name
        (often.checkpoints.allowance, often.checkpoints.smallestTail) = (1 << 12, 1 << 11)
        (often.checkpoints.tailShare, often.checkpoints.smallestTailOfClosing) = (1 << 10, 1)
        return often
    }

    private func open() throws -> (running: Realm, stopped: Realm) {
        let running = try Realm(configuration: configuration("running"))
        try running.write { running.create(DepotClock.self, value: ["id": 0]) }
        let stopped = try Realm(
            configuration: process.configuration(configuration("stopped"), named: "stopped"))
        return (running, stopped)
    }

    private var journal: Data { get throws { try Data(contentsOf: file)[16..<24] } }

    /// Commits until the file was compacted so many times.
    private func compact(_ realm: Realm, times: Int) throws {
        let end = Date() + 60
        for _ in 0..<times {
            let before = try journal
            while try journal == before, Date() < end {
                try realm.write {
                    let clock = realm.object(ofType: DepotClock.self, forPrimaryKey: 0)!
                    clock.ticks += 1
                    clock.text = String(repeating: "tick ", count: clock.ticks % 100)
                }
            }
            XCTAssertLessThan(Date(), end, "the file was never compacted")
        }
    }

    private func wait(_ words: String = "", line: UInt = #line, until condition: () -> Bool) {
        let end = Date() + 60
        while !condition(), Date() < end { RunLoop.main.run(until: Date() + 0.001) }
        XCTAssert(condition(), words, line: line)
    }

    func testListenersAreToldTheDifference() throws {
        let (running, stopped) = try open()
        try running.write {
            for id in 0..<5 { running.create(Depot.self, value: ["id": id, "name": "\(id)"]) }
            running.objects(Depot.self)[2].lines.append(objectsIn: [1, 2, 3, 4, 5])
        }
        stopped.refresh()
        var told: [String] = []
        let depots = stopped.objects(Depot.self).sorted(byKeyPath: "id")
        let line = stopped.object(ofType: Depot.self, forPrimaryKey: 2)!.lines
        let tokens = [
            depots.observe { change in
                if case .update(let now, let gone, let came, let other) = change {
                    told.append("\(Array(now.map(\.id))) -\(gone) +\(came) ~\(other)")
                }
            },
            line.observe { change in
                if case .update(let now, let gone, let came, let other) = change {
                    told.append("lines \(Array(now)) -\(gone) +\(came) ~\(other)")
                }
            },
        ]
        let kept = stopped.object(ofType: Depot.self, forPrimaryKey: 3)!
        let observation = kept.observe(\.name, options: [.old, .new]) { _, change in
            told.append("\(change.oldValue!) became \(change.newValue!)")
        }
        let gone = stopped.object(ofType: Depot.self, forPrimaryKey: 0)!
        wait { stopped.refresh() || true }
        RunLoop.main.run(until: Date() + 0.01)
        process.stop()
        try running.write {
            running.delete(running.object(ofType: Depot.self, forPrimaryKey: 0)!)
            running.object(ofType: Depot.self, forPrimaryKey: 3)!.name = "three, for a moment"
        }
        try compact(running, times: 1)
        try running.write {
            running.create(Depot.self, value: ["id": 7, "name": "7"])
            running.create(Depot.self, value: ["id": 8, "name": "for a moment"])
            running.object(ofType: Depot.self, forPrimaryKey: 3)!.name = "three"
            let lines = running.object(ofType: Depot.self, forPrimaryKey: 2)!.lines
            lines.remove(at: 0)
            lines.append(6)
        }
        try compact(running, times: 2)
        try running.write { running.delete(running.object(ofType: Depot.self, forPrimaryKey: 8)!) }
        XCTAssertEqual(told, [])
        XCTAssertEqual(depots.count, 5)
        process.go()
        wait { told.count == 3 }
        XCTAssertEqual(
            told.sorted(),
            [
                "3 became three",
                "[1, 2, 3, 4, 7] -[0] +[4] ~[2, 3]",
                "lines [2, 3, 4, 5, 6] -[0] +[4] ~[]",
            ])
        XCTAssertTrue(gone.isInvalidated)
        observation.invalidate()
        for token in tokens { token.invalidate() }
    }

    /// The first commit of a process that was stopped includes the commits that it missed.
    func testAWriteIsBuiltOnWhatWasMissed() throws {
        let (running, stopped) = try open()
        XCTAssertEqual(stopped.objects(Depot.self).count, 0)
        process.stop()
        try running.write { running.create(Depot.self, value: ["id": 1, "name": "a"]) }
        try compact(running, times: 3)
        let ticks = running.object(ofType: DepotClock.self, forPrimaryKey: 0)!.ticks
        try stopped.write {
            XCTAssertEqual(stopped.object(ofType: DepotClock.self, forPrimaryKey: 0)!.ticks, ticks)
            stopped.object(ofType: Depot.self, forPrimaryKey: 1)!.name = "b"
            stopped.create(Depot.self, value: ["id": 2, "name": "c"])
        }
        process.go()
        try compact(stopped, times: 2)
        try running.write { running.create(Depot.self, value: ["id": 3, "name": "d"]) }
        XCTAssertEqual(running.objects(Depot.self).sorted(byKeyPath: "id").map(\.name), ["b", "c", "d"])
        stopped.refresh()
        XCTAssertEqual(stopped.objects(Depot.self).sorted(byKeyPath: "id").map(\.name), ["b", "c", "d"])
    }

    /// Keys that others gave out meanwhile are not given out again, also if nothing is left of what had them.
    func testKeysAreNotUsedTwice() throws {
        let (running, stopped) = try open()
        stopped.refresh()
        process.stop()
        try running.write { for id in 0..<10 { running.create(Depot.self, value: ["id": id]) } }
        let seen = Array(running.objects(Depot.self))
        let frozen = seen.map { $0.freeze() }
        try running.write { running.delete(running.objects(Depot.self)) }
        try compact(running, times: 2)
        try stopped.write { for id in 0..<10 { stopped.create(Depot.self, value: ["id": 100 + id]) } }
        running.refresh()
        XCTAssertTrue(seen.allSatisfy(\.isInvalidated))
        XCTAssertTrue(frozen.allSatisfy { $0.thaw() == nil })
        XCTAssertEqual(running.objects(Depot.self).count, 10)
    }

    /// A class whose first object came while the process was stopped.
    func testAClassThatIsNew() throws {
        var narrow = configuration("running")
        narrow.objectTypes = [DepotClock.self]
        let running = try Realm(configuration: narrow)
        try running.write { running.create(DepotClock.self, value: ["id": 0]) }
        let stopped = try Realm(
            configuration: process.configuration(configuration("stopped"), named: "stopped"))
        stopped.refresh()
        process.stop()
        let third = try Realm(configuration: configuration("third"))
        try third.write {
            let depot = third.create(Depot.self, value: ["id": 1, "name": "a"])
            depot.tracks.append(DepotTrack(value: ["number": 4]))
            depot.next = depot
            depot.mixed.append(objectsIn: [.int(1), .object(depot)])
        }
        try compact(running, times: 2)
        process.go()
        wait { stopped.objects(Depot.self).count == 1 }
        let depot = stopped.objects(Depot.self)[0]
        XCTAssertEqual(depot.tracks.map(\.number), [4])
        XCTAssertEqual(depot.next, depot)
        XCTAssertEqual(depot.mixed[1].object(Depot.self), depot)
    }

    /// Random edits of everything that a class can have, with observers whose pictures have to add up.
    func testRandomEdits() throws {
        let (running, stopped) = try open()
        let picture = DepotPicture(stopped)
        for round in 0..<TestEffort.count(5, full: 12) {
            if round % 4 != 3 { process.stop() }
            for _ in 0..<3 {
                for _ in 0..<random.below(12) { try edit(running) }
                try compact(running, times: round % 4 == 2 ? 0 : 1)
            }
            // Sometimes the stopped one writes first.
            if random.below(3) == 0 { try edit(stopped) }
            running.refresh()
            process.go()
            let wanted = running.objects(Depot.self).sorted(byKeyPath: "id").map(\.picture)
            wait("round \(round)") {
                stopped.objects(Depot.self).sorted(byKeyPath: "id").map(\.picture) == Array(wanted)
                    && picture.isUpToDate
            }
        }
        XCTAssertEqual(picture.failures, [])
        XCTAssertGreaterThan(picture.updates, TestEffort.expected(5))
        picture.end()
    }

    private func edit(_ realm: Realm) throws {
        try realm.write {
            for _ in 0..<1 + random.below(4) {
                let id = random.below(12)
                guard let depot = realm.object(ofType: Depot.self, forPrimaryKey: id) else {
                    realm.create(Depot.self, value: ["id": id, "name": "new \(random.below(100))"])
                    continue
                }
                depot.edit(&random, realm)
            }
        }
    }
}
