import Testing

/// Subscriptions of publishers begin and end where they should, and values reach other queues, with a double of Combine.
struct CombineSubscriptionTests {
    @Test(.enabled(if: ProgramRunner.isAvailable))
    func everyKindOfCollectionPublishes() throws {
        try check(Self.collections, Self.expectedOfCollections)
    }

    @Test(.enabled(if: ProgramRunner.isAvailable))
    func subscriptionsBeginBeforeObservationsAndEndWithThem() throws {
        try check(Self.subscriptions, Self.expectedOfSubscriptions)
    }

    @Test(.enabled(if: ProgramRunner.isAvailable))
    func valuesAndChangesAreHandedOver() throws { try check(Self.handover, Self.expectedOfHandover) }

    private func check(_ program: String, _ expected: String) throws {
        let result = try CombineProgram.run(Self.models + program)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == expected, "\(result.output)")
    }

    private static let models = """
        import Foundation
        import Kivo

        class Dog: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var name = ""
            @Persisted var age = 0
            @Persisted var friends: Map<String, Dog?>
        }

        final class Model {
            var saved: (() -> Void)?
            var token: NotificationToken? { didSet { saved?() } }
        }

        /// Lines that were said on any thread.
        final class Log: @unchecked Sendable {
            private let lock = NSLock()
            private var lines: [String] = []
            func say(_ text: String) { lock.withLock { lines.append(text) } }
            func take() -> [String] { lock.withLock { defer { lines = [] }; return lines } }
        }
        let log = Log()

        /// A subscriber that does something when it gets its subscription, and with each value.
        final class Listener<Input, Failure: Error>: Subscriber {
            var subscription: (any Subscription)?
            let begin: (any Subscription) -> Void
            let next: (Input, any Subscription) -> Subscribers.Demand
            init(
                _ publisher: some Publisher<Input, Failure>, begin: @escaping (any Subscription) -> Void,
                next: @escaping (Input, any Subscription) -> Subscribers.Demand
            ) {
                (self.begin, self.next) = (begin, next)
                publisher.receive(subscriber: self)
            }
            func receive(subscription: any Subscription) {
                self.subscription = subscription
                begin(subscription)
            }
            func receive(_ input: Input) -> Subscribers.Demand { next(input, subscription!) }
            func receive(completion: Subscribers.Completion<Failure>) { log.say("completion") }
        }

        /// The steps are not of the main actor, as `main()` is: what they pass to publishers is called on other queues.
        @main struct Program {
            static func main() throws { try Steps.run() }
        }

        func open() throws -> (Realm, Dog) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "combine"))
            let dog = try realm.write { realm.create(Dog.self, value: ["id": 1, "name": "Rex"]) }
            return (realm, dog)
        }

        """

    private static let collections = """
        func watch<C: RealmCollection & RealmSubscribable>(_ collection: C, _ name: String) -> [AnyCancellable] {
            [
                collection.objectWillChange.sink { log.say("\\(name) will change") },
                collection.collectionPublisher.sink(receiveValue: { log.say("\\(name) \\($0.count)") }),
                collection.changesetPublisher.sink {
                    if case .update(_, _, let insertions, _) = $0 { log.say("\\(name) +\\(insertions)") }
                },
            ]
        }

        func watch<C: RealmKeyedCollection & RealmSubscribable>(_ map: C, _ name: String) -> [AnyCancellable] {
            [
                map.objectWillChange.sink { log.say("\\(name) will change") },
                map.collectionPublisher.sink(receiveValue: { log.say("\\(name) \\($0.count)") }),
                map.changesetPublisher.sink {
                    if case .update(_, _, let insertions, _) = $0 { log.say("\\(name) +\\(insertions)") }
                },
            ]
        }

        func watch<C: RealmSectionedResult & RealmSubscribable>(_ sections: C, _ name: String) -> [AnyCancellable] {
            [
                sections.objectWillChange.sink { log.say("\\(name) will change") },
                sections.collectionPublisher.sink(receiveValue: { log.say("\\(name) \\($0.count)") }),
                sections.collectionPublisher(keyPaths: ["age"]).sink(receiveValue: { log.say("\\(name) aged \\($0.count)") }),
                sections.changesetPublisher.sink {
                    if case .update(_, _, let insertions, _, _, _) = $0 { log.say("\\(name) +\\(insertions.map(\\.item))") }
                },
            ]
        }

        enum Steps {
            static func run() throws {
                let (realm, dog) = try open()
                let dogs = realm.objects(Dog.self)
                let sections = dogs.sectioned(by: \\.name)
                let held = [
                    watch(AnyRealmCollection(dogs), "any"), watch(dog.friends, "map"), watch(sections, "sections"),
                    watch(sections[0], "section"),
                ]
                realm.refresh()
                print("first", log.take().sorted())
                try realm.write { dog.friends["Max"] = realm.create(Dog.self, value: ["id": 2, "name": "Rex"]) }
                realm.refresh()
                print("insertion", log.take().sorted())
                try realm.write { dog.name = "Rex" }
                realm.refresh()
                print("modification", log.take().sorted())
                held.forEach { $0.forEach { $0.cancel() } }
                try realm.write { _ = realm.create(Dog.self, value: ["id": 3, "name": "Rex"]) }
                realm.refresh()
                print("cancelled", log.take())
            }
        }
        """

    private static let expectedOfCollections = """
        first ["any 1", "map 0", "section 1", "section aged 1", "sections 1", "sections aged 1"]
        insertion ["any +[1]", "any 2", "any will change", "map +[\\"Max\\"]", "map 1", "map will change", \
        "section +[1]", "section 2", "section aged 2", "section will change", "sections +[1]", "sections 1", \
        "sections aged 1", "sections will change"]
        modification ["any +[]", "any 2", "any will change", "section +[]", "section 2", "section will change", \
        "sections +[]", "sections 1", "sections will change"]
        cancelled []

        """

    private static let subscriptions = """
        enum Steps {
            static let queue = DispatchQueue(label: "elsewhere")
            static func settle() { for _ in 0..<5 { queue.sync {} } }

            static func run() throws {
                let (realm, dog) = try open()
                let dogs = realm.objects(Dog.self)
                // The queue has nothing to deliver until the subscriber has its subscription.
                let late = Listener(
                    dogs.changesetPublisher.subscribe(on: queue),
                    begin: { _ in
                        settle()
                        log.say("subscribed")
                    },
                    next: { _, _ in
                        log.say("change")
                        return .none
                    })
                settle()
                print("changes", log.take())
                late.subscription?.cancel()
                let value = Listener(
                    dogs.collectionPublisher.subscribe(on: queue),
                    begin: { _ in
                        settle()
                        log.say("subscribed")
                    },
                    next: { value, _ in
                        log.say("value \\(value.count)")
                        return .none
                    })
                settle()
                print("values", log.take())
                value.subscription?.cancel()
                // Cancelled before there is an observation.
                let model = Model()
                let never = Listener(
                    dogs.changesetPublisher.saveToken(on: model, at: \\.token), begin: { $0.cancel() },
                    next: { _, _ in
                        log.say("never")
                        return .none
                    })
                realm.refresh()
                print("at once", log.take(), model.token == nil)
                // Cancelled when there is an observation, which the subscription does not know yet.
                var ended: (any Subscription)?
                model.saved = { ended?.cancel() }
                let between = Listener(
                    dogs.changesetPublisher.saveToken(on: model, at: \\.token), begin: { ended = $0 },
                    next: { _, _ in
                        log.say("between")
                        return .none
                    })
                realm.refresh()
                print("between", log.take(), model.token!.invalidate())
                // Cancelled on the queue with the first value.
                let once = Listener(
                    dogs.changesetPublisher.subscribe(on: queue), begin: { _ in },
                    next: { _, subscription in
                        log.say("once")
                        subscription.cancel()
                        return .none
                    })
                settle()
                try realm.write { dog.age += 1 }
                settle()
                print("with the first", log.take())
                // An object's end is a completion and no value; nothing follows it.
                let objects = [
                    Listener(
                        changesetPublisher(dog), begin: { _ in },
                        next: { change, _ in
                            log.say("\\(change)".hasPrefix("deleted") ? "deleted" : "change")
                            return .none
                        })
                ]
                let values = Listener(
                    valuePublisher(dog), begin: { _ in },
                    next: { _, _ in
                        log.say("value")
                        return .none
                    })
                try realm.write { dog.age += 1 }
                realm.refresh()
                print("object", log.take().sorted())
                try realm.write { realm.delete(dog) }
                realm.refresh()
                print("deletion", log.take())
                objects[0].subscription?.cancel()
                withExtendedLifetime((late, value, never, between, once, objects, values)) {}
            }
        }
        """

    private static let expectedOfSubscriptions = """
        changes ["subscribed", "change"]
        values ["subscribed", "value 1"]
        at once [] true
        between [] false
        with the first ["once"]
        object ["change", "value"]
        deletion ["completion", "completion"]

        """

    private static let handover = """
        /// Publishes values where it is asked for them.
        struct Counted<Output>: Publisher {
            typealias Failure = Never
            let values: [Output]
            func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
                subscriber.receive(subscription: Count(values, subscriber))
            }

            final class Count<S: Subscriber>: Subscription where S.Input == Output {
                var rest: [Output]
                let subscriber: S
                init(_ values: [Output], _ subscriber: S) { (rest, self.subscriber) = (values, subscriber) }
                func request(_ demand: Subscribers.Demand) {
                    dispatchPrecondition(condition: .onQueue(.main))
                    log.say("asked \\(demand == .unlimited)")
                    while !rest.isEmpty { _ = subscriber.receive(rest.removeFirst()) }
                }
                func cancel() { log.say("cancelled") }
            }
        }

        enum Steps {
            static let queue = DispatchQueue(label: "elsewhere")
            nonisolated(unsafe) static var kept: Realm?
            static func onQueue(_ text: String) {
                dispatchPrecondition(condition: .onQueue(queue))
                log.say(text)
            }

            static func run() throws {
                let (realm, dog) = try open()
                let dogs = realm.objects(Dog.self)
                let sections = dogs.sectioned(by: \\.name)
                let model = Model()
                var held: [AnyCancellable] = []
                held.append(valuePublisher(dog).receive(on: queue).sink(receiveValue: { onQueue("value \\($0.age)") }))
                held.append(dogs.collectionPublisher.receive(on: queue).sink(receiveValue: { onQueue("dogs \\($0[0].age)") }))
                held.append(
                    changesetPublisher(dog).receive(on: queue).sink(
                        receiveCompletion: { _ in onQueue("object ends") },
                        receiveValue: {
                            guard case .change(let dog, let properties) = $0 else { return onQueue("not a change") }
                            onQueue("object \\(dog.age) \\(properties.map { $0.newValue as? Int ?? 0 })")
                        }))
                held.append(
                    dogs.changesetPublisher.saveToken(on: model, at: \\.token).receive(on: queue).sink {
                        if case .update(let dogs, _, _, let modifications) = $0 {
                            onQueue("changes \\(dogs[0].age) \\(modifications)")
                        }
                    })
                held.append(
                    dog.friends.changesetPublisher.receive(on: queue).sink {
                        if case .update(let map, _, let insertions, _) = $0 { onQueue("map \\(map.count) \\(insertions)") }
                    })
                held.append(
                    sections.changesetPublisher.receive(on: queue).sink {
                        if case .update(let all, _, _, let modifications, _, _) = $0 {
                            onQueue("sections \\(all[0][0].age) \\(modifications.map(\\.item))")
                        }
                    })
                held.append(
                    sections[0].collectionPublisher.receive(on: queue).sink(receiveValue: { onQueue("section \\($0[0].age)") }))
                realm.refresh()
                queue.sync {}
                print("first", log.take().sorted())
                // Each change arrives with the data that it is a change of.
                queue.suspend()
                try realm.write { dog.age = 1 }
                realm.refresh()
                try realm.write { dog.age = 2 }
                realm.refresh()
                queue.resume()
                queue.sync {}
                print("changes", log.take().sorted())
                try realm.write(withoutNotifying: [model.token!]) { dog.friends["self"] = dog }
                realm.refresh()
                queue.sync {}
                print("map", log.take().sorted())
                // A value that was cancelled on its way does not arrive.
                queue.suspend()
                try realm.write { dog.age = 3 }
                realm.refresh()
                held.forEach { $0.cancel() }
                held = []
                queue.resume()
                queue.sync {}
                print("cancelled", log.take())
                // Values are asked for once, where they belong; one that is gone when it arrives is not the last.
                let gone = try realm.write { realm.create(Dog.self, value: ["id": 2]) }
                let values = Counted(values: [dog, gone, dog, Dog(value: ["id": 3])])
                let deletion = DispatchSemaphore(value: 0)
                queue.async {
                    deletion.wait()
                    kept = try! Realm(configuration: Realm.Configuration(inMemoryIdentifier: "combine"), queue: queue)
                    precondition(kept!.objects(Dog.self).count == 1)
                }
                let listener = Listener(
                    values.threadSafeReference().receive(on: queue), begin: { $0.request(.unlimited) },
                    next: { value, subscription in
                        onQueue("\\(value.id) \\(value.realm == nil)")
                        subscription.request(.unlimited)
                        if value.id == 3 { subscription.cancel() }
                        return .unlimited
                    })
                try realm.write { realm.delete(gone) }
                deletion.signal()
                queue.sync { kept = nil }
                print("demand", log.take())
                withExtendedLifetime(listener) {}
            }
        }
        """

    private static let expectedOfHandover = """
        first ["dogs 0", "section 0"]
        changes ["changes 1 [0]", "changes 2 [0]", "dogs 1", "dogs 2", "object 1 [1]", "object 2 [2]", "section 1", \
        "section 2", "sections 1 [0]", "sections 2 [0]", "value 1", "value 2"]
        map ["dogs 2", "map 1 [\\"self\\"]", "object 2 [0]", "section 2", "sections 2 [0]", "value 2"]
        cancelled []
        demand ["asked true", "1 false", "1 false", "3 true", "cancelled"]

        """
}
