#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// Edits of the page, and what they do not overwrite.
final class StudioEditingTests: StudioTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        try makePets()
    }

    private func edit(_ edits: [String: Any]...) throws -> HTTPAnswer {
        try request("/api/edit", post: ["edits": edits])
    }
    private func dog(_ key: Int = 1) throws -> [String: Any] {
        try XCTUnwrap(
            try get("/api/object", ["class": "ToolDog", "key": "\(key)"])["values"] as? [String: Any])
    }
    private func set(
        _ property: String, _ value: [String: Any], was: Any, key: Int = 1, name: String = "ToolDog"
    ) -> [String: Any] {
        ["kind": "set", "class": name, "key": key, "property": property, "was": was].merging(value) { $1 }
    }

    func testAFileThatIsLookedAtIsNotEdited() throws {
        try serve()
        XCTAssertEqual(try edit(set("age", ["text": "8"], was: 7)).status, 403)
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 403)
        XCTAssertEqual(try dog()["age"] as? Int, 7)
    }

    func testAValueIsSetAndUndone() throws {
        try serve(isWritable: true)
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        _ = try rows(view)
        let answer = try edit(set("age", ["text": "8"], was: 7))
        XCTAssertEqual(answer.status, 200, answer.text)
        XCTAssertEqual(try events.next("change")["modified"] as? Int, 1)
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].age, 8) }
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).json["isUndone"] as? Bool, true)
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].age, 7) }
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).json["isUndone"] as? Bool, false)
    }

    func testSeveralEditsAreOneTransactionOrNone() throws {
        try serve(isWritable: true)
        let before = try get("/api/file")["commit"] as! Int
        XCTAssertEqual(
            try edit(set("age", ["text": "1"], was: 7), set("name", ["text": "A"], was: "Rex")).status, 200)
        XCTAssertEqual(try get("/api/file")["commit"] as? Int, before + 1)
        XCTAssertEqual(
            try edit(set("age", ["text": "2"], was: 1), set("name", ["text": "B"], was: "wrong")).status, 409)
        XCTAssertEqual(try dog()["age"] as? Int, 1)
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 200)
        XCTAssertEqual(try dog()["age"] as? Int, 7)
        XCTAssertEqual(try dog()["name"] as? String, "Rex")
    }

    func testWhatAnotherProcessChangedIsShownAndNotOverwritten() throws {
        try serve(isWritable: true)
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 20 } }
        let answer = try edit(set("age", ["text": "8"], was: 7))
        XCTAssertEqual(answer.status, 409)
        XCTAssertEqual(answer.json["theirs"] as? Int, 20)
        XCTAssertEqual(answer.json["property"] as? String, "age")
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].age, 20) }
        XCTAssertEqual(try edit(set("age", ["text": "8"], was: 20)).status, 200)
        // An undo does not overwrite, either.
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 30 } }
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 409)
        XCTAssertEqual(try dog()["age"] as? Int, 30)
        try withRealm { realm in try realm.write { realm.delete(realm.objects(ToolDog.self)[0]) } }
        XCTAssertEqual(try edit(set("age", ["text": "8"], was: 30)).status, 410)
    }

    func testValuesThatDoNotFitAreRefused() throws {
        try withRealm { realm in try realm.write { realm.add(ToolThing(value: ["key": "a"])) } }
        try serve(isWritable: true)
        func status(_ property: String, _ value: [String: Any], was: Any) throws -> Int {
            let answer = try edit(set(property, value, was: was, name: "ToolThing"))
            if answer.status == 422 { XCTAssertEqual(answer.json["property"] as? String, property) }
            return answer.status
        }
        XCTAssertEqual(try status("int8", ["text": "200"], was: 0), 422)
        XCTAssertEqual(try status("int8", ["text": "x"], was: 0), 422)
        XCTAssertEqual(try status("int8", ["value": NSNull()], was: 0), 422)
        XCTAssertEqual(try status("key", ["text": "b"], was: "a"), 422)
        XCTAssertEqual(try status("nothing", ["text": "b"], was: "a"), 422)
        XCTAssertEqual(try status("ints", ["text": "b"], was: [Int]()), 422)
        XCTAssertEqual(try status("int8", ["text": "127"], was: 0), 200)
        XCTAssertEqual(try status("optionalInt", ["text": "5"], was: NSNull()), 200)
        XCTAssertEqual(try status("optionalInt", ["value": NSNull()], was: 5), 200)
        XCTAssertEqual(try status("bool", ["value": true], was: false), 200)
        XCTAssertEqual(try status("double", ["text": "1.5"], was: 0.0), 200)
        XCTAssertEqual(try status("any", ["text": "7", "type": "int"], was: NSNull()), 200)
        XCTAssertEqual(
            try status("any", ["text": "x", "type": "int"], was: ["type": "int", "value": 7]), 422)
        XCTAssertEqual(try status("ints", ["value": [1, 2, 3]], was: [Int]()), 200)
        try withRealm { realm in
            let thing = realm.objects(ToolThing.self)[0]
            XCTAssertEqual(thing.int8, 127)
            XCTAssertNil(thing.optionalInt)
            XCTAssertEqual(thing.any, .int(7))
            XCTAssertEqual(Array(thing.ints), [1, 2, 3])
        }
    }

    func testLinksAreChosenByKey() throws {
        try serve(isWritable: true)
        XCTAssertEqual(try edit(set("mother", ["value": ["key": 3]], was: NSNull())).status, 200)
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].mother?.name, "Zoe") }
        let answer = try edit(set("mother", ["value": ["key": 77]], was: ["key": 3]))
        XCTAssertEqual(answer.status, 422)
        XCTAssertTrue(answer.text.contains("not there"), answer.text)
    }

    func testChoicesAreFoundByNameAndKey() throws {
        try withRealm { realm in
            try realm.write {
                for number in 0..<30 { realm.add(ToolDog(value: ["name": "Many \(number)"])) }
                realm.add(ToolDog(value: ["name": "O'Hara\\ 100%"]))
            }
        }
        try serve(isWritable: true)
        func choices(_ text: String, of name: String = "ToolDog") throws -> (labels: [String], hasMore: Bool)
        {
            let answer = try get("/api/choices", ["class": name, "text": text])
            let objects = try XCTUnwrap(answer["objects"] as? [[String: Any]])
            return (objects.map { $0["label"] as? String ?? "nil" }, answer["hasMore"] as? Bool ?? false)
        }
        XCTAssertEqual(try choices("ex").labels, ["Rex"])
        XCTAssertEqual(try choices("zOE").labels, ["Zoe"])
        XCTAssertEqual(try choices("o'hara\\").labels, ["O'Hara\\ 100%"])
        XCTAssertEqual(try choices("nobody").labels, [])
        XCTAssertEqual(try choices("").labels.count, 20)
        XCTAssertTrue(try choices("many").hasMore)
        XCTAssertEqual(try choices("Many 29").labels, ["Many 29"])
        // A key comes before those whose names have the digits.
        XCTAssertEqual(try choices("3").labels.first, "Zoe")
        XCTAssertEqual(try choices("1", of: "ToolPerson").labels, ["Mia B."])
        XCTAssertEqual(try request("/api/choices?class=Nothing&text=a").status, 404)
    }

    func testAnObjectIsCreated() throws {
        try serve(isWritable: true)
        var answer = try edit([
            "kind": "create", "class": "ToolPerson", "values": ["id": ["text": "9"], "name": ["text": "Jo"]],
        ])
        XCTAssertEqual(answer.status, 200, answer.text)
        XCTAssertEqual((answer.json["created"] as? [Int])?.count, 1)
        try withRealm { XCTAssertEqual($0.object(ofType: ToolPerson.self, forPrimaryKey: 9)?.name, "Jo") }
        answer = try edit(["kind": "create", "class": "ToolPerson", "values": ["id": ["text": "9"]]])
        XCTAssertEqual(answer.status, 422)
        XCTAssertEqual(answer.json["property"] as? String, "id")
        XCTAssertEqual(try edit(["kind": "create", "class": "ToolAddress"]).status, 422)
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 200)
        try withRealm { XCTAssertNil($0.object(ofType: ToolPerson.self, forPrimaryKey: 9)) }
    }

    /// A primary key that nobody writes is a number after the largest, or a new identifier; a text has to be chosen.
    func testPrimaryKeysAreGenerated() throws {
        try serve(isWritable: true)
        for expected in [2, 3] {
            XCTAssertEqual(try edit(["kind": "create", "class": "ToolPerson"]).status, 200)
            try withRealm { XCTAssertNotNil($0.object(ofType: ToolPerson.self, forPrimaryKey: expected)) }
        }
        let many = try edit(
            ["kind": "create", "class": "ToolPerson"],
            ["kind": "create", "class": "ToolPerson", "values": ["id": ["text": "50"]]],
            ["kind": "create", "class": "ToolPerson"], ["kind": "duplicate", "class": "ToolPerson", "key": 1])
        XCTAssertEqual(many.status, 200, many.text)
        try withRealm {
            XCTAssertEqual($0.objects(ToolPerson.self).map(\.id).sorted(), [1, 2, 3, 4, 50, 51, 52])
        }
        try withRealm { realm in try realm.write { realm.add(ToolThing(value: ["key": "a"])) } }
        let answer = try edit(["kind": "create", "class": "ToolThing"])
        XCTAssertEqual(answer.status, 422)
        XCTAssertEqual(answer.json["property"] as? String, "key")
    }

    func testADuplicateHasItsOwnKeyAndParts() throws {
        try serve(isWritable: true)
        var person = ""
        try withRealm { realm in
            let mia = realm.objects(ToolPerson.self)[0]
            person = "\(mia.dogs.count) \(mia.pets.count) \(mia.home?.street ?? "")"
        }
        let answer = try edit(["kind": "duplicate", "class": "ToolPerson", "key": 1])
        XCTAssertEqual(answer.status, 200, answer.text)
        try withRealm { realm in
            XCTAssertEqual(realm.objects(ToolPerson.self).count, 2)
            let copy = try XCTUnwrap(realm.object(ofType: ToolPerson.self, forPrimaryKey: 2))
            XCTAssertEqual("\(copy.dogs.count) \(copy.pets.count) \(copy.home?.street ?? "")", person)
            if let home = copy.home {
                XCTAssertFalse(home.isSameObject(as: realm.objects(ToolPerson.self)[0].home))
            }
        }
        XCTAssertEqual(run("verify", file.path).code, .success)
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 200)
        try withRealm { XCTAssertEqual($0.objects(ToolPerson.self).count, 1) }
        XCTAssertEqual(try edit(["kind": "duplicate", "class": "ToolPerson", "key": 99]).status, 410)
        XCTAssertEqual(try edit(["kind": "duplicate", "class": "ToolAddress", "key": 1]).status, 422)
        try withRealm { realm in try realm.write { realm.add(ToolThing(value: ["key": "a"])) } }
        for name in ["a copy", "a copy 2"] {
            XCTAssertEqual(try edit(["kind": "duplicate", "class": "ToolThing", "key": 1]).status, 200)
            try withRealm { XCTAssertNotNil($0.object(ofType: ToolThing.self, forPrimaryKey: name)) }
        }
    }

    /// What was undone is done again, and undone again, over objects that get other keys; an edit in between ends that.
    func testWhatWasUndoneIsDoneAgain() throws {
        try serve(isWritable: true)
        let undo = { try self.request("/api/undo", post: ["isRedo": false]) }
        let redo = { try self.request("/api/undo", post: ["isRedo": true]) }
        var states = [exportedObjects()]
        for body: [String: Any] in [
            ["kind": "set", "class": "ToolDog", "key": 1, "property": "age", "value": 9, "was": 7],
            ["kind": "delete", "class": "ToolDog", "keys": [1]],
            ["kind": "create", "class": "ToolDog", "values": ["name": ["text": "Kit"]]],
            ["kind": "duplicate", "class": "ToolPerson", "key": 1],
            ["kind": "delete", "class": "ToolPerson", "keys": [1]],
        ] {
            let answer = try edit(body)
            XCTAssertEqual(answer.status, 200, answer.text)
            states.append(exportedObjects())
        }
        for _ in 0..<2 {
            for index in (0..<5).reversed() {
                let answer = try undo()
                XCTAssertEqual(answer.json["isUndone"] as? Bool, true, answer.text)
                XCTAssertEqual(answer.json["redoCount"] as? Int, 5 - index)
                XCTAssertEqual(exportedObjects(), states[index], "\(index)")
            }
            XCTAssertEqual(try undo().json["isUndone"] as? Bool, false)
            for index in 1...5 {
                let answer = try redo()
                XCTAssertEqual(answer.json["isUndone"] as? Bool, true, answer.text)
                XCTAssertEqual(exportedObjects(), states[index], "\(index)")
            }
            XCTAssertEqual(try redo().json["isUndone"] as? Bool, false)
        }
        XCTAssertEqual(try undo().status, 200)
        XCTAssertEqual(try edit(["kind": "create", "class": "ToolDog"]).json["redoCount"] as? Int, 0)
        XCTAssertEqual(try redo().json["isUndone"] as? Bool, false)
        XCTAssertEqual(run("verify", file.path).code, .success)
    }

    /// The undo of a request inserts objects under new keys, under which its other edits find them.
    func testEditsOfAnObjectAndItsDeletionAreUndoneTogether() throws {
        try serve(isWritable: true)
        let before = exportedObjects()
        let answer = try edit(
            set("street", ["text": "Low"], was: "High", name: "ToolAddress"),
            set("name", ["text": "Mia C."], was: "Mia B.", name: "ToolPerson"),
            set("age", ["text": "8"], was: 7),
            ["kind": "delete", "class": "ToolDog", "keys": [1]],
            ["kind": "delete", "class": "ToolPerson", "keys": [1]])
        XCTAssertEqual(answer.status, 200, answer.text)
        let after = exportedObjects()
        for _ in 0..<2 {
            for (isRedo, expected) in [(false, before), (true, after)] {
                let answer = try request("/api/undo", post: ["isRedo": isRedo])
                XCTAssertEqual(answer.status, 200, answer.text)
                XCTAssertEqual(exportedObjects(), expected)
            }
        }
    }

    func testADeletedObjectComesBackWithItsLinks() throws {
        try serve(isWritable: true)
        XCTAssertEqual(try edit(["kind": "delete", "class": "ToolDog", "keys": [1]]).status, 200)
        try withRealm { XCTAssertEqual($0.objects(ToolPerson.self)[0].dogs.map(\.name), ["Zoe"]) }
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 200)
        try withRealm { realm in
            let mia = realm.objects(ToolPerson.self)[0]
            XCTAssertEqual(mia.dogs.map(\.name), ["Rex", "Zoe"])
            XCTAssertEqual(mia.dogs[0].age, 7)
            XCTAssertEqual(mia.pets["best"]??.name, "Rex")
        }
        // With what belongs to it.
        XCTAssertEqual(try edit(["kind": "delete", "class": "ToolPerson", "keys": [1]]).status, 200)
        try withRealm { XCTAssertEqual($0.objects(ToolPerson.self).count, 0) }
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 200)
        try withRealm { realm in
            XCTAssertEqual(realm.objects(ToolPerson.self)[0].home?.street, "High")
            XCTAssertEqual(realm.objects(ToolPerson.self)[0].scores["go"], 1)
        }
        XCTAssertEqual(try edit(["kind": "delete", "class": "ToolDog", "keys": [77]]).status, 410)
    }

    func testAnUndoDoesNotMakeASecondObjectOfAPrimaryKey() throws {
        try serve(isWritable: true)
        XCTAssertEqual(try edit(["kind": "delete", "class": "ToolPerson", "keys": [1]]).status, 200)
        try withRealm { realm in
            try realm.write { realm.create(ToolPerson.self, value: ["id": 1, "name": "Other"]) }
        }
        let refused = try request("/api/undo", post: [String: Int]())
        XCTAssertEqual(refused.status, 409, refused.text)
        XCTAssertTrue(refused.text.contains("same primary key"), refused.text)
        try withRealm { realm in
            XCTAssertEqual(realm.objects(ToolPerson.self).map(\.name), ["Other"])
            try realm.write { realm.delete(realm.objects(ToolPerson.self)) }
        }
        // The values are still known.
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 200)
        try withRealm { XCTAssertEqual($0.objects(ToolPerson.self).map(\.name), ["Mia B."]) }
    }

    func testAnUndoLeavesOutLinksToObjectsThatAreGone() throws {
        try serve(isWritable: true)
        XCTAssertEqual(try edit(["kind": "delete", "class": "ToolPerson", "keys": [1]]).status, 200)
        try withRealm { realm in try realm.write { realm.delete(realm.objects(ToolDog.self)[0]) } }
        let answer = try request("/api/undo", post: [String: Int]())
        XCTAssertEqual(answer.status, 200, answer.text)
        XCTAssertEqual(answer.json["missingLinks"] as? Int, 2)
        try withRealm { realm in
            let mia = realm.objects(ToolPerson.self)[0]
            XCTAssertEqual(mia.dogs.map(\.name), ["Zoe"])
            XCTAssertEqual(mia.pets.keys, ["best"])
            XCTAssertNil(mia.pets["best"] ?? nil)
        }
    }

    func testRequestsThatAreNoEdits() throws {
        try serve(isWritable: true)
        for body in [
            "", "[]", "{}", "{\"edits\":[]}", "{\"edits\":[{}]}",
            "{\"edits\":[{\"class\":\"ToolDog\",\"kind\":\"x\"}]}",
            "{\"edits\":[{\"class\":\"ToolDog\",\"kind\":\"set\"}]}",
        ] {
            XCTAssertEqual(try request("/api/edit", post: Data(body.utf8)).status, 400, body)
        }
        XCTAssertEqual(try edit(["kind": "delete", "class": "Nobody", "keys": [1]]).status, 410)
    }
}
#endif
