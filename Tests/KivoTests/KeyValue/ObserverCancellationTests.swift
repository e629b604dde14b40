import Foundation
import Kivo
import XCTest

/// Any number of observers that are cancelled, on this thread and on others, are released.
final class ObserverCancellationTests: RealmTestCase {
    func testTokensOfObjectsCancelledElsewhereGoWithARefresh() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<10 { realm.add(Dog(value: ["age": age])) } }
        let dogs = realm.objects(Dog.self)
        for round in 0..<20 {
            let tokens: [NotificationToken] = dogs.map { dog in dog.observe { (_: ObjectChange<Dog>) in } }
            XCTAssertEqual(realm.observerCount, 10)
            try onAnotherThread { for token in tokens { token.invalidate() } }
            XCTAssertFalse(realm.refresh())
            XCTAssertEqual(realm.observerCount, 0, "round \(round)")
        }
    }

    /// A thread without a run loop only refreshes.
    func testTokensCancelledElsewhereGoFromAThreadThatRefreshesByHand() throws {
        try elsewhere { realm in
            try realm.write { realm.add(Dog()) }
            let dogs = realm.objects(Dog.self)
            for _ in 0..<5 {
                let tokens = [
                    dogs[0].observe { (_: ObjectChange<Dog>) in }, dogs.observe { _ in },
                    dogs.where { $0.age > 1 }.observe { _ in }, realm.observe { _, _ in },
                    dogs[0].observe(keyPaths: ["age"]) { (_: ObjectChange<Dog>) in },
                ]
                realm.refresh()
                XCTAssertEqual(realm.observerCount, 5)
                try onAnotherThread { for token in tokens { token.invalidate() } }
                realm.refresh()
                XCTAssertEqual(realm.observerCount, 0)
            }
        }
    }

    func testTokensCancelledElsewhereGoWithAWrite() throws {
        let realm = try openRealm()
        let dog = Dog()
        try realm.write { realm.add(dog) }
        let token = dog.observe { (_: ObjectChange<Dog>) in }
        try onAnotherThread { token.invalidate() }
        try realm.write { XCTAssertEqual(realm.observerCount, 0) }
    }

    /// Objects that are observed by key path and released elsewhere leave nothing with their rows.
    func testObservedObjectsLetGoOfElsewhereGoWithARefresh() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Person(value: ["favourite": ["age": 1]])) }
        for path in ["name", "favourite.age"] {
            for _ in 0..<5 {
                let recorder = ValueRecorder()
                let kept = Kept(realm.objects(Person.self).first)
                kept.person?.addObserver(recorder, forKeyPath: path)
                XCTAssertGreaterThan(realm.observerCount, 0)
                try onAnotherThread { kept.person = nil }
                realm.refresh()
                XCTAssertEqual(realm.observerCount, 0, path)
            }
        }
    }

    /// When many of the observers are removed, the remaining ones are called in the order of their registration.
    func testWhoIsLeftIsCalledInOrder() throws {
        let realm = try openRealm()
        var random = RandomSource("tokens")
        let dog = Dog()
        try realm.write { realm.add(dog) }
        let dogs = realm.objects(Dog.self)
        for _ in 0..<30 {
            let told = Shared<[Int]>([])
            var tokens: [(number: Int, token: NotificationToken)] = (0..<random.below(60)).map { number in
                let tell = { told.update { $0.append(number) } }
                switch random.below(3) {
                case 0: return (number, dog.observe { (_: ObjectChange<Dog>) in tell() })
                case 1: return (number, dog.observe(keyPaths: ["age"]) { (_: ObjectChange<Dog>) in tell() })
                default: return (number, dogs.observe { _ in tell() })
                }
            }
            serveRunLoop()
            realm.refresh()
            for _ in 0..<random.below(tokens.count + 1) {
                let index = random.below(tokens.count)
                let token = tokens.remove(at: index).token
                if random.below(2) == 0 {
                    token.invalidate()
                } else {
                    try onAnotherThread { token.invalidate() }
                }
            }
            told.update { $0 = [] }
            try realm.write { dog.age += 1 }
            realm.refresh()
            XCTAssertEqual(told.value, tokens.map(\.number))
            XCTAssertEqual(realm.observerCount, tokens.count)
            for (_, token) in tokens { token.invalidate() }
            XCTAssertEqual(realm.observerCount, 0)
        }
    }
}

/// An object that is sent to another thread, which only releases it.
private final class Kept: @unchecked Sendable {
    var person: Person?

    init(_ person: Person?) { self.person = person }
}
