#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// How tables follow what others commit.
final class StudioLiveTests: StudioTestCase {
    /// Returns the number of the newest commit that the studio shows.
    private func newest() throws -> Int { try XCTUnwrap(try get("/api/file")["commit"] as? Int) }

    private func makeDogs(_ count: Int) throws {
        try withRealm { realm in
            try realm.write { for index in 0..<count { realm.add(ToolDog(value: ["name": "Dog \(index)"])) } }
        }
    }

    func testChangesArriveWithTheRowsThatCanBeSeen() throws {
        try makeDogs(10)
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        XCTAssertEqual(try rows(view, 0, 5).count, 5)
        try withRealm { realm in
            let dogs = realm.objects(ToolDog.self)
            try realm.write { dogs[1].age = 7 }
            var change = try events.next("change")
            XCTAssertEqual(change["modified"] as? Int, 1)
            XCTAssertEqual(change["changed"] as? [String: String], ["1": "modified"])
            XCTAssertEqual((change["rows"] as? [[Any]])?.map { $0[1] as? Int }, [7])
            try realm.write { realm.delete(dogs[0]) }
            change = try events.next("change")
            XCTAssertEqual(change["deleted"] as? Int, 1)
            XCTAssertEqual(change["gone"] as? [Int], [1])
            XCTAssertEqual(change["keys"] as? [Int], [2, 3, 4, 5, 6])
            // Only the row that came into the window is sent.
            XCTAssertEqual((change["rows"] as? [[Any]])?.map { $0[0] as? Int }, [6])
            try realm.write { realm.add(ToolDog(value: ["name": "last"])) }
            change = try events.next("change")
            XCTAssertEqual(change["inserted"] as? Int, 1)
            XCTAssertEqual(change["count"] as? Int, 10)
            XCTAssertEqual((change["rows"] as? [[Any]])?.count, 0)
        }
    }

    func testASortedAndFilteredTableMovesItsRows() throws {
        try makeDogs(10)
        try serve()
        let (events, view) = try open("ToolDog", ["where": "age < 100", "sort": "-age"])
        defer { events.connection.end() }
        XCTAssertEqual(try rows(view).count, 10)
        try withRealm { realm in
            let dogs = realm.objects(ToolDog.self)
            try realm.write { dogs[9].age = 50 }
            var change = try events.next("change")
            XCTAssertEqual(change["moved"] as? Int, 1)
            XCTAssertEqual((change["keys"] as? [Int])?.first, 10)
            XCTAssertEqual(change["changed"] as? [String: String], ["0": "moved"])
            try realm.write { dogs[9].age = 100 }
            change = try events.next("change")
            XCTAssertEqual(change["deleted"] as? Int, 1)
            XCTAssertEqual(change["gone"] as? [Int], [10])
            try realm.write { dogs[9].age = 99 }
            change = try events.next("change")
            XCTAssertEqual(change["inserted"] as? Int, 1)
            XCTAssertEqual(change["changed"] as? [String: String], ["0": "inserted"])
        }
    }

    func testEditsOfListsModifyTheirRows() throws {
        try makePets()
        try serve()
        let (events, view) = try open("ToolPerson")
        defer { events.connection.end() }
        _ = try rows(view)
        try withRealm { realm in
            try realm.write { realm.objects(ToolPerson.self)[0].scores["go"] = 9 }
        }
        let change = try events.next("change")
        XCTAssertEqual(change["modified"] as? Int, 1)
        XCTAssertEqual(change["changed"] as? [String: String], ["0": "modified"])
    }

