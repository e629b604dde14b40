#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Reading requests of the page.
final class StudioReadingTests: StudioTestCase {
    func testTheFileAndItsClasses() throws {
        try makePets()
        try serve()
        let answer = try get("/api/file")
        XCTAssertEqual(answer["path"] as? String, file.path)
        XCTAssertEqual(answer["isWritable"] as? Bool, false)
        let classes = try XCTUnwrap(answer["classes"] as? [[String: Any]])
        XCTAssertEqual(classes.map { $0["name"] as? String }, ["ToolAddress", "ToolDog", "ToolPerson"])
        XCTAssertEqual(classes.map { $0["count"] as? Int }, [1, 2, 1])
        XCTAssertEqual(classes.map { $0["isEmbedded"] as? Bool }, [true, false, false])
        let properties = try XCTUnwrap(classes[2]["properties"] as? [[String: Any]])
        let home = try XCTUnwrap(properties.first { $0["name"] as? String == "home" })
        XCTAssertEqual(home["target"] as? String, "ToolAddress")
        XCTAssertEqual(home["ownsTarget"] as? Bool, true)
    }

    private func makeDogs(_ count: Int) throws {
        try withRealm { realm in
            try realm.write {
                for index in 0..<count {
                    realm.add(ToolDog(value: ["name": "Dog \(index)", "age": index % 10]))
                }
            }
        }
    }

    func testSizesOfClasses() throws {
        try makeDogs(2000)
        try withRealm { realm in
            try realm.write {
                realm.add(ToolPerson(value: ["id": 1, "name": String(repeating: "n", count: 20_000)]))
            }
        }
        XCTAssertEqual(run("compact", file.path).code, .success)
        try serve()
        func sizes() throws -> (dogs: Int, people: Int, data: Int, bytes: Int) {
            let answer = try get("/api/sizes")
            let classes = try XCTUnwrap(answer["classes"] as? [String: Int])
            XCTAssertEqual(classes["ToolAddress"], 0)
            let data = try XCTUnwrap(answer["dataBytes"] as? Int)
            XCTAssertEqual(classes.values.reduce(0, +), data)
            return (
                try XCTUnwrap(classes["ToolDog"]), try XCTUnwrap(classes["ToolPerson"]), data,
                try XCTUnwrap(answer["bytes"] as? Int)
            )
        }
        let first = try sizes()
        // A name and an age each, and one large name.
        XCTAssertTrue((2000 * 8..<2000 * 40).contains(first.dogs), "\(first)")
        XCTAssertTrue((20_000..<24_000).contains(first.people), "\(first)")
        XCTAssertLessThan(first.data, first.bytes)
        // Commits do not belong to the sizes, and the next checkpoint does.
        try makeDogs(2000)
        XCTAssertEqual(try sizes().people, first.people)
        XCTAssertEqual(run("compact", file.path).code, .success)
        try service.withSession { session in _ = try session.follow() }
        XCTAssertGreaterThan(try sizes().dogs, first.dogs * 3 / 2)
    }

    func testRowsByPosition() throws {
        try makeDogs(1000)
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        let page = try rows(view, 997, 100)
        XCTAssertEqual(page.map { $0[0] as? Int }, [998, 999, 1000])
        // The columns are age, mother, name.
        XCTAssertEqual(page[2][1] as? Int, 9)
        XCTAssertTrue(page[2][2] is NSNull)
        XCTAssertEqual(page[2][3] as? String, "Dog 999")
        XCTAssertEqual(try rows(view, 5000).count, 0)
        XCTAssertEqual(try request("/api/rows?view=\(view)&count=501").status, 400)
        XCTAssertEqual(try request("/api/rows?view=\(view)&offset=999999999999999999").status, 400)
        XCTAssertEqual(try request("/api/rows?view=77").status, 410)
        XCTAssertEqual(try get("/api/position", ["view": "\(view)", "key": "500"])["position"] as? Int, 499)
    }

    func testPredicatesAndSortKeys() throws {
        try makeDogs(100)
        try serve()
        let (events, view) = try open("ToolDog", ["where": "age >= 8", "sort": "-age,name"])
        defer { events.connection.end() }
        let page = try rows(view)
        XCTAssertEqual(page.count, 20)
        XCTAssertEqual(
            page.map { $0[1] as? Int }, Array(repeating: 9, count: 10) + Array(repeating: 8, count: 10))
        XCTAssertEqual(page[0][3] as? String, "Dog 19")
    }

