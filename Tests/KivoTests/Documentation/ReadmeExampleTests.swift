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

        // An observer of one property.
        let observation = rex.observe(\.age, options: [.old, .new]) { dog, change in
            print("\(dog.name) was \(change.oldValue!) and is \(change.newValue!)")
        }

        // A list that follows a query.
        var rows: [String] = []
        let token = realm.objects(Dog.self).where { $0.age > 3 }.sorted(by: \.name).observe { change in
            change.apply(to: &rows) { dog in dog.name }
            print("Older than three: \(rows)")
        }

        realm.refresh()  // delivers what is due, as a run loop does
        try realm.write { rex.age = 4 }
        realm.refresh()
        try realm.write { _ = realm.create(Dog.self, value: ["tag": 2, "name": "Ada", "age": 9]) }
        realm.refresh()
        // The README ends.
        XCTAssertEqual(
            lines,
            [
                "Older than three: []", "Rex was 3 and is 4", #"Older than three: ["Rex"]"#,
                #"Older than three: ["Ada", "Rex"]"#,
            ])
        observation.invalidate()
        token.invalidate()
    }
}
