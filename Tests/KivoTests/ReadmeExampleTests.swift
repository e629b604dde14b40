import Kivo
import XCTest

/// The README's example runs and prints what its comments say.
final class ReadmeExampleTests: XCTestCase {
    func testExamplePrintsWhatItSays() throws {
        var lines: [String] = []
        func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
        // The README begins.
        class Dog: Object {
            @Persisted(primaryKey: true) var tag = 0
            @Persisted var name = ""
            @Persisted var age = 0
        }

        let realm = try Realm(configuration: .init(inMemoryIdentifier: "kennel"))
        let rex = Dog(value: ["tag": 1, "name": "Rex", "age": 3])
        try realm.write { realm.add(rex) }

        let observation = rex.observe(\.age, options: [.old, .new]) { dog, change in
            print("\(dog.name) was \(change.oldValue!) and is \(change.newValue!)")
        }
        let token = realm.objects(Dog.self).where { $0.age > 3 }.observe { change in
            guard case .update(let dogs, _, let insertions, _) = change else { return }
            print("Older than three: \(insertions.map { dogs[$0].name })")
        }
        realm.refresh()  // the first call of the token's block: .initial
        try realm.write { rex.age = 4 }  // Rex was 3 and is 4
        realm.refresh()  // Older than three: ["Rex"]
        // The README ends.
        XCTAssertEqual(lines, ["Rex was 3 and is 4", #"Older than three: ["Rex"]"#])
        observation.invalidate()
        token.invalidate()
    }
}
