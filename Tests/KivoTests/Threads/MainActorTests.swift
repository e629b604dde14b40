#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// The main actor moves between threads once `main` has awaited something, and its realms move with it. Each test runs in a
/// process of its own, in which the main queue was not used before.
struct MainActorTests {
    @Test func aRealmOfTheMainActorOutlivesAnAwait() async {
        await #expect(processExitsWith: .success) { try await MainActorUse.run() }
    }

    @Test func aRealmOfTheMainActorFromATask() async {
        await #expect(processExitsWith: .success) {
            try await Task { try await MainActorUse.run() }.value
            try await Task.detached { try await MainActorUse.run() }.value
        }
    }

    @Test func aRealmOfTheMainActorAfterOneOfAnotherThread() async {
        await #expect(processExitsWith: .success) {
            try onAnotherThread { _ = try MainActorUse.realm() }
            try await MainActorUse.run()
        }
    }

    @Test func aRealmOfTheMainActorAfterOneOfAQueue() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "first")
            try queue.sync { _ = try Realm(configuration: MainActorUse.configuration, queue: queue) }
            try await MainActorUse.run()
        }
    }

    /// A program whose `main` is on the main thread until it awaits.
    @Test(
        .enabled(if: ProgramRunner.isAvailable),
        arguments: ["", "_ = try await Task.detached { try open().isEmpty }.value"])
    func aProgramsOwnMain(first: String) async throws {
        let program = try ProgramRunner()
        let result = try program.run(
            """
            import Foundation
            import Kivo

            class Note: Object {
                @Persisted var text = ""
            }

            func open() throws -> Realm { try Realm(configuration: .init(inMemoryIdentifier: "notes")) }

            @main struct Program {
                @MainActor static func main() async throws {
                    \(first)
                    let realm = try open()
                    let note = Note(value: ["text": "one"])
                    try realm.write { realm.add(note) }
                    for round in 0..<3 {
                        try await Task.sleep(nanoseconds: 1000)
                        try realm.write { note.text += " \\(round)" }
                    }
                    print(try await Task { try Notes.last() }.value)
                }
            }

            @MainActor enum Notes {
                static func last() throws -> String { try open().objects(Note.self).last?.text ?? "" }
            }
            """)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.hasPrefix("one 0 1 2\n"), "\(result.output)")
    }
}

/// The uses of a realm on the main actor in a program.
private enum MainActorUse {
    static var configuration: Realm.Configuration { Realm.Configuration(inMemoryIdentifier: "main actor") }

    static func realm() throws -> Realm { try Realm(configuration: configuration) }

    @MainActor static func run() async throws {
        let realm = try realm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        var told = 0
        let token = realm.objects(Dog.self).observe { _ in told += 1 }
        for age in 2..<5 {
            try await Task.sleep(nanoseconds: 1000)
            try realm.write { dog.age = age }
            try #require(try Self.realm() == realm)
            try #require(try Realm(configuration: configuration, queue: .main) == realm)
        }
        try onAnotherThread { try Self.realm().write { try Self.realm().objects(Dog.self).last?.age = 9 } }
        while dog.age != 9 { try await Task.sleep(nanoseconds: 1_000_000) }
        try #require(told > 0)
        token.invalidate()
    }
}
#endif
