#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The numbers at the foot of a table, as the server sends them.
final class StudioNumbersTests: StudioTestCase {
    private func makeDogs(_ count: Int) throws {
        try withRealm { realm in
            try realm.write {
                for index in 0..<count {
                    realm.add(ToolDog(value: ["name": "\(index % 3)", "age": index] as [String: Any]))
                }
            }
        }
    }

    /// Returns the values of the numbers of an event, by function and property.
    private func values(_ event: [String: Any]) -> [String: NSObject] {
        var values: [String: NSObject] = [:]
        for number in event["numbers"] as? [[String: Any]] ?? [] {
            let name = [number["function"], number["property"]].compactMap { $0 as? String }
            values[name.joined(separator: " ")] =
                (number["value"] ?? number["groups"] ?? number["count"]) as? NSObject
        }
        return values
    }

    func testNumbersFollowTheObjectsOfTheTable() throws {
        try makeDogs(10)
        try serve()
        let events = try live([
            "class": "ToolDog", "where": "age < 5", "numbers": "count,sum:age,avg:age,max:age,min:mother.age",
        ])
        defer { events.connection.end() }
        let begin = try events.next("begin")
        XCTAssertEqual(
            values(begin),
            [
                "count": 5 as NSNumber, "sum age": 10 as NSNumber, "avg age": 2 as NSNumber,
                "max age": 4 as NSNumber, "min mother.age": NSNull(),
            ])
        try withRealm { realm in
            let dogs = realm.objects(ToolDog.self)
            try realm.write { dogs[0].mother = dogs[9] }
            XCTAssertEqual(values(try events.next("change"))["min mother.age"], 9 as NSNumber)
            // The objects of the table are as they were, but not what they add up to.
            try realm.write { dogs[9].age = 12 }
            let change = try events.next("change")
            XCTAssertEqual(change["modified"] as? Int, 0)
            XCTAssertEqual(values(change)["min mother.age"], 12 as NSNumber)
            try realm.write { dogs[1].name = "another" }
            XCTAssertNil(try events.next("change")["numbers"], "the numbers are what they were")
            try realm.write { dogs[4].age = 100 }
            XCTAssertEqual(values(try events.next("change"))["sum age"], 6 as NSNumber)
        }
    }

    func testGroups() throws {
        try makeDogs(4)
        try serve()
        let events = try live(["class": "ToolDog", "numbers": "count,sum:age", "by": "name"])
        defer { events.connection.end() }
        XCTAssertEqual(
            values(try events.next("begin")),
            [
                "count": [["0", 2], ["1", 1], ["2", 1]] as NSArray,
                "sum age": [["0", 3], ["1", 1], ["2", 2]] as NSArray,
            ])
        try withRealm { realm in
            try realm.write { realm.objects(ToolDog.self)[1].name = "2" }
            XCTAssertEqual(values(try events.next("change"))["count"], [["0", 2], ["2", 2]] as NSArray)
            try realm.write {
                for index in 0..<600 { realm.add(ToolDog(value: ["name": "dog \(index)"])) }
            }
            XCTAssertEqual(values(try events.next("change"))["count"], 602 as NSNumber, "too many to show")
        }
    }

