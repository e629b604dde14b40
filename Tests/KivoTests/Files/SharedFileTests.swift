import Foundation
import Kivo
import KivoEngine
import KivoJournal
import TestRandomness
import XCTest

/// A file that several stores have open at once, as processes would: each has its own memory, and they hear of each other by
/// the file alone.
final class SharedFileTests: FileTestCase {
    /// Runs the main run loop until a condition holds.
    private func wait(_ words: String = "", line: UInt = #line, until condition: () -> Bool) {
        let end = Date() + 120
        while !condition(), Date() < end { RunLoop.main.run(until: Date() + 0.001) }
        XCTAssert(condition(), words, line: line)
    }

    /// A commit and a compaction in the background end at the same moment, again and again, and another process follows.
    func testCommitsWhileTheFileIsCompactedAllTheTime() throws {
        var frequent = process("a")
        frequent.checkpoints.allowance = 1
        frequent.checkpoints.smallestTail = 1
        frequent.checkpoints.tailShare = 1 << 10
        let (a, b) = (try Realm(configuration: frequent), try Realm(configuration: process("b")))
        for age in 0..<TestEffort.count(600, full: 3000) {
            try a.write {
                if age % 8 == 7 { a.deleteAll() }
                a.add(Dog(value: ["age": age]))
            }
            if age % 100 == 0 { b.refresh() }
        }
        b.refresh()
        XCTAssertEqual(b.objects(Dog.self).map(\.age), a.objects(Dog.self).map(\.age))
    }

    func testACommitIsToldToObserversOfAnotherProcess() throws {
        let (a, b) = (try Realm(configuration: process("a")), try Realm(configuration: process("b")))
        var told: [String] = []
        let dogs = b.objects(Dog.self)
        let token = dogs.observe { change in
            switch change {
            case .initial(let dogs): told.append("initial \(dogs.count)")
            case .update(let dogs, let deletions, let insertions, let modifications):
                told.append("\(Array(dogs.map(\.name))) -\(deletions) +\(insertions) ~\(modifications)")
            case .error(let error): told.append("\(error)")
            }
        }
        wait { told == ["initial 0"] }
        try a.write { a.add([Dog(value: ["name": "Rex"]), Dog(value: ["name": "Max"])]) }
        wait { told.count == 2 }
        try a.write {
            a.objects(Dog.self)[1].name = "Moritz"
            a.delete(a.objects(Dog.self)[0])
        }
        wait { told.count == 3 }
        XCTAssertEqual(told, ["initial 0", #"["Rex", "Max"] -[] +[0, 1] ~[]"#, #"["Moritz"] -[0] +[] ~[1]"#])
        token.invalidate()
    }

    func testAWriteIsBuiltOnWhatOthersWrote() throws {
        let (a, b) = (try Realm(configuration: process("a")), try Realm(configuration: process("b")))
        for round in 0..<50 {
            for realm in [a, b, b, a] {
                try realm.write {
                    XCTAssertEqual(realm.objects(Dog.self).count, realm.objects(Person.self).count)
                    realm.add(Dog(value: ["name": "\(round)"]))
                    realm.add(Person(value: ["name": "\(round)", "dogs": [realm.objects(Dog.self).last!]]))
                }
            }
        }
        a.refresh()
        b.refresh()
        XCTAssertEqual(a.objects(Dog.self).count, 200)
        XCTAssertEqual(
            Array(b.objects(Person.self).map { $0.dogs[0].name }), Array(a.objects(Dog.self).map(\.name)))
    }

    func testRefreshSeesWhatIsCommitted() throws {
        let (a, b) = (try Realm(configuration: process("a")), try Realm(configuration: process("b")))
        b.autorefresh = false
        XCTAssertEqual(b.objects(Dog.self).count, 0)
        for count in 1...20 {
            try a.write { a.add(Dog()) }
            XCTAssertTrue(b.refresh())
            XCTAssertEqual(b.objects(Dog.self).count, count)
            XCTAssertFalse(b.refresh())
        }
    }

    func testWritersOfTwoProcessesCountTogether() throws {
        let configurations = ["a", "b"].map(process)
        try withRealm(configurations[0]) { realm in
            try realm.write { realm.add(Dog(value: ["name": "counter"])) }
        }
        let failures = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                let realm = try Realm(configuration: configurations[thread % 2])
                for _ in 0..<100 { try realm.write { realm.objects(Dog.self)[0].age += 1 } }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        XCTAssertEqual(failures.withLock { $0 }, [])
        XCTAssertEqual(try withRealm { realm in realm.objects(Dog.self)[0].age }, 400)
    }

    func testCompactionIsFollowed() throws {
        var often = process("a")
        (often.checkpoints.allowance, often.checkpoints.smallestTail) = (1 << 12, 1 << 11)
        (often.checkpoints.tailShare, often.checkpoints.smallestTailOfClosing) = (1 << 10, 1)
        var other = process("b")
        other.checkpoints = often.checkpoints
        let (a, b) = (try Realm(configuration: often), try Realm(configuration: other))
        let before = try Data(contentsOf: file)[16..<24]
        var (told, count) = (0, 0)
        let token = b.objects(Dog.self).observe { change in
            if case .update(let dogs, let deletions, let insertions, _) = change {
                told += insertions.count - deletions.count
                XCTAssertEqual(dogs.count, told)
            }
        }
        wait { b.isInWriteTransaction == false }
        for round in 0..<300 {
            let realm = round % 3 == 0 ? b : a
            try realm.write {
                realm.add(Dog(value: ["name": String(repeating: "x", count: round % 50)]))
                count += 1
                if round % 7 == 0, let first = realm.objects(Dog.self).first {
                    realm.delete(first)
                    count -= 1
                }
            }
            if round % 10 == 0 { RunLoop.main.run(until: Date() + 0.002) }
        }
        wait { told == count }
        XCTAssertNotEqual(before, try Data(contentsOf: file)[16..<24], "the file was never compacted")
        a.refresh()
        XCTAssertEqual(Array(a.objects(Dog.self).map(\.name)), Array(b.objects(Dog.self).map(\.name)))
        token.invalidate()
        XCTAssertEqual(try withRealm { $0.objects(Dog.self).count }, count)
    }

    func testAReaderBesidesAWriter() throws {
        try commit(["Rex"])
        var reading = process("reader")
        reading.readOnly = true
        let reader = try Realm(configuration: reading)
        let writer = try Realm(configuration: process("writer"))
        XCTAssertEqual(Array(reader.objects(Dog.self).map(\.name)), ["Rex"])
        try writer.write { writer.add(Dog(value: ["name": "Max"])) }
        XCTAssertTrue(reader.refresh())
        XCTAssertEqual(Array(reader.objects(Dog.self).map(\.name)), ["Rex", "Max"])
    }

    func testAClassThatOnlyOneProcessKnows() throws {
        var (first, second) = (process("a"), process("b"))
        first.objectTypes = [Dog.self, Person.self]
        second.objectTypes = [Dog.self]
        let (a, b) = (try Realm(configuration: first), try Realm(configuration: second))
        try b.write { b.add(Dog(value: ["name": "Rex"])) }
        try a.write { a.add(Person(value: ["name": "Ann", "dogs": [a.objects(Dog.self)[0]]])) }
        try b.write { b.add(Dog(value: ["name": "Max"])) }
        a.refresh()
        XCTAssertEqual(Array(a.objects(Dog.self).map(\.name)), ["Rex", "Max"])
        XCTAssertEqual(a.objects(Person.self)[0].dogs.map(\.name), ["Rex"])
    }
}
