import Kivo
import KivoSwiftUI
import XCTest

/// Reads and writes through bindings.
@MainActor
final class PropertyAccessTests: ViewTestCase {
    private var commits = 0
    private var token: NotificationToken?

    private func countCommits() {
        commits = 0
        token = realm.observe { [weak self] notification, _ in
            if notification == .didChange { MainActor.assumeIsolated { self?.commits += 1 } }
        }
    }

    func testUnmanagedObjectIsWrittenDirectly() async {
        let pup = Pup()
        let access = PropertyAccess.equatable(pup, \.name)
        access.value = "Rex"
        XCTAssertEqual(pup.name, "Rex")
        pup.name = "Max"
        XCTAssertEqual(access.value, "Max")
    }

    func testEachWriteIsATransactionOfItsOwn() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let access = PropertyAccess.equatable(pup.freeze(), \.name)
        countCommits()
        access.value = "Rex"
        access.value = "Max"
        XCTAssertEqual(commits, 2)
        XCTAssertEqual(pup.name, "Max")
        XCTAssertFalse(realm.isInWriteTransaction)
    }

    func testAnEqualValueIsNotWritten() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        countCommits()
        PropertyAccess.equatable(pup, \.name).value = "Rex"
        XCTAssertEqual(commits, 0)
        PropertyAccess(pup, \.name).value = "Rex"
        XCTAssertEqual(commits, 1)
    }

    func testAnOpenTransactionIsJoined() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let access = PropertyAccess.equatable(pup, \.name)
        countCommits()
        realm.beginWrite()
        access.value = "Rex"
        XCTAssertTrue(realm.isInWriteTransaction)
        XCTAssertEqual(access.value, "Rex")
        realm.cancelWrite()
        XCTAssertEqual(commits, 0)
        XCTAssertEqual(access.value, "")
    }

    func testTheLastValueOutlivesTheObject() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let access = PropertyAccess.equatable(pup, \.name)
        XCTAssertEqual(access.value, "Rex")
        try realm.write { realm.delete(pup) }
        XCTAssertEqual(access.value, "Rex")
        access.value = "Max"
        XCTAssertEqual(access.value, "Rex")
        XCTAssertFalse(realm.isInWriteTransaction)
    }

    func testAFrozenObjectThatIsGoneIsReadOnly() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let frozen = pup.freeze()
        try realm.write { realm.delete(pup) }
        let access = PropertyAccess.equatable(frozen, \.name)
        access.value = "Max"
        XCTAssertEqual(access.value, "Rex")
    }

    func testAnObjectThatAnotherThreadDeletesBeforeTheWriteIsLeft() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let access = PropertyAccess.equatable(pup, \.name)
        writeElsewhere { $0.deleteAll() }
        // Beginning the write moves to the version in which the object is gone.
        access.value = "Max"
        XCTAssertEqual(access.value, "Rex")
        XCTAssertEqual(realm.objects(Pup.self).count, 0)
        XCTAssertFalse(realm.isInWriteTransaction)
    }

    func testCollectionsAreReadFrozenAndOncePerVersion() async throws {
        let kennel = Kennel(value: ["numbers": [1]])
        XCTAssertFalse(PropertyAccess.collection(kennel, \.numbers).value.isFrozen)
        try realm.write { realm.add(kennel) }
        let access = PropertyAccess.collection(kennel, \.numbers)
        let first = access.value
        XCTAssertTrue(first.isFrozen)
        XCTAssertTrue(access.value === first)
        try realm.write { kennel.numbers.append(2) }
        XCTAssertEqual(Array(first), [1])
        XCTAssertEqual(Array(access.value), [1, 2])
        access.value = access.value
        XCTAssertEqual(Array(kennel.numbers), [1, 2], "a collection that is assigned to itself stays")
        try realm.write { realm.delete(kennel) }
        XCTAssertEqual(Array(access.value), [1, 2])
    }

    func testFrozenLinksAreWrittenLive() async throws {
        let (kennel, pup) = (Kennel(), Pup(value: ["name": "Rex"]))
        try realm.write { realm.add([kennel, pup]) }
        PropertyAccess.equatable(kennel, \.favourite).value = pup.freeze()
        XCTAssertTrue(kennel.favourite!.isSameObject(as: pup))
        PropertyAccess.equatable(kennel, \.favourite).value = nil
        XCTAssertNil(kennel.favourite)
        PropertyAccess.equatable(kennel, \.favourite).value = Pup(value: ["name": "Ada"])
        XCTAssertEqual(kennel.favourite?.name, "Ada")
        PropertyAccess(pup, \.toy).value = .object(kennel.freeze())
        XCTAssertTrue(pup.toy.object(Kennel.self)!.isSameObject(as: kennel))
    }

    func testBindingsReadAndWriteFromNonisolatedCode() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let access = PropertyAccess.equatable(pup, \.age)
        let (get, set): (@Sendable () -> Int, @Sendable (Int) -> Void) = (
            { access.read() }, { access.write($0) }
        )
        set(3)
        XCTAssertEqual(get(), 3)
        XCTAssertEqual(pup.age, 3)
    }

    func testProjectionsWriteTheirRoot() async throws {
        let tag = PupTag(projecting: Pup())
        let before = PropertyAccess.equatable(tag, \.label)
        before.value = "a"
        try realm.write { realm.add(tag.rootObject) }
        before.value = "b"
        XCTAssertEqual(tag.rootObject.name, "b")
        PropertyAccess.equatable(tag.freeze(), \.label).value = "c"
        XCTAssertEqual(before.value, "c")
    }
}