    func testAnOldCommitHasItsNumbers() throws {
        try makeDogs(4)
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 100 } }
        try serve()
        let commit = try XCTUnwrap(try get("/api/file")["commit"] as? Int)
        for (number, sum) in [(commit - 1, 6), (commit, 106)] {
            let events = try live(["class": "ToolDog", "numbers": "sum:age", "at": "\(number)"])
            XCTAssertEqual(values(try events.next("begin")), ["sum age": sum as NSNumber])
            events.connection.end()
        }
    }

    /// The table is there all the same.
    func testWrongNumbersAreMistakes() throws {
        try makeDogs(1)
        try serve()
        for (numbers, key, part) in [
            ("sum:name", "", "cannot be made"), ("sum:nmae", "", "did you mean"), ("sum", "", "no number"),
            ("count:age", "", "no number"), ("total:age", "", "no number"), ("max:age", "name", "of groups"),
            ("count", "mother", "cannot be grouped"), ("count", "nmae", "did you mean"),
            (":", "", "no number"),
            ("::", "", "no number"), (":count", "", "no number"), ("count,sum:", "", "no property"),
            (String(repeating: "count,", count: 9), "", "at most 8"),
            ("sum:" + String(repeating: "x", count: 9000), "", "no property"),
            ("sum:mother", "", "cannot be made"),
        ] {
            let events = try live(["class": "ToolDog", "numbers": numbers, "by": key])
            let begin = try events.next("begin")
            XCTAssertEqual(begin["count"] as? Int, 1)
            let mistake = begin["numbersMistake"] as? String
            XCTAssertTrue(mistake?.contains(part) ?? false, "\(numbers) \(key): \(mistake ?? "")")
            events.connection.end()
        }
    }

    /// What is committed while a query is evaluated arrives at once.
    func testNothingIsMissedWhileATableIsOpened() throws {
        try makeDogs(1)
        let session = try StudioSession(file.path, newCommits: DispatchSemaphore(value: 0))
        let opening = try session.begin("ToolDog", at: nil) { some, _ in
            let numbers = StudioNumbers.Request(
                className: some.name, predicate: nil, numbers: ["sum:age"], key: nil)
            return (nil, numbers)
        }
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 5 } }
        try session.follow()
        let view = try opening.open()
        session.add(view)
        XCTAssertLessThan(view.number, session.recent.number)
        XCTAssertEqual(view.advance(number: session.recent.number)?.hasOtherNumbers, true)
        session.close(view)
    }

    func testLongKeysAndValuesOfAnyType() throws {
        try withRealm { realm in
            try realm.write {
                realm.create(
                    ToolThing.self,
                    value: ["key": "a", "string": String(repeating: "long ", count: 10_000), "any": 2.5]
                        as [String: Any])
            }
        }
        try serve()
        let groups = try live(["class": "ToolThing", "numbers": "count", "by": "string"])
        let key = (values(try groups.next("begin"))["count"] as? [[Any]])?.first?.first as? String
        XCTAssertEqual(key?.count, 101)
        groups.connection.end()
        let any = try live(["class": "ToolThing", "numbers": "sum:any,max:any"])
        let numbers = values(try any.next("begin"))
        XCTAssertFalse(numbers["max any"] is NSNull || numbers["sum any"] is NSNull, "\(numbers)")
        any.connection.end()
    }
}

/// The numbers at the foot of a table, used by hand.
final class StudioFootTests: StudioPageTestCase {
    func testNumbersAreChosenAndFollow() throws {
        try withRealm { realm in
            try realm.write {
                for age in 0..<200 {
                    realm.add(ToolDog(value: ["name": "\(age % 2)", "age": age] as [String: Any]))
                }
            }
        }
        try show("/class/ToolDog")
        try browser.wait("document.querySelectorAll('.layer .row').length > 10")
        try browser.run("studio.view.scroller.scrollTop = 1500")
        try browser.wait("document.querySelector('.layer .row[aria-rowindex=\"60\"]')")
        try browser.click(".foot summary")
        try browser.click("[data-does='sum:age']")
        try browser.click("[data-does='max:age']")
        let number = { (name: String) in "document.querySelector('[data-number=\"\(name)\"]')?.innerText" }
        try browser.wait(
            "\(number("sum(age)")) === 'sum(age) 19,900' && \(number("max(age)")) === 'max(age) 199'")
        XCTAssertEqual(
            try browser.run("return studio.view.scroller.scrollTop") as? Int, 1500, "the rows stay")
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 1000 } }
        try browser.wait(
            "\(number("sum(age)")) === 'sum(age) 20,900' && \(number("max(age)")) === 'max(age) 1,000'")
        // Groups have no greatest value.
        try browser.run(
            "const by = document.querySelector('[data-does=by]'); by.value = 'name'; by.dispatchEvent(new Event('change'))"
        )
        try browser.wait("\(number("sum(age)")) === 'sum(age) by name 0 10,900 1 10,000'")
        XCTAssertEqual(try browser.run("return document.querySelectorAll('[data-number]').length") as? Int, 1)
        // The address has them.
        try browser.run("location.reload()")
        try browser.wait("\(number("sum(age)")) === 'sum(age) by name 0 10,900 1 10,000'")
        try browser.run("studio.view.go({ where: 'age < 10' })")
        try browser.wait("\(number("sum(age)")) === 'sum(age) by name 0 20 1 25'")
    }
}
#endif
