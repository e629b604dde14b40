import Foundation
import Kivo
import TestRandomness
import XCTest

/// Objects in values of any type that `create(_:value:)` is given, and objects of which only the class's name is known.
final class AnyCopyTests: RealmTestCase {
    private func otherRealm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + " other"))
    }

    private func assertSame(_ value: AnyRealmValue?, _ target: AnyTarget, line: UInt = #line) {
        XCTAssertEqual(value?.object(AnyTarget.self)?.isSameObject(as: target), true, line: line)
    }

    func testObjectsOfAnotherRealmAreCopied() throws {
        let (realm, other) = (try openRealm(), try otherRealm())
        let target = AnyTarget(value: ["name": "t", "next": ["name": "u"]])
        let source = AnyNote(value: ["id": 1])
        try other.write {
            other.add(source)
            source.content = .object(target)
            source.list.append(objectsIn: [
                .int(1), .object(target), .fromArray([.fromDictionary(["a": .object(target)])]),
            ])
            source.set.insert(objectsIn: [.object(target), .string("s")])
            source.map["k"] = .object(target)
            source.map["self"] = .object(source)
        }
        let copy = try realm.write { realm.create(AnyNote.self, value: source) }
        XCTAssertEqual(realm.objects(AnyTarget.self).map(\.name), ["t", "u"])
        XCTAssertEqual(realm.objects(AnyNote.self).count, 1)
        let known = try XCTUnwrap(copy.content.object(AnyTarget.self))
        XCTAssertEqual(known.next?.name, "u")
        assertSame(copy.list[1], known)
        assertSame(copy.list[2].listValue?[0].dictionaryValue?["a"], known)
        XCTAssert(copy.set.contains(.object(known)))
        assertSame(copy.map["k"], known)
        XCTAssertEqual(copy.map["self"], .object(copy))
        XCTAssertEqual(target.realm, other)
        assertSame(source.content, target)
    }

    func testUnmanagedObjectsStayUnmanaged() throws {
        let realm = try openRealm()
        let target = AnyTarget(value: ["name": "t"])
        let created = try realm.write {
            realm.create(
                AnyNote.self,
                value: [
                    "content": target, "list": [target, [target], ["a": 1]] as [Any],
                    "map": ["k": target],
                ] as [String: Any])
        }
        XCTAssertNil(target.realm)
        XCTAssertEqual(realm.objects(AnyTarget.self).count, 1)
        let known = realm.objects(AnyTarget.self)[0]
        assertSame(created.content, known)
        assertSame(created.list[0], known)
        assertSame(created.list[1].listValue?[0], known)
        XCTAssertEqual(created.list[2].dictionaryValue?["a"], .int(1))
        assertSame(created.map["k"], known)
    }

    func testObjectsOfThisRealmAreLinkedTo() throws {
        let realm = try openRealm()
        try realm.write {
            let target = realm.create(AnyTarget.self, value: ["name": "here"])
            let note = realm.create(
                AnyNote.self, value: ["content": target, "list": [target]] as [String: Any])
            assertSame(note.content, target)
            assertSame(note.list[0], target)
        }
        XCTAssertEqual(realm.objects(AnyTarget.self).count, 1)
    }

    func testAChainOfCopiesMayBeDeep() throws {
        let realm = try openRealm()
        let (first, depth) = (
            AnyOtherTarget(value: ["id": 0]), TestEffort.size(5_000, full: 20_000)
        )
        var last = first
        for id in 1..<depth {
            let next = AnyOtherTarget(value: ["id": id])
            last.content = .object(next)
            last = next
        }
        try realm.write { realm.create(AnyOtherTarget.self, value: first) }
        XCTAssertEqual(realm.objects(AnyOtherTarget.self).count, depth)
        XCTAssertNil(last.realm)
        var next: AnyOtherTarget? = first
        while let object = next {
            next = object.content.object(AnyOtherTarget.self)
            object.content = .none
        }
    }

    func testDynamicObjectsCanBeValues() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(AnyTarget.self, value: ["name": "t"])
            let note = realm.create(AnyNote.self)
            let dynamic = realm.dynamicObjects("AnyTarget")[0]
            note.content = .object(dynamic)
            note.list.append(.object(dynamic))
            XCTAssertEqual(note.content.object(AnyTarget.self)?.name, "t")
            XCTAssertEqual(note.list[0].object(AnyTarget.self)?.name, "t")
        }
    }

    func testValuesAreOfTheirClassAfterItWasUsedByName() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(AnyNote.self).content = .object(AnyTarget(value: ["name": "t"]))
        }
        let done = expectation(description: "done")
        let configuration = realm.configuration
        Thread.detachNewThread {
            let realm = try! Realm(configuration: configuration)
            XCTAssertEqual(realm.dynamicObjects("AnyTarget")[0]["name"] as? String, "t")
            let note = realm.objects(AnyNote.self)[0]
            XCTAssertEqual(note.content.object(AnyTarget.self)?.name, "t")
            done.fulfill()
        }
        wait(for: [done], timeout: 120)
    }
}
