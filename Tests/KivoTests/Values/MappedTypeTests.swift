import Foundation
import Kivo
import XCTest

final class MappedTypeTests: RealmTestCase {
    private func room(_ realm: Realm, _ edit: (MappedRoom) -> Void = { _ in }) throws -> MappedRoom {
        let room = MappedRoom()
        edit(room)
        try realm.write { realm.add(room) }
        return room
    }

    func testUnmanagedValues() {
        let room = MappedRoom()
        XCTAssertEqual(room.temperature, MappedCelsius(20))
        XCTAssertEqual(room.plain, MappedCelsius(0))
        XCTAssertNil(room.outside)
        room.temperature = MappedCelsius(-3)
        room.outside = MappedCelsius(4)
        XCTAssertEqual(room.temperature.degrees, -3)
        XCTAssertEqual(room.outside?.degrees, 4)
        XCTAssertEqual(room.ticket, room.ticket, "a default that is made is kept")
    }

    func testManagedValues() throws {
        let realm = try openRealm()
        let ticket = MappedTicket()
        let room = try room(realm) {
            $0.outside = MappedCelsius(7)
            $0.ticket = ticket
            $0.history.append(objectsIn: [MappedCelsius(1), MappedCelsius(2)])
            $0.gaps.append(objectsIn: [nil, MappedTag("a")])
            $0.tags.insert(objectsIn: [MappedTag("x"), MappedTag("y"), MappedTag("x")])
            $0.counts["k"] = MappedCount(5)
            $0.maybeCounts["n"] = .some(nil)
        }
        XCTAssertEqual(room.temperature, MappedCelsius(20))
        XCTAssertEqual(room.plain, MappedCelsius(0))
        XCTAssertEqual(room.outside, MappedCelsius(7))
        XCTAssertEqual(room.tag, MappedTag("room"))
        XCTAssertNil(room.oldTag)
        XCTAssertEqual(room.ticket, ticket)
        XCTAssertEqual(room.alarm.level, .low)
        XCTAssertEqual(Array(room.history), [MappedCelsius(1), MappedCelsius(2)])
        XCTAssertEqual(Array(room.gaps), [nil, MappedTag("a")])
        XCTAssertEqual(Array(room.tags), [MappedTag("x"), MappedTag("y")])
        XCTAssertEqual(room.counts["k"], MappedCount(5))
        XCTAssertEqual(room.maybeCounts["n"], .some(nil))
        try realm.write {
            room.temperature = MappedCelsius(21)
            room.temperature.degrees += 0.5
            room.outside = nil
            room.oldTag = MappedTag("old")
            room.tag = MappedTag("new")
            room.history[0] = MappedCelsius(9)
            room.tags.remove(MappedTag("x"))
            room.counts["k"]?.number += 1
        }
        XCTAssertEqual(room.temperature.degrees, 21.5)
        XCTAssertNil(room.outside)
        XCTAssertEqual(room.oldTag?.name, "old")
        XCTAssertEqual(room.tag.name, "new")
        XCTAssertEqual(room.history[0].degrees, 9)
        XCTAssertEqual(room.history.index(of: MappedCelsius(2)), 1)
        XCTAssertTrue(room.tags.contains(MappedTag("y")))
        XCTAssertFalse(room.tags.contains(MappedTag("x")))
        XCTAssertEqual(room.counts["k"], MappedCount(6))
    }

    func testAStoredValueThatMeansNoneIsNilInAnOptional() throws {
        let realm = try openRealm()
        let room = MappedRoom(value: ["oldTag": "no brackets"])
        XCTAssertNil(room.oldTag)
        try realm.write { realm.add(room) }
        try realm.write { room["oldTag"] = "<fits>" }
        XCTAssertEqual(room.oldTag, MappedTag("fits"))
        try realm.write { room["oldTag"] = "none" }
        XCTAssertNil(room.oldTag)
    }

