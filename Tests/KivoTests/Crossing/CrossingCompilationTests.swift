import Foundation
import TestRandomness
import XCTest

/// The compiler decides which values may be sent to other threads.
final class CrossingCompilationTests: XCTestCase {
    private static let models = """
        import Dispatch
        import Kivo
        class Owner: Object { @Persisted var name = ""; @Persisted var dogs: List<Dog> }
        class Dog: Object {
            @Persisted var name = ""
            @Persisted var age = 0
            @Persisted var owner: Owner?
            @Persisted var codes: List<Int>
            @Persisted var tags: MutableSet<String>
            @Persisted var counts: Map<String, Int>
            @Persisted var friends: Map<String, Dog?>
        }

        """

    private func problems(_ source: String, mode: String = "6", checksSending: Bool = false) throws -> String?
    {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        return try compiler.problems(
            inSource: Self.models + source, mode: mode, checksSending: checksSending)
    }

    /// The example of realm-swift's page, as it is written there.
    func testAVariableInABlockOfAQueueCompilesInMode5() throws {
        let source = """
            class Controller {
                let results = try! Realm().objects(Dog.self)
                func delete(at index: Int) throws {
                    @ThreadSafe var object = results[index]
                    DispatchQueue.global().async {
                        guard let object = object else { return }
                        let realm = object.realm!
                        try! realm.write {
                            if !object.isInvalidated {
                                realm.delete(object)
                            }
                        }
                    }
                }
            }
            """
        XCTAssertNil(try problems(source, mode: "5"))
    }

    /// In mode 6 the compiler wants to have said what a `@Sendable` block captures: the variable itself, not its value.
    func testVariablesAreCapturedWithoutWarningsInBothModes() throws {
        let source = """
            func delete(_ results: Results<Dog>) {
                @ThreadSafe var object = results[0]
                DispatchQueue.global().async { [$object] in
                    guard let object = $object.wrappedValue else { return }
                    try! object.realm!.write { object.realm!.delete(object) }
                }
                object = nil
            }
            func rename(_ results: Results<Dog>) {
                @ThreadSafe var object = results[0]
                Task.detached { object?.name = "Rex" }
            }
            func grow(@ThreadSafe dog: Dog?) {
                Task { dog?.age += 1 }
            }
            """
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        for mode in ["5", "6"] {
            // Warnings are treated as what they would be in mode 6.
            XCTAssertNil(
                try compiler.problems(
                    inSource: Self.models + source, mode: mode, checksSending: true, warningsFail: true))
        }
    }

    func testFrozenFormsGoIntoTasks() throws {
        let source = """
            func send(dog: Dog, realm: Realm) async {
                let one = dog.frozenSnapshot()
                let puppies = realm.objects(Dog.self).where { $0.age < 1 }.frozenSnapshot()
                let (codes, counts, friends) = (
                    dog.codes.frozenSnapshot(), dog.counts.frozenSnapshot(), dog.friends.frozenSnapshot()
                )
                let version = realm.frozenSnapshot()
                let sum = await Task.detached { () -> Int in
                    let owner: Frozen<Owner>? = one.owner
                    let names: [String] = puppies.map(\\.name) + [owner?.dogs.first?.name ?? one.name]
                    let ages: Int = one.codes[0] + (one.counts["x"] ?? 0) + (one.friends["x"]??.age ?? 0)
                    let found = puppies.where { $0.name == "Rex" }.sorted(by: \\.age).count
                    let all = version.objects(Dog.self).filter("age > %@", 3).count
                    let age: Int = friends["y"]??.age ?? 0
                    return names.count + ages + found + all + codes.count + counts.count + age + one.tags.count
                }.value
                print(sum)
            }
            """
        XCTAssertNil(try problems(source, checksSending: true))
    }

    func testFrozenFormsCannotBeWritten() throws {
        let refused = [
            "dog.age = 5", "dog.owner = nil", "dog.owner?.name = \"\"", "dog.codes.append(1)",
            "dog.codes[0] = 1", "dog.counts[\"x\"] = 1", "dog.codes.removeAll()", "dogs[0].age = 1",
            "dogs.realm?.beginWrite()", "dog.realm?.beginWrite()", "version.beginWrite()",
            "version.create(Dog.self)",
        ]
        let dogs = "FrozenCollection<Results<Dog>, Frozen<Dog>>"
        for statement in TestEffort.sample(refused, 1) {
            let source = """
                func write(_ dog: Frozen<Dog>, _ dogs: \(dogs), _ version: FrozenRealm) {
                    var dog = dog
                    var dogs = dogs
                    \(statement)
                    (dog, dogs) = (dog, dogs)
                }
                """
            XCTAssertNotNil(try problems(source), "'\(statement)' compiles")
        }
        XCTAssertNil(
            try problems("func read(_ dog: Frozen<Dog>, _ dogs: \(dogs)) { print(dog.age, dogs[0].age) }"))
    }

    func testLiveValuesDoNotGoIntoTasks() throws {
        let refused = [
            "dog.age += 1", "print(dog.codes)", "print(dogs.count)", "print(realm.isEmpty)",
            "print(AnyRealmCollection(dogs))",
        ]
        for statement in TestEffort.sample(refused, 1) {
            let source = """
                func send(_ dog: Dog, _ dogs: Results<Dog>, _ realm: Realm) {
                    Task.detached { \(statement) }
                }
                """
            let found = try XCTUnwrap(problems(source, checksSending: true), "'\(statement)' compiles")
            XCTAssertTrue(found.contains("data race"), found)
        }
    }

