#if !canImport(Darwin)
// The toolchain's interface for SwiftUI tells which key path changed. That of `Observation` does so since Swift 6.4 only.
@_spi(SwiftUI) import Observation
import Kivo
import XCTest

class ToldDog: Object, Observable {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var friend: ToldDog?
    @Persisted var friends: List<ToldDog>
    @Persisted var scores: Map<String, Int>
    @Ignored var isSelected = false
}

final class ToldPuppy: ToldDog {
    @Persisted var breed = ""
}

final class TemplatedDog: Object, Observable {
    /// Objects that the initialiser reads. Set and read on the thread of one test.
    nonisolated(unsafe) static var template: TemplatedDog?
    nonisolated(unsafe) static var other: ToldDog?

    @Persisted var theme: Int = TemplatedDog.firstTheme()

    private static func firstTheme() -> Int { (template?.theme ?? 0) + (other?.name.count ?? 0) }
}

class SilentBase: Object {
    @Persisted var name = ""
}

final class LoudDog: SilentBase, Observable {
    @Persisted var age = 0
}

/// Key paths that were told. Each test uses one thread.
private final class ToldKeyPaths: @unchecked Sendable {
    var keyPaths: [AnyKeyPath?] = []
}

/// The key paths that observers of the toolchain are told: those that the program writes.
final class ToldKeyPathTests: RealmTestCase {
    /// Returns the key paths that an observer of some reads is told before and after the next change.
    private func told(_ read: () -> Void, by change: () throws -> Void) rethrows -> [AnyKeyPath?] {
        let told = ToldKeyPaths()
        withObservationTracking {
            read()
        } willSet: { tracking in
            told.keyPaths.append(tracking.changed)
        } didSet: { tracking in
            told.keyPaths.append(tracking.changed)
            tracking.cancel()
        }
        try change()
        return told.keyPaths
    }

    private func name(_ keyPath: AnyKeyPath) -> [AnyKeyPath?] { [keyPath, keyPath] }

    func testAnUnmanagedObject() {
        let dog = ToldDog()
        let readAll = {
            _ = (dog.name, dog.age, dog.friend, dog.friends.count, dog.scores["a"], dog.isSelected)
        }
        XCTAssertEqual(told(readAll) { dog.name = "a" }, name(\ToldDog.name))
        XCTAssertEqual(told(readAll) { dog.age = 1 }, name(\ToldDog.age))
        XCTAssertEqual(told(readAll) { dog.friend = dog }, name(\ToldDog.friend))
        XCTAssertEqual(told(readAll) { dog.friends.append(dog) }, name(\ToldDog.friends))
        XCTAssertEqual(told(readAll) { dog.scores["a"] = 1 }, name(\ToldDog.scores))
        XCTAssertEqual(told(readAll) { dog.isSelected = true }, name(\ToldDog.isSelected))
        dog.friend = nil
    }

    func testARow() throws {
        let realm = try openRealm()
        let dog = ToldDog(value: ["id": 1])
        try realm.write { realm.add(dog) }
        let readAll = {
            _ = (dog.name, dog.age, dog.friend, dog.friends.count, dog.scores["a"], dog.isSelected)
        }
        func told(_ change: () -> Void) throws -> [AnyKeyPath?] {
            try self.told(readAll) { try realm.write(change) }
        }
        XCTAssertEqual(try told { dog.name = "a" }, name(\ToldDog.name))
        XCTAssertEqual(try told { dog.age = 1 }, name(\ToldDog.age))
        XCTAssertEqual(try told { dog.friend = dog }, name(\ToldDog.friend))
        XCTAssertEqual(try told { dog.friends.append(dog) }, name(\ToldDog.friends))
        XCTAssertEqual(try told { dog.scores["a"] = 1 }, name(\ToldDog.scores))
        XCTAssertEqual(try told { dog.isSelected = true }, name(\ToldDog.isSelected))
        XCTAssertEqual(
            try self.told(readAll) {
                try writeElsewhere { $0.object(ofType: ToldDog.self, forPrimaryKey: 1)?.name = "b" }
                realm.refresh()
            }, name(\ToldDog.name))
    }