    func testEitherFormByName() throws {
        let realm = try openRealm()
        let room = try realm.write {
            realm.create(
                MappedRoom.self,
                value: [
                    "temperature": 5.5, "outside": MappedCelsius(6), "tag": "<t>", "count": MappedCount(3),
                    "history": [1.0, MappedCelsius(2)], "gaps": ["<g>", NSNull(), MappedTag("h")],
                    "tags": ["<s>"], "counts": ["a": 1, "b": MappedCount(2)],
                ])
        }
        XCTAssertEqual(room.temperature, MappedCelsius(5.5))
        XCTAssertEqual(room.outside, MappedCelsius(6))
        XCTAssertEqual(room.tag, MappedTag("t"))
        XCTAssertEqual(room.count, MappedCount(3))
        XCTAssertEqual(Array(room.history), [MappedCelsius(1), MappedCelsius(2)])
        XCTAssertEqual(Array(room.gaps), [MappedTag("g"), nil, MappedTag("h")])
        XCTAssertEqual(room.counts["b"], MappedCount(2))
        XCTAssertEqual(room.value(forKey: "temperature") as? Double, 5.5)
        XCTAssertEqual(room["tag"] as? String, "<t>")
        try realm.write {
            room.setValue(8, forKey: "temperature")
            room.setValue(MappedTag("u"), forKey: "tag")
            room["outside"] = nil
        }
        XCTAssertEqual(room.temperature, MappedCelsius(8))
        XCTAssertEqual(room.tag, MappedTag("u"))
        XCTAssertNil(room.outside)
    }

    func testPrimaryKeysAndIndexes() throws {
        let realm = try openRealm()
        try realm.write {
            for number in 0..<10 {
                realm.create(MappedKeyed.self, value: ["key": MappedTag("\(number)"), "count": number % 3])
            }
            realm.create(MappedOptionallyKeyed.self, value: ["key": NSNull()])
            realm.create(MappedOptionallyKeyed.self, value: ["key": MappedCount(4)])
        }
        XCTAssertEqual(realm.object(ofType: MappedKeyed.self, forPrimaryKey: MappedTag("7"))?.count.number, 1)
        XCTAssertEqual(realm.object(ofType: MappedKeyed.self, forPrimaryKey: "<7>")?.count.number, 1)
        XCTAssertNil(realm.object(ofType: MappedKeyed.self, forPrimaryKey: "7"))
        XCTAssertNotNil(realm.object(ofType: MappedOptionallyKeyed.self, forPrimaryKey: MappedCount(4)))
        XCTAssertNotNil(realm.object(ofType: MappedOptionallyKeyed.self, forPrimaryKey: nil as MappedCount?))
        XCTAssertEqual(realm.objects(MappedKeyed.self).where { $0.count == MappedCount(2) }.count, 3)
        XCTAssertEqual(MappedKeyed.primaryKey(), "key")
        XCTAssertEqual(MappedKeyed.indexedProperties(), ["count", "maybe"])
        try realm.write {
            realm.create(MappedKeyed.self, value: ["key": "<7>", "count": 9], update: .modified)
        }
        XCTAssertEqual(realm.objects(MappedKeyed.self).count, 10)
        XCTAssertEqual(
            realm.object(ofType: MappedKeyed.self, forPrimaryKey: MappedTag("7"))?.count, MappedCount(9))
    }