    func testRowsStayInSightWhenOthersAreDeletedBeforeThem() throws {
        try makeDogs(100)
        try serve()
        for sort in ["", "-name"] {
            let (events, view) = try open("ToolDog", sort.isEmpty ? [:] : ["sort": sort])
            defer { events.connection.end() }
            let before = try rows(view, 50, 5, isAnchored: true).map { $0[0] as? Int }
            let first = try rows(view, 0, 1).map { $0[0] as! Int }
            _ = try rows(view, 50, 5, isAnchored: true)
            try withRealm { realm in
                try realm.write {
                    realm.delete(
                        realm.objects(ToolDog.self).filter(
                            "name == %@", sort.isEmpty ? "Dog \(first[0] - 1)" : "Dog \(first[0] - 1)"))
                }
            }
            let change = try events.next("change")
            XCTAssertEqual(change["offset"] as? Int, 49, sort)
            XCTAssertEqual(change["keys"] as? [Int], before.compactMap { $0 }, sort)
        }
    }

    func testManyCommitsAreFewEventsForAReaderThatIsSlow() throws {
        try makeDogs(10)
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        _ = try rows(view)
        let before = try newest()
        try withRealm { realm in
            let dog = realm.objects(ToolDog.self)[0]
            for age in 1...500 { try realm.write { dog.age = age } }
        }
        let read = events.count
        var last = try events.next("change")
        while last["commit"] as? Int ?? 0 < before + 500 { last = try events.next("change") }
        XCTAssertEqual((last["rows"] as? [[Any]])?.first?[1] as? Int, 500)
        XCTAssertLessThan(events.count - read, 400)
    }

    func testAReaderThatStopsHoldsNothing() throws {
        try withRealm { realm in
            try realm.write {
                for _ in 0..<500 {
                    realm.add(ToolDog(value: ["name": String(repeating: "x", count: 20_000)]))
                }
            }
        }
        var limits = HTTPServer.Limits()
        limits.stall = 0.3
        try serve(limits: limits)
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        // A server that has little time fills the buffers late, and gives up later.
        let isCutOff = try [1.0, 5, 20].contains { seconds in
            let prepared = try request("/api/export", post: ["view": view, "format": "jsonl"])
            let export = try RawConnection(port: port)
            export.send(
                "GET \(try XCTUnwrap(prepared.json["path"] as? String)) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\n\r\n"
            )
            XCTAssertFalse(export.read().isEmpty)
            // The client stops reading, until the server has given up.
            Thread.sleep(forTimeInterval: seconds)
            XCTAssertEqual(try request("/api/file").status, 200)
            // The bytes that the system has buffered can still be read; the end is missing.
            return !export.readAll().hasSuffix("0\r\n\r\n")
        }
        XCTAssert(isCutOff, "the server holds what nobody reads")
    }

    func testAPausedTableStaysAndCounts() throws {
        try makeDogs(10)
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        _ = try rows(view)
        XCTAssertEqual(try request("/api/pause", post: ["view": view, "isPaused": true]).status, 200)
        try withRealm { realm in
            for _ in 0..<3 { try realm.write { realm.add(ToolDog(value: ["name": "new"])) } }
            try realm.write { realm.delete(realm.objects(ToolDog.self)[0]) }
        }
        var pending = try events.next("pending")
        while pending["commits"] as? Int != 4 { pending = try events.next("pending") }
        XCTAssertEqual(pending["inserted"] as? Int, 3)
        XCTAssertEqual(pending["deleted"] as? Int, 1)
        XCTAssertEqual(try rows(view).count, 10)
        XCTAssertEqual(try request("/api/pause", post: ["view": view, "isPaused": false]).status, 200)
        let change = try events.next("change")
        XCTAssertEqual(change["count"] as? Int, 12)
        XCTAssertEqual(try request("/api/pause", post: ["view": 99, "isPaused": true]).status, 410)
        XCTAssertEqual(try request("/api/pause", post: [String: Int]()).status, 400)
    }

    func testCountsOfOtherClassesArrive() throws {
        try makePets()
        try makeDogs(1)
        try serve()
        let (events, _) = try open("ToolPerson")
        defer { events.connection.end() }
        try makeDogs(2)
        let summary = try events.next("file")
        XCTAssertEqual((summary["counts"] as? [String: Int])?["ToolDog"], 5)
        XCTAssertFalse((summary["commits"] as? [Any])?.isEmpty ?? true)
    }

