import Foundation
import Kivo
import XCTest

/// Notifications of projections.
final class ProjectionObservingTests: RealmTestCase {
    private var calls: [String] = []

    private func describe<T>(_ change: ObjectChange<T>) -> String {
        switch change {
        case .change(_, let properties):
            properties.map { "\($0.name) \($0.oldValue ?? "-") \($0.newValue ?? "-")" }.joined(
                separator: ", ")
        case .deleted: "deleted"
        case .error(let error): "\(error)"
        }
    }

    private func record<T>(_ change: ObjectChange<T>) { calls.append(describe(change)) }

    private func make() throws -> (Realm, ProjectionPerson) {
        let realm = try openRealm()
        let root = ProjectionPerson(value: [
            "firstName": "Jason", "lastName": "Bourne", "address": ["street": "Hill", "city": "Bree"],
            "friends": [["firstName": "Marie"]],
        ])
        try realm.write { realm.add(root) }
        return (realm, root)
    }

    private func write(_ realm: Realm, _ body: () throws -> Void) throws {
        try realm.write(body)
        realm.refresh()
    }

    private func changeElsewhere(
        _ realm: Realm, _ body: @escaping @Sendable (ProjectionPerson) throws -> Void
    ) throws {
        try writeElsewhere { try body($0.objects(ProjectionPerson.self)[0]) }
        realm.refresh()
    }

    func testTheReferencePage() throws {
        let (realm, _) = try make()
        let card = realm.objects(PersonCard.self).first(where: { $0.firstName == "Jason" })!
        let token = card.observe(keyPaths: ["firstName"]) { self.record($0) }
        try write(realm) { card.firstName = "David" }
        try write(realm) { card.surname = "Webb" }
        try write(realm) { card.rootObject.friends.append(ProjectionPerson()) }
        try write(realm) { card.rootObject.firstName = "Jason" }
        try write(realm) { realm.delete(card.rootObject) }
        token.invalidate()
        XCTAssertEqual(calls, ["firstName - David", "firstName - Jason", "deleted"])
    }