    func testMistakesOfPredicatesHavePlaces() throws {
        try makePets()
        try serve()
        func mistake(_ text: String, _ sort: String = "") throws -> (String, Int?, Int?) {
            let answer = try request(
                "/api/check" + StudioTestCase.query(["class": "ToolDog", "where": text, "sort": sort]))
            XCTAssertEqual(answer.status, 422, answer.text)
            return (
                answer.json["message"] as? String ?? "", answer.json["position"] as? Int,
                answer.json["length"] as? Int
            )
        }
        // Any number of mistakes in a row, as while typing.
        for number in 0..<TestEffort.size(60, full: 600) {
            let message = try mistake("nmae\(number) == 1").0
            XCTAssertTrue(message.contains("'nmae\(number)'"), message)
        }
        var found = try mistake("age >")
        XCTAssertTrue(found.0.hasPrefix("Expected "), found.0)
        XCTAssertEqual(found.1, 5)
        found = try mistake("age > 1 AND nmae == 'Rex'")
        XCTAssertTrue(found.0.contains("nmae"), found.0)
        XCTAssertEqual([found.1, found.2], [12, 4])
        found = try mistake("age == 'five'")
        XCTAssertTrue(found.0.contains("cannot be compared"), found.0)
        XCTAssertEqual([found.1, found.2], [8, 4])
        found = try mistake("mother.nmae == 'Rex'")
        XCTAssertTrue(found.0.contains("nmae"), found.0)
        found = try mistake("name == %@")
        XCTAssertFalse(found.0.isEmpty)
        found = try mistake("", "nmae")
        XCTAssertNil(found.1)
        XCTAssertEqual(try request("/api/live?class=ToolDog&where=age").status, 422)
        XCTAssertEqual(
            try get("/api/check", ["class": "ToolDog", "where": "mother.name == 'Rex' OR age > 5"])["isValid"]
                as? Bool, true)
        XCTAssertEqual(try request("/api/check?class=Nobody").status, 404)
    }

    func testAnObjectWithItsLinksAndWhatLinksToIt() throws {
        try makePets()
        try serve()
        let person = try get("/api/object", ["class": "ToolPerson", "key": "1"])
        XCTAssertEqual(person["label"] as? String, "Mia B.")
        let values = try XCTUnwrap(person["values"] as? [String: Any])
        let dogs = try XCTUnwrap(values["dogs"] as? [String: Any])
        XCTAssertEqual(dogs["count"] as? Int, 2)
        XCTAssertEqual((dogs["first"] as? [[String: Int]])?.map { $0["key"] }, [1, 3])
        let scores = try XCTUnwrap(values["scores"] as? [String: Any])
        XCTAssertEqual((scores["first"] as? [[Any]])?.map { $0[0] as? String }, ["chess", "go"])
        let dog = try get("/api/object", ["class": "ToolDog", "key": "1"])
        let backlinks = try XCTUnwrap(dog["backlinks"] as? [[String: Any]])
        XCTAssertEqual(backlinks.map { $0["property"] as? String }, ["dogs", "pets"])
        XCTAssertEqual(try request("/api/object?class=ToolDog&key=2").status, 410)
        XCTAssertEqual(try request("/api/object?class=ToolDog").status, 410)
    }

    func testEveryTypeUnfolds() throws {
        try withRealm { realm in
            try realm.write {
                let thing = ToolThing(value: ["key": "a"])
                realm.add(thing)
                thing.ints.append(objectsIn: 0..<250)
                thing.anyMap["list"] = AnyRealmValue.fromArray([.int(1), .string("y")])
                thing.any = AnyRealmValue.fromDictionary(["a": AnyRealmValue.fromArray([.bool(true)])])
                thing.string = String(repeating: "é", count: 500)
                thing.data = Data(repeating: 7, count: 1000)
                thing.double = .nan
            }
        }
        try serve()
        let (events, view) = try open("ToolThing")
        defer { events.connection.end() }
        let classes = try XCTUnwrap(try get("/api/file")["classes"] as? [[String: Any]])
        let some = try XCTUnwrap(classes.first { $0["name"] as? String == "ToolThing" })
        let names = try XCTUnwrap(some["properties"] as? [[String: Any]]).map { $0["name"] as? String }
        let row = try rows(view)[0]
        func cell(_ name: String) -> Any { row[names.firstIndex(of: name)! + 1] }
        let text = try XCTUnwrap(cell("string") as? [String: Any])
        XCTAssertEqual(text["size"] as? Int, 1000)
        XCTAssertEqual((text["cut"] as? String)?.count, 200)
        XCTAssertEqual((cell("data") as? [String: Any])?["size"] as? Int, 1000)
        XCTAssertEqual((cell("ints") as? [String: Any])?["count"] as? Int, 250)
        XCTAssertEqual(((cell("ints") as? [String: Any])?["first"] as? [Int])?.count, 6)
        XCTAssertEqual((cell("double") as? [String: Any])?["repr"] as? String, "nan")
        XCTAssertEqual((cell("any") as? [String: Any])?["type"] as? String, "dictionary")
        let page = try get(
            "/api/elements",
            ["class": "ToolThing", "key": "1", "property": "ints", "offset": "240", "count": "20"])
        XCTAssertEqual(page["first"] as? [Int], Array(240..<250))
        let whole = try get("/api/elements", ["class": "ToolThing", "key": "1", "property": "string"])
        XCTAssertEqual((whole["value"] as? String)?.count, 500)
        XCTAssertEqual(try request("/api/elements?class=ToolThing&key=1&property=none").status, 404)
    }