    func testAFileThatIsCompactedIsFollowedOn() throws {
        try makeDogs(10)
        try serve()
        let (events, _) = try open("ToolDog")
        XCTAssertEqual(run("compact", file.path).code, .success)
        try makeDogs(1)
        _ = try events.next("reset")
        // The commit after the compaction may be read a moment later than the new file.
        try service.withSession { session in _ = try session.follow() }
        let (next, view) = try open("ToolDog")
        defer { next.connection.end() }
        XCTAssertEqual(try rows(view).count, 11)
        try makeDogs(1)
        XCTAssertEqual(try next.next("change")["count"] as? Int, 12)
    }

    func testViewsFollowAtRandom() throws {
        try makeDogs(30)
        try serve()
        var numbers = RandomSource()
        let queries: [[String: String]] = [
            [:], ["where": "age > 4"], ["sort": "-age,name"], ["where": "age != 3", "sort": "name"],
        ]
        let tables = try queries.map { try open("ToolDog", $0) }
        var known = try tables.map { try rows($0.view, 0, 20).map { $0[0] as! Int } }
        try withRealm { realm in
            for _ in 0..<40 {
                try realm.write {
                    let dogs = Array(realm.objects(ToolDog.self))
                    for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                        switch Int.random(in: 0..<4, using: &numbers) {
                        case 0:
                            realm.add(
                                ToolDog(value: ["name": "N\(UInt8.random(in: 0 ... .max, using: &numbers))"]))
                        case 1:
                            if let dog = dogs.randomElement(using: &numbers), !dog.isInvalidated {
                                realm.delete(dog)
                            }
                        default:
                            if let dog = dogs.randomElement(using: &numbers), !dog.isInvalidated {
                                dog.age = Int.random(in: 0..<10, using: &numbers)
                            }
                        }
                    }
                }
            }
        }
        // A last commit that can be recognized: when the studio shows it, it shows all others.
        try withRealm { realm in try realm.write { realm.add(ToolPerson(value: ["id": 1])) } }
        var classes: [[String: Any]] = []
        while !classes.contains(where: { $0["name"] as? String == "ToolPerson" }) {
            classes = try get("/api/file")["classes"] as? [[String: Any]] ?? []
        }
        let commit = try newest()
        for (index, table) in tables.enumerated() {
            while true {
                let page = try get("/api/rows", ["view": "\(table.view)", "offset": "0", "count": "20"])
                if page["commit"] as? Int ?? 0 >= commit {
                    known[index] = (page["rows"] as! [[Any]]).map { $0[0] as! Int }
                    break
                }
                usleep(5000)
            }
            let (fresh, view) = try open("ToolDog", queries[index])
            XCTAssertEqual(known[index], try rows(view, 0, 20).map { $0[0] as! Int }, "\(queries[index])")
            fresh.connection.end()
            table.events.connection.end()
        }
    }

    /// A query that takes long holds up nobody else.
    func testALongQueryHoldsUpNobody() throws {
        try withRealm { realm in try realm.write { realm.add(ToolDog(value: ["name": "Kit"])) } }
        try serve()
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let core = try service.core
        service.evaluate("ToolDog", beside: core, { XCTFail("\($0)") }) {
            begun.signal()
            end.wait()
        }
        begun.wait()
        let (events, view) = try open("ToolDog", ["sort": "-age"])
        XCTAssertEqual(try rows(view).count, 1)
        events.connection.end()
        XCTAssertGreaterThanOrEqual(core.queryCount.withLock { $0 }, 1, "the query ended before")
        end.signal()
        while core.queryCount.withLock({ $0 }) > 0 { usleep(1000) }
    }

    /// A pattern for which engines that backtrack take for ever.
    func testNoPatternTakesLong() throws {
        try withRealm { realm in
            try realm.write { realm.add(ToolDog(value: ["name": String(repeating: "x", count: 10_000)])) }
        }
        try serve()
        let (events, view) = try open("ToolDog", ["where": "name MATCHES '(x+x+)+y'"])
        XCTAssertEqual(try rows(view).count, 0)
        events.connection.end()
    }
}
#endif