    func testQueriesByEitherForm() throws {
        let realm = try openRealm()
        try realm.write {
            for number in 0..<6 {
                let room = MappedRoom()
                room.label = "\(number)"
                room.temperature = MappedCelsius(Double(number))
                room.outside = number % 2 == 0 ? nil : MappedCelsius(Double(-number))
                room.tag = MappedTag(number < 3 ? "small" : "large")
                room.oldTag = number == 5 ? MappedTag("five") : nil
                room.history.append(objectsIn: (0..<number).map { MappedCelsius(Double($0)) })
                room.tags.insert(MappedTag("n\(number)"))
                room.counts["n"] = MappedCount(number)
                realm.add(room)
            }
        }
        let rooms = realm.objects(MappedRoom.self)
        func labels(_ results: Results<MappedRoom>) -> String { results.map(\.label).joined() }
        XCTAssertEqual(labels(rooms.where { $0.temperature == MappedCelsius(2) }), "2")
        XCTAssertEqual(labels(rooms.where { $0.temperature != MappedCelsius(2) }), "01345")
        XCTAssertEqual(labels(rooms.where { $0.temperature.persistableValue == 2 }), "2")
        XCTAssertEqual(labels(rooms.where { $0.temperature > MappedCelsius(3) }), "45")
        XCTAssertEqual(labels(rooms.where { $0.temperature.persistableValue <= 1 }), "01")
        XCTAssertEqual(labels(rooms.where { $0.temperature.in([MappedCelsius(1), MappedCelsius(4)]) }), "14")
        XCTAssertEqual(labels(rooms.where { $0.outside == nil }), "024")
        XCTAssertEqual(labels(rooms.where { $0.outside == MappedCelsius(-3) }), "3")
        XCTAssertEqual(labels(rooms.where { $0.outside < MappedCelsius(-1) }), "35")
        XCTAssertEqual(labels(rooms.where { $0.outside.persistableValue < -1 }), "35")
        XCTAssertEqual(labels(rooms.where { $0.tag == MappedTag("small") }), "012")
        XCTAssertEqual(labels(rooms.where { $0.tag.persistableValue.starts(with: "<l") }), "345")
        XCTAssertEqual(
            labels(rooms.where { $0.tag.equals(MappedTag("LARGE"), options: .caseInsensitive) }), "345")
        XCTAssertEqual(labels(rooms.where { $0.tag.like("<s*>") }), "012")
        XCTAssertEqual(labels(rooms.where { $0.oldTag == MappedTag("five") }), "5")
        XCTAssertEqual(labels(rooms.where { $0.history.contains(MappedCelsius(3)) }), "45")
        XCTAssertEqual(labels(rooms.where { $0.history.persistableValue.contains(3) }), "45")
        XCTAssertEqual(labels(rooms.where { $0.history >= MappedCelsius(4) }), "5")
        XCTAssertEqual(labels(rooms.where { $0.history.max == MappedCelsius(2) }), "3")
        XCTAssertEqual(labels(rooms.where { $0.tags.contains(MappedTag("n1")) }), "1")
        XCTAssertEqual(labels(rooms.where { $0.tags.persistableValue == "<n1>" }), "1")
        XCTAssertEqual(labels(rooms.where { $0.counts["n"] == MappedCount(2) }), "2")
        XCTAssertEqual(labels(rooms.where { $0.counts.persistableValue.values > 3 }), "45")
        XCTAssertEqual(labels(rooms.filter("temperature == %@", MappedCelsius(2))), "2")
        XCTAssertEqual(labels(rooms.filter("temperature == 2.0")), "2")
        XCTAssertEqual(labels(rooms.filter("tag == %@ AND temperature > %@", MappedTag("small"), 0)), "12")
        XCTAssertEqual(labels(rooms.filter("temperature IN %@", [MappedCelsius(1), MappedCelsius(5)])), "15")
        XCTAssertEqual(labels(rooms.filter("ANY history == %@", MappedCelsius(4))), "5")
        XCTAssertEqual(rooms.index(matching: { $0.temperature == MappedCelsius(4) }), 4)
    }

    func testUnmanagedCollectionsAreSearchedByEitherForm() {
        let root = MappedRoom()
        for number in 0..<4 { root.rooms.append(MappedRoom(value: ["temperature": Double(number)])) }
        XCTAssertEqual(root.rooms.index(matching: { $0.temperature == MappedCelsius(2) }), 2)
        XCTAssertEqual(root.rooms.index(matching: "temperature > %@", MappedCelsius(2)), 3)
        XCTAssertEqual(root.rooms.index(matching: { $0.temperature.persistableValue == 1 }), 1)
    }

    private func checkAggregates(_ root: MappedRoom) {
        XCTAssertEqual(root.rooms.min(of: \.temperature), MappedCelsius(1))
        XCTAssertEqual(root.rooms.max(of: \.temperature), MappedCelsius(4))
        XCTAssertEqual(root.rooms.sum(of: \.temperature), MappedCelsius(10))
        XCTAssertEqual(root.rooms.average(of: \.temperature), 2.5)
        XCTAssertEqual(root.rooms.max(of: \.outside), MappedCelsius(3))
        XCTAssertEqual(root.rooms.sum(of: \.outside), MappedCelsius(4))
        XCTAssertEqual(root.rooms.max(ofProperty: "temperature") as Double?, 4)
        XCTAssertEqual(root.history.min(), MappedCelsius(5))
        XCTAssertEqual(root.history.max(), MappedCelsius(8))
        XCTAssertEqual(root.history.sum(), MappedCelsius(13))
        XCTAssertEqual(root.history.average(), 6.5)
        XCTAssertEqual(root.counts.max(), MappedCount(3))
        XCTAssertEqual(root.counts.sum(), MappedCount(5))
        XCTAssertEqual(root.history.value(forKeyPath: "@max.self") as? MappedCelsius, MappedCelsius(8))
    }