    func testHostileValuesAreText() throws {
        let hostile = "<script>alert(1)</script>\u{2028}\"'&\\\u{0}\r\n\r\nHTTP/1.1 200 OK"
        try withRealm { realm in try realm.write { realm.add(ToolDog(value: ["name": hostile])) } }
        try serve()
        let (events, view) = try open("ToolDog", ["where": "name CONTAINS '<script>'"])
        defer { events.connection.end() }
        XCTAssertEqual(try rows(view)[0][3] as? String, hostile)
        let answer = try request("/api/rows?view=\(view)")
        XCTAssertEqual(answer.headers["Content-Type"], "application/json; charset=utf-8")
        XCTAssertEqual(try request("/api/check" + StudioTestCase.query(["class": hostile])).status, 404)
    }

    func testTheSchemaIsDrawn() throws {
        try makePets()
        try serve()
        let answer = try request("/api/schema.svg")
        XCTAssertEqual(answer.headers["Content-Type"], "image/svg+xml; charset=utf-8")
        XCTAssertTrue(answer.text.hasPrefix("<svg") && answer.text.contains("ToolDog"))
    }

    // MARK: Finding

    func testWordsAreFoundInAllProperties() throws {
        try makePets()
        try withRealm { realm in
            try realm.write {
                realm.add(
                    ToolThing(value: [
                        "key": "it's \\ a", "int64": 42, "optionalStrings": ["rex and bo", nil],
                    ]))
            }
        }
        try serve()
        func found(_ name: String, _ text: String) throws -> Int {
            let (events, view) = try open(name, ["find": text])
            defer { events.connection.end() }
            return try rows(view).count
        }
        XCTAssertEqual(try found("ToolDog", "rex"), 1)
        XCTAssertEqual(try found("ToolDog", "REX 7"), 1)
        XCTAssertEqual(try found("ToolDog", "rex 8"), 0)
        XCTAssertEqual(try found("ToolThing", "42"), 1)
        XCTAssertEqual(try found("ToolThing", "it's"), 1)
        XCTAssertEqual(try found("ToolThing", "\\"), 1)
        XCTAssertEqual(try found("ToolThing", "bo rex"), 1)
        XCTAssertEqual(try found("ToolThing", "' OR TRUEPREDICATE"), 0)
        XCTAssertEqual(try found("ToolDog", " "), 2)
        let all = try get("/api/find", ["text": "rex"])
        let classes = try XCTUnwrap(all["classes"] as? [[String: Any]])
        XCTAssertEqual(classes.compactMap { $0["name"] as? String }, ["ToolDog", "ToolThing"])
        XCTAssertEqual((classes[0]["objects"] as? [[String: Any]])?.first?["label"] as? String, "Rex")
        XCTAssertEqual(try request("/api/find?text=\(String(repeating: "a", count: 1001))").status, 400)
    }

    func testKeysOfASelection() throws {
        try withRealm { realm in
            try realm.write { for age in 0..<500 { realm.add(ToolDog(value: ["name": "Kit", "age": age])) } }
        }
        try serve()
        let (events, view) = try open("ToolDog", ["sort": "-age"])
        defer { events.connection.end() }
        let keys =
            try get("/api/keys", ["view": "\(view)", "offset": "10", "count": "300"])["keys"] as? [Int]
        XCTAssertEqual(keys, (191...490).reversed().map { $0 })
        XCTAssertEqual(
            (try get("/api/keys", ["view": "\(view)", "offset": "499", "count": "300"])["keys"] as? [Int])?
                .count, 1)
        XCTAssertEqual(try request("/api/keys?view=\(view)&offset=0&count=100001").status, 400)
    }

    func testLinksHaveLabels() throws {
        try makePets()
        try withRealm { realm in
            let dogs = realm.objects(ToolDog.self)
            try realm.write { dogs[0].mother = dogs[1] }
        }
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        let mother = try rows(view)[0].compactMap { $0 as? [String: Any] }.first
        XCTAssertEqual(mother?["label"] as? String, "Zoe")
        XCTAssertEqual(mother?["key"] as? Int, 3)
    }
}
#endif