    func testThereIsNoFirstCall() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe { self.record($0) }
        realm.refresh()
        serveRunLoop()
        XCTAssertEqual(calls, [])
        token.invalidate()
    }

    func testTheObservedProjectionIsHandedOver() throws {
        let (realm, root) = try make()
        let card = PersonCard(projecting: root)
        let token = card.observe { change in
            if case .change(let changed, _) = change { XCTAssertTrue(changed === card) }
            self.record(change)
        }
        try write(realm) { card.firstName = "David" }
        token.invalidate()
        XCTAssertEqual(calls.count, 1)
    }

    func testPropertiesThatAreNotProjectedAreNotTold() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe { self.record($0) }
        try write(realm) { root.age = 5 }
        try write(realm) { root.tags.append("spy") }
        try write(realm) { root.address?.street = "Mill" }
        try write(realm) { root.friends[0].age = 7 }
        token.invalidate()
        XCTAssertEqual(calls, [])
    }

    /// One property of the root that three projected ones show gives three entries, in order of declaration.
    func testOnePropertyThatIsProjectedThreeTimes() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe { self.record($0) }
        try write(realm) {
            root.lastName = "Webb"
            root.firstName = "David"
        }
        token.invalidate()
        XCTAssertEqual(
            calls, ["firstName - David, lastNameCaps - WEBB, surname - Webb, length - 4"])
    }

    /// Key paths name what is projected, and not the projected property.
    func testKeyPathsAreThoseOfTheRoot() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe(keyPaths: ["lastName"]) { self.record($0) }
        try write(realm) { root.firstName = "David" }
        try write(realm) { root.lastName = "Webb" }
        token.invalidate()
        XCTAssertEqual(calls, ["lastNameCaps - WEBB, surname - Webb, length - 4"])
    }

    func testTypedKeyPathsOfTheProjection() throws {
        let (realm, root) = try make()
        let card = PersonCard(projecting: root)
        let token = card.observe(keyPaths: [\PersonCard.firstName, \PersonCard.homeCity]) { self.record($0) }
        try write(realm) { root.lastName = "Webb" }
        try write(realm) { root.firstName = "David" }
        try write(realm) { root.address?.city = "Rivendell" }
        token.invalidate()
        XCTAssertEqual(calls, ["firstName - David", "homeCity - Rivendell"])
    }

    func testAnEmptyArrayIsNoFilter() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe(keyPaths: [String]()) { self.record($0) }
        try write(realm) { root.firstName = "David" }
        token.invalidate()
        XCTAssertEqual(calls, ["firstName - David"])
    }

    func testThroughLinksEmbeddedObjectsAndCollections() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe { self.record($0) }
        try write(realm) { root.address?.city = "Rivendell" }
        try write(realm) { root.address = nil }
        try write(realm) { root.friends[0].firstName = "Anna" }
        try write(realm) { root.friends.append(ProjectionPerson()) }
        token.invalidate()
        XCTAssertEqual(
            calls, ["homeCity - Rivendell", "homeCity - -", "firstFriendsName - -", "firstFriendsName - -"])
    }

    /// `"friends"` is the membership alone.
    func testAKeyPathThatAProjectedOneGoesOnFrom() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe(keyPaths: ["friends"]) { self.record($0) }
        try write(realm) { root.friends[0].firstName = "Anna" }
        try write(realm) { root.friends.append(ProjectionPerson()) }
        token.invalidate()
        XCTAssertEqual(calls, ["firstFriendsName - -"])
    }

    /// Changes from elsewhere have old values; those of computed properties are computed from the old values of the root.
    func testOldValuesOfComputedProperties() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe { self.record($0) }
        try changeElsewhere(realm) { $0.lastName = "Webb" }
        try changeElsewhere(realm) { $0.address?.city = "Rivendell" }
        try changeElsewhere(realm) { $0.address = nil }
        try changeElsewhere(realm) { $0.friends.removeAll() }
        token.invalidate()
        XCTAssertEqual(
            calls,
            [
                "lastNameCaps BOURNE WEBB, surname Bourne Webb, length 6 4", "homeCity Bree Rivendell",
                "homeCity Rivendell -", "firstFriendsName - -",
            ])
    }

    func testOldValuesOfPropertiesComputedFromSeveral() throws {
        let (realm, root) = try make()
        let token = PersonSheet(projecting: root).observe(keyPaths: ["lastName"]) { self.record($0) }
        try changeElsewhere(realm) { $0.lastName = "Webb" }
        try changeElsewhere(realm) { $0.firstName = "David" }
        try write(realm) { root.lastName = "Bourne" }
        token.invalidate()
        XCTAssertEqual(calls, ["fullName Jason Bourne Jason Webb", "fullName - David Bourne"])
        calls = []
        let both = PersonSheet(projecting: root).observe(keyPaths: ["firstName"]) { self.record($0) }
        try changeElsewhere(realm) {
            $0.firstName = "Pam"
            $0.lastName = "Landy"
        }
        both.invalidate()
        XCTAssertEqual(
            calls, ["firstName David Pam, shout DAVID PAM, fullName David Bourne Pam Landy"])
    }

    /// There is an old value only of what came by moving to a newer version.
    func testAChangeHereAndOneElsewhereInOneCall() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe(keyPaths: ["firstName", "address.city"]) {
            self.record($0)
        }
        try realm.write {
            root.firstName = "David"
            root.address?.city = "Edoras"
        }
        try changeElsewhere(realm) {
            $0.firstName = "Pam"
            $0.address?.city = "Rivendell"
        }
        token.invalidate()
        XCTAssertEqual(calls, ["firstName David Pam, homeCity - Rivendell"])
    }

    func testDeletedElsewhere() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe { self.record($0) }
        try writeElsewhere { $0.delete($0.objects(ProjectionPerson.self)[0]) }
        realm.refresh()
        token.invalidate()
        XCTAssertEqual(calls, ["deleted"])
    }

    func testSilentWrites() throws {
        let (realm, root) = try make()
        let token = PersonCard(projecting: root).observe { self.record($0) }
        try realm.write(withoutNotifying: [token]) { root.firstName = "David" }
        realm.refresh()
        try write(realm) { root.lastName = "Webb" }
        token.invalidate()
        XCTAssertEqual(calls, ["lastNameCaps - WEBB, surname - Webb, length - 4"])
    }

    func testOnAQueue() throws {
        let (realm, root) = try make()
        let queue = DispatchQueue(label: "projection")
        let calls = Shared<[String]>([])
        let token = PersonCard(projecting: root).observe(keyPaths: ["lastName"], on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            var text = "deleted"
            if case .change(let card, let properties) = change {
                text = "\(card.surname): \(properties.map { "\($0.name) \($0.oldValue ?? "-")" })"
            }
            let told = text
            calls.update { $0.append(told) }
        }
        queue.sync {}
        try realm.write { root.lastName = "Webb" }
        wait("the change") { calls.value.count == 1 }
        try realm.write { realm.delete(root) }
        wait("the end") { calls.value.count == 2 }
        token.invalidate()
        XCTAssertEqual(
            calls.value, ["Webb: [\"lastNameCaps BOURNE\", \"surname Bourne\", \"length 6\"]", "deleted"])
    }

    func testAProjectionOfIgnoredPropertiesHearsOfTheEnd() throws {
        final class Marked: Projection<ProjectionPerson> {
            @Projected(\ProjectionPerson.mark) var mark
        }
        let (realm, root) = try make()
        let token = Marked(projecting: root).observe { self.record($0) }
        try write(realm) { root.firstName = "David" }
        try write(realm) { realm.delete(root) }
        token.invalidate()
        XCTAssertEqual(calls, ["deleted"])
    }

    // MARK: Actors

    fileprivate actor Reader {
        private(set) var told: [String] = []

        func note(_ text: String) { told.append(text) }

        func read(_ change: ObjectChange<PersonCard>) {
            guard case .change(let card, let properties) = change else { return told.append("deleted") }
            told.append("\(card.firstName): \(properties.map { "\($0.name) \($0.oldValue ?? "-")" })")
        }
    }

    @MainActor
    func testOnAnActor() async throws {
        let realm = try await Realm(configuration: configuration)
        let root = ProjectionPerson(value: ["firstName": "Jason", "lastName": "Bourne"])
        try realm.write { realm.add(root) }
        let card = PersonCard(projecting: root)
        let (reader, typed) = (Reader(), Reader())
        let tokens = [
            await card.observe(on: reader) { reader, change in reader.read(change) },
            await card.observe(keyPaths: [\PersonCard.surname], on: typed) { reader, change in
                reader.read(change)
            },
            await realm.objects(PersonCard.self).observe(keyPaths: [\PersonCard.firstName], on: typed) {
                reader, change in
                switch change {
                case .update(_, _, _, let modifications): reader.note("results \(modifications)")
                default: reader.note("results")
                }
            },
        ]
        // A write before the first call would be part of it.
        await expect(typed, ["results"])
        try realm.write { root.firstName = "David" }
        await expect(reader, ["David: [\"firstName Jason\"]"])
        await expect(typed, ["results", "results [0]"])
        try realm.write { root.lastName = "Webb" }
        let caps = "[\"lastNameCaps BOURNE\", \"surname Bourne\", \"length 6\"]"
        await expect(reader, ["David: [\"firstName Jason\"]", "David: \(caps)"])
        await expect(typed, ["results", "results [0]", "David: \(caps)"])
        try realm.write { realm.delete(root) }
        await expect(reader, ["David: [\"firstName Jason\"]", "David: \(caps)", "deleted"])
        for token in tokens { token.invalidate() }
    }

    // MARK: Results of projections

    func testResultsCountWhatIsProjectedAsModification() throws {
        let (realm, root) = try make()
        let cards = realm.objects(PersonCard.self)
        let old = realm.objects(PersonCard.self).filter("age < 50").sorted(byKeyPath: "lastName")
        let tokens = [
            cards.observe { self.calls.append("all " + self.text($0)) },
            old.observe { change in
                if case .update(let cards, _, _, _) = change { XCTAssertEqual(cards, old) }
                self.calls.append("some " + self.text(change))
            },
        ]
        realm.refresh()
        XCTAssertEqual(calls, ["all initial", "some initial"])
        calls = []
        try write(realm) { root.tags.append("spy") }
        try write(realm) { root.age = 5 }
        XCTAssertEqual(calls, [])
        try write(realm) { root.firstName = "David" }
        XCTAssertEqual(calls, ["all -[] +[] ~[0]", "some -[] +[] ~[1]"])
        calls = []
        try write(realm) { root.age = 60 }
        XCTAssertEqual(calls, ["some -[1] +[] ~[]"])
        tokens.forEach { $0.invalidate() }
    }

    func testResultsWithKeyPaths() throws {
        let (realm, root) = try make()
        let tokens = [
            realm.objects(PersonCard.self).observe(keyPaths: ["age"]) {
                self.calls.append("age " + self.text($0))
            },
            realm.objects(PersonCard.self).observe(keyPaths: [\.lastNameCaps]) {
                self.calls.append("lastName " + self.text($0))
            },
        ]
        realm.refresh()
        calls = []
        try write(realm) { root.age = 5 }
        try write(realm) { root.lastName = "Webb" }
        try write(realm) { root.firstName = "David" }
        tokens.forEach { $0.invalidate() }
        XCTAssertEqual(calls, ["age -[] +[] ~[0]", "lastName -[] +[] ~[0]"])
    }

    // MARK: Key-value observing

    private final class Watcher: KeyValueObserver {
        var calls: [String] = []
        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            calls.append("\(keyPath ?? "-") \(change?[.newKey] ?? "-")")
        }
    }

    func testKeyValueObserversAreTheRootsOwn() throws {
        let (realm, root) = try make()
        let card = PersonCard(projecting: root)
        let watcher = Watcher()
        for label in ["firstName", "lastNameCaps", "homeCity", "firstFriendsName"] {
            card.addObserver(watcher, forKeyPath: label, options: .new)
        }
        try realm.write {
            card.firstName = "David"
            root.lastName = "Webb"
            root.address?.city = "Rivendell"
            root.friends.append(ProjectionPerson())
            card.removeObserver(watcher, forKeyPath: "firstName")
            card.removeObserver(watcher, forKeyPath: "lastNameCaps", context: nil)
            card.removeObserver(watcher, forKeyPath: "homeCity")
            card.removeObserver(watcher, forKeyPath: "firstFriendsName")
            card.firstName = "Pam"
        }
        XCTAssertEqual(
            watcher.calls.prefix(3), ["firstName David", "lastName Webb", "address.city Rivendell"])
        XCTAssertEqual(watcher.calls.count, 4)
        XCTAssertTrue(watcher.calls[3].hasPrefix("friends "), watcher.calls[3])
    }
}

/// Waits until an actor has received all of these notifications.
private func expect(
    _ reader: ProjectionObservingTests.Reader, _ expected: [String], line: UInt = #line
) async {
    for _ in 0..<24_000 {
        if await reader.told.count >= expected.count { break }
        try? await Task.sleep(nanoseconds: 5_000_000)
    }
    let told = await reader.told
    XCTAssertEqual(Array(told.prefix(expected.count)), expected, line: line)
}