    func testAggregatesAndOrder() throws {
        let root = MappedRoom()
        for (number, outside) in [(3, nil), (1, 1), (4, 3), (2, nil)] as [(Int, Int?)] {
            let room = MappedRoom()
            room.temperature = MappedCelsius(Double(number))
            room.outside = outside.map { MappedCelsius(Double($0)) }
            room.count = MappedCount(number % 2)
            root.rooms.append(room)
        }
        root.history.append(objectsIn: [MappedCelsius(8), MappedCelsius(5)])
        root.counts["a"] = MappedCount(2)
        root.counts["b"] = MappedCount(3)
        checkAggregates(root)
        let realm = try openRealm()
        try realm.write { realm.add(root) }
        checkAggregates(root)
        XCTAssertEqual(root.rooms.sorted(by: \.temperature).map(\.temperature.degrees), [1, 2, 3, 4])
        XCTAssertEqual(
            root.rooms.sorted(by: \.outside, ascending: false).map(\.temperature.degrees), [4, 1, 3, 2])
        XCTAssertEqual(root.history.sorted().map(\.degrees), [5, 8])
        XCTAssertEqual(root.rooms.distinct(by: [\.count]).count, 2)
        XCTAssertEqual(root.rooms.distinct(by: ["count"]).count, 2)
    }

    func testObserversAndListenersAreGivenTheMappedValue() throws {
        let realm = try openRealm()
        let room = try room(realm)
        var seen: [String] = []
        let observation = room.observe(\.temperature, options: [.old, .new]) { _, change in
            seen.append("\(change.oldValue?.degrees ?? -1) \(change.newValue?.degrees ?? -1)")
        }
        let recorder = MappedRecorder()
        room.addObserver(recorder, forKeyPath: "temperature", options: [.new])
        defer { room.removeObserver(recorder, forKeyPath: "temperature") }
        try realm.write { room.temperature = MappedCelsius(30) }
        XCTAssertEqual(seen, ["20.0 30.0"])
        XCTAssertEqual(recorder.values, [30], "by name it is what is stored")
        observation.invalidate()

        var changes: [PropertyChange] = []
        let token = room.observe { (change: ObjectChange<MappedRoom>) in
            if case .change(_, let properties) = change { changes += properties }
        }
        try realm.write {}
        serveRunLoop()
        try writeElsewhere { realm in
            realm.objects(MappedRoom.self).first?.temperature = MappedCelsius(31)
        }
        realm.refresh()
        wait { !changes.isEmpty }
        XCTAssertEqual(changes.first?.name, "temperature")
        XCTAssertEqual(changes.first?.oldValue as? MappedCelsius, MappedCelsius(30))
        XCTAssertEqual(changes.first?.newValue as? MappedCelsius, MappedCelsius(31))
        token.invalidate()
    }

    func testKeyPathsOfFailableTypesAreNamed() throws {
        let realm = try openRealm()
        let room = try room(realm)
        // Neither the stored type's default nor an arbitrary string means a tag.
        let token = room.observe(keyPaths: [\MappedRoom.tag, \MappedRoom.oldTag]) {
            (_: ObjectChange<MappedRoom>) in
        }
        XCTAssertTrue(token.invalidate())
        XCTAssertEqual(realm.objects(MappedRoom.self).where { $0.tag == MappedTag("room") }.count, 1)
    }

    func testAnIdentifierIsStoredInItsBinaryForm() throws {
        let realm = try openRealm()
        let ticket = MappedTicket()
        _ = try room(realm) { $0.ticket = ticket }
        XCTAssertEqual(realm.objects(MappedRoom.self).filter("ticket == %@", ticket.id).count, 1)
        XCTAssertEqual(realm.objects(MappedRoom.self).where { $0.ticket == ticket }.count, 1)
        XCTAssertEqual(realm.objects(MappedRoom.self).where { $0.alarm.persistableValue == .low }.count, 1)
    }
}

private final class MappedRecorder: KeyValueObserver {
    var values: [Double] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        values.append(change![.newKey] as! Double)
    }
}