    /// A closure that a queue calls does not belong to the actor that wrote it; a closure that is called where the realm
    /// belongs can.
    func testBlocksForQueuesAreSendable() throws {
        let parameters = "_ dog: Dog, _ dogs: Results<Dog>, _ queue: DispatchQueue, _ some: DispatchQueue?"
        let observed = [
            "dogs.", "dogs[0].owner!.dogs.", "dog.tags.", "dog.counts.", "AnyRealmCollection(dogs).",
            "dogs.sectioned(by: \\.name).", "dogs.sectioned(by: \\.name)[0].",
        ]
        func source(_ statement: String) -> String {
            """
            @MainActor final class Controller {
                var count = 0
                func begin(\(parameters)) { _ = \(statement) }
            }
            """
        }
        let objects = "{ (_: ObjectChange<Dog>) in self.count += 1 }"
        var elsewhere: [String] = observed.map { $0 + "observe(on: queue) { _ in self.count += 1 }" }
        elsewhere += [
            "dogs.observe(on: some) { _ in self.count += 1 }",
            "dogs.observe(keyPaths: [\"name\"], on: queue) { _ in self.count += 1 }",
            "dogs.observe(keyPaths: [\\.name], on: queue) { _ in self.count += 1 }",
            "dog.observe(on: queue) \(objects)", "dog.observe(keyPaths: [\"name\"], on: .main) \(objects)",
            "dog.observe(keyPaths: [\\Dog.name], on: queue) \(objects)",
            "Realm.asyncOpen(callbackQueue: queue) { _ in self.count += 1 }",
        ]
        for statement in TestEffort.sample(elsewhere, 2) {
            let found = try XCTUnwrap(problems(source(statement)), "'\(statement)' compiles")
            XCTAssertTrue(found.contains("Sendable"), found)
        }
        let forms = [
            "observe { _ in self.count += 1 }", "observe(on: nil) { _ in self.count += 1 }",
            "observe(keyPaths: nil, on: nil) { _ in self.count += 1 }",
            "observe(on: queue) { _ in print(1) }", "observe(on: .main) { print($0) }",
            "observe(on: some) { change in print(change); print(2) }",
        ]
        var here: [String] = []
        for subject in observed { here += forms.map { subject + $0 } }
        here += [
            "dogs.observe(keyPaths: [\\.name]) { _ in self.count += 1 }", "dog.observe \(objects)",
            "dogs.observe(keyPaths: [\\.name], on: nil) { _ in self.count += 1 }",
            "dog.observe(keyPaths: [\"name\"], on: nil) \(objects)",
            "dog.observe(keyPaths: [\\Dog.name]) \(objects)",
            "Realm.asyncOpen { _ in MainActor.assumeIsolated { self.count += 1 } }",
        ]
        let all = here.enumerated().map { source($1).replacing("Controller", with: "Controller\($0)") }
        XCTAssertNil(try problems(all.joined(separator: "\n")))
    }

    /// Blocks that make keys run wherever sections go.
    func testBlocksThatMakeKeysAreSendable() throws {
        let refused = [
            "dogs.sectioned(by: { self.key($0.age) }, sortDescriptors: [\"age\"])",
            "dog.codes.sectioned(by: { self.key($0) })",
        ]
        func source(_ statement: String) -> String {
            """
            @MainActor final class Keys {
                var step = 3
                func key(_ number: Int) -> Int { number / step }
                func begin(_ dog: Dog, _ dogs: Results<Dog>, _ local: @escaping (Dog) -> Int) { _ = \(statement) }
            }
            """
        }
        for statement in TestEffort.sample(refused, 1) {
            XCTAssertNotNil(try problems(source(statement)), "'\(statement)' compiles")
        }
        for statement in [
            "dogs.sectioned(by: { [step] in $0.age / step }, sortDescriptors: [\"age\"])",
            "dogs.sectioned(by: local, sortDescriptors: [\"age\"])",
            "dog.codes.sectioned(by: { $0 % 2 == 0 })", "dogs.sectioned(by: \\.name)",
        ] { XCTAssertNil(try problems(source(statement))) }
    }

    func testStreamsOfChangesStayWhereTheyAre() throws {
        let streams = [
            "dogs.changes", "dog.changes", "realm.changes", "dog.codes.changes",
            "dogs.sectioned(by: \\.name).changes",
            "AnyRealmCollection(dogs).changes", "dogs.changes.withMoves()",
        ]
        for stream in TestEffort.sample(streams, 1) {
            let parameters = "_ dog: Dog, _ dogs: Results<Dog>, _ realm: Realm"
            let sent = """
                @MainActor func send(\(parameters)) {
                    let stream = \(stream)
                    Task.detached { for await _ in stream { break } }
                }
                """
            let found = try XCTUnwrap(problems(sent, checksSending: true), "'\(stream)' is sent")
            XCTAssertTrue(found.contains("data race") || found.contains("Sendable"), found)
            let kept = """
                @MainActor func follow(\(parameters)) async {
                    for await _ in \(stream) { break }
                    var iterator = \(stream).makeAsyncIterator()
                    while let _ = await iterator.next() {}
                }
                @MainActor func begin(\(parameters)) {
                    let stream = \(stream)
                    Task { for await _ in stream { break } }
                }
                actor Kennel {
                    func follow(\(parameters)) async {
                        for await _ in \(stream) { break }
                        let stream = \(stream)
                        Task {
                            for await _ in stream { end() }
                        }
                    }
                    func end() {}
                }
                """
            XCTAssertNil(try problems(kept, checksSending: true), "'\(stream)' is not read where it is")
        }
    }
}
