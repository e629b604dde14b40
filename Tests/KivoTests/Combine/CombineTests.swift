import Testing

/// The publishers, compiled together with a double of Combine, do what programs rely on.
struct CombineTests {
    @Test(.enabled(if: ProgramRunner.isAvailable))
    func publishersTellWhatListenersAreTold() throws {
        let result = try CombineProgram.run(Self.program)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == Self.expected, "\(result.output)")
    }

    private static let program = """
        import Foundation
        import Kivo

        class Dog: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var name = ""
            @Persisted var age = 0
            @Persisted var friends: List<Dog>
            @Persisted var scores: Map<String, Int>
        }

        final class Model { var token: NotificationToken? }

        @main struct Program {
            static let queue = DispatchQueue(label: "elsewhere")
            nonisolated(unsafe) static var told: [String] = []

            static func main() throws {
                let configuration = Realm.Configuration(inMemoryIdentifier: "combine")
                let realm = try Realm(configuration: configuration)
                let dog = Dog(value: ["id": 1, "name": "Rex"])
                try realm.write { realm.add(dog) }
                let dogs = realm.objects(Dog.self)
                let model = Model()
                let elsewhere = DispatchSemaphore(value: 0)
                func say(_ text: String) { told.append(text) }
                func text<C>(_ change: RealmCollectionChange<C>) -> String {
                    switch change {
                    case .initial: "initial"
                    case .update(_, let d, let i, let m): "-\\(d) +\\(i) ~\\(m)"
                    case .error: "error"
                    }
                }
                var held: [AnyCancellable] = []
                held.append(realm.objectWillChange.sink { say("realm") })
                held.append(dog.objectWillChange.sink { say("dog") })
                held.append(dogs.objectWillChange.sink { say("dogs") })
                held.append(dog.friends.objectWillChange.sink { say("friends") })
                held.append(dogs.collectionPublisher.sink(receiveValue: { say("collection \\($0.count)") }))
                held.append(
                    dogs.collectionPublisher(keyPaths: ["age"]).sink(receiveValue: { say("aged \\($0.count)") }))
                held.append(dogs.changesetPublisher.sink { say("changeset " + text($0)) })
                held.append(dog.scores.changesetPublisher.sink { _ in say("scores") })
                held.append(
                    valuePublisher(dog, keyPaths: ["name"]).sink(
                        receiveCompletion: { _ in say("value ends") }, receiveValue: { say("value \\($0.name)") }))
                held.append(
                    changesetPublisher(dog).saveToken(on: model, at: \\.token).sink(
                        receiveCompletion: { _ in say("object ends") },
                        receiveValue: {
                            if case .change(_, let all) = $0 {
                                say("object \\(all.map(\\.name))")
                            } else {
                                say("object \\($0)")
                            }
                        }))
                held.append(
                    dogs.collectionPublisher.freeze().sink(receiveValue: { say("frozen \\($0.isFrozen)") }))
                held.append(
                    dogs.changesetPublisher.threadSafeReference().receive(on: queue).sink { change in
                        if case .update(let dogs, _, let insertions, _) = change, !insertions.isEmpty {
                            dispatchPrecondition(condition: .onQueue(queue))
                            precondition(dogs.count == 2 && insertions == [1] && dogs[1].name == "Max")
                            elsewhere.signal()
                        }
                    })
                let sections = dogs.sectioned(by: \\.name)
                held.append(
                    sections.changesetPublisher.freeze().sink { change in
                        if case .initial(let sections) = change { say("sections frozen \\(sections.isFrozen)") }
                    })
                let sectionsElsewhere = DispatchSemaphore(value: 0)
                held.append(
                    sections.changesetPublisher.threadSafeReference().receive(on: queue).sink { change in
                        if case .update(let sections, _, _, _, let inserted, _) = change, sections.count == 2 {
                            dispatchPrecondition(condition: .onQueue(queue))
                            precondition(inserted == [0] && sections.allKeys == ["Max", "Moritz"])
                            sectionsElsewhere.signal()
                        }
                    })
                realm.refresh()
                print("first", told.sorted())
                told = []
                try realm.write { dog.name = "Moritz" }
                realm.refresh()
                print("name", told.sorted())
                told = []
                try realm.write(withoutNotifying: [model.token!]) { dog.age = 5 }
                realm.refresh()
                print("age", told.sorted())
                told = []
                held.removeSubrange(2..<9)
                let max = Dog(value: ["id": 2, "name": "Max"])
                try realm.write { realm.add(max) }
                realm.refresh()
                elsewhere.wait()
                sectionsElsewhere.wait()
                print("insertion", told.sorted())
                told = []
                try realm.write { realm.delete(dog) }
                realm.refresh()
                print("deletion", told.sorted())
                held.forEach { $0.cancel() }
                told = []
                try realm.write { max.age = 1 }
                realm.refresh()
                print("cancelled", told, realm.refresh())
            }
        }
        """

    private static let expected = """
        first ["aged 1", "changeset initial", "collection 1", "frozen true", "scores", "sections frozen true"]
        name ["changeset -[] +[] ~[0]", "collection 1", "dog", "dogs", "frozen true", "object [\\"name\\"]", "realm", "value Moritz"]
        age ["aged 1", "changeset -[] +[] ~[0]", "collection 1", "dog", "dogs", "frozen true", "realm"]
        insertion ["frozen true", "realm"]
        deletion ["frozen true", "object ends", "realm"]
        cancelled [] false

        """
}