    /// The accessor that was read may be gone when the row changes.
    func testARowWithoutItsAccessor() throws {
        let realm = try openRealm()
        try realm.write { realm.add(ToldDog(value: ["id": 1])) }
        let read = { _ = realm.object(ofType: ToldDog.self, forPrimaryKey: 1)?.name }
        func change() throws {
            try realm.write { realm.object(ofType: ToldDog.self, forPrimaryKey: 1)?.name = "a" }
        }
        XCTAssertEqual(try told(read, by: change), name(\ToldDog.name))
        XCTAssertEqual(
            try told(read) { try realm.write { realm.deleteAll() } }.map { $0 == \ToldDog.name },
            [true, true])
    }

    /// The key path has the class that declares the property, as with the macro `@Observable`.
    func testASubclass() throws {
        let puppy = ToldPuppy()
        XCTAssertEqual(told({ _ = puppy.name }) { puppy.name = "a" }, name(\ToldDog.name))
        XCTAssertEqual(told({ _ = puppy.breed }) { puppy.breed = "a" }, name(\ToldPuppy.breed))
        let loud = LoudDog()
        XCTAssertEqual(told({ _ = loud.age }) { loud.age = 1 }, name(\LoudDog.age))
        // The class that declares this property is not observable: the change is told, and not what changed.
        let silent = told({ _ = loud.name }) { loud.name = "a" }
        XCTAssertEqual(silent.count, 2)
        XCTAssertFalse(silent.contains(\SilentBase.name))
    }

    func testReadsByNameTellTheChangeOnly() throws {
        let dog = ToldDog()
        let byName = told({ _ = dog["name"] }) { dog.name = "a" }
        XCTAssertEqual(byName.count, 2)
        XCTAssertFalse(byName.contains(\ToldDog.name))
        // One who reads in both ways is told the name first.
        XCTAssertEqual(
            told({ _ = (dog["name"], dog.name) }) { dog.name = "b" }[0], \ToldDog.name as AnyKeyPath)
        XCTAssertEqual(
            told({ _ = (dog.name, dog["name"]) }) { dog.name = "c" }[0], \ToldDog.name as AnyKeyPath)
        // Two observers of one property, of which one reads by name.
        let other = Shared(0)
        withObservationTracking {
            _ = dog["name"]
        } onChange: {
            other.update { $0 += 1 }
        }
        XCTAssertEqual(told({ _ = dog.name }) { dog.name = "d" }, name(\ToldDog.name))
        XCTAssertEqual(other.value, 1)
    }

    /// An object of the class is made to stand for rows. What its initialiser reads is none of the observer's reads, nor a row of its
    /// own to stand for.
    func testAnInitialiserThatReads() throws {
        let realm = try openRealm()
        let template = TemplatedDog(value: ["theme": 3])
        let other = ToldDog(value: ["id": 1])
        try realm.write {
            realm.add(template)
            realm.add(other)
        }
        (TemplatedDog.template, TemplatedDog.other) = (template, other)
        defer { (TemplatedDog.template, TemplatedDog.other) = (nil, nil) }
        let read = { _ = template.theme }
        XCTAssertEqual(try told(read) { try realm.write { other.name = "a" } }, [])
        XCTAssertEqual(try told(read) { try realm.write { template.theme = 4 } }, name(\TemplatedDog.theme))
    }

    func testAnObjectThatIsAdded() throws {
        let realm = try openRealm()
        let dog = ToldDog(value: ["id": 1])
        // The row has the same name: later changes are those of the row.
        let added = try told({ _ = dog.name }) { try realm.write { realm.add(dog) } }
        XCTAssertEqual(added.count, 2)
        XCTAssertFalse(added.contains(\ToldDog.name))
        XCTAssertEqual(try told({ _ = dog.name }) { try realm.write { dog.name = "a" } }, name(\ToldDog.name))
    }

    #if compiler(>=6.4)
    func testAnEventMatches() {
        let dog = ToldDog()
        let matches = Shared<[Bool]>([])
        withObservationTracking(options: [.didSet]) {
            _ = (dog.name, dog.age)
        } onChange: { event in
            let found = [event.matches(\ToldDog.name), event.matches(\ToldDog.age)]
            matches.update { $0 += found }
        }
        dog.age = 1
        XCTAssertEqual(matches.value, [false, true])
    }
    #endif
}
#endif
