import KivoEngine

extension RealmEvent {
    /// A listener, as events and reports show it. Two values are equal if they show the same listener.
    public struct ListenerInfo: Sendable {
        let facts: ListenerFacts

        /// The observed value: `Results<Dog>`, `Person.dogs`, `Dog`.
        public var subject: String { facts.subject }
        /// A description of where its block is called, such as `the main thread`.
        public var home: String { facts.home }
        /// The name that ``NotificationToken/named(_:fileID:line:)`` gave to it, or nil.
        public var name: String? { facts.label?.value?.name }
        /// The module and the file in which it was given, or nil.
        public var fileID: String? { facts.label?.value.map { "\($0.fileID)" } }
        /// The line in which it was given, or nil.
        public var line: Int? { facts.label?.value.map { Int($0.line) } }
        /// The moment at which the observation began.
        public var began: ContinuousClock.Instant { facts.began.instant }
    }
}

extension RealmEvent.ListenerInfo: Hashable, CustomStringConvertible {
    /// Returns a Boolean value that indicates whether two values show the same listener.
    public static func == (a: Self, b: Self) -> Bool { a.facts === b.facts }

    /// Hashes the identity of the listener.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(facts)) }

    /// The subject, with the name of the observation: `Results<Dog> "table" (Kennel/DogList.swift:42)`.
    public var description: String {
        guard let label = facts.label?.value else { return subject }
        let name = label.name.map { " \"\($0)\"" } ?? ""
        return "\(subject)\(name) (\(label.fileID):\(label.line))"
    }
}

/// The description of a listener in events and reports. Only the label can change, so that events can take it to other threads.
final class ListenerFacts: Sendable {
    let subject: String
    let home: String
    let label: ListenerLabel?
    let began: EventMoment

    init(_ subject: String, _ label: ListenerLabel?, home: String, began: EventMoment) {
        (self.subject, self.label, self.home, self.began) = (subject, label, home, began)
    }
}

/// The name that the program gave to an observation, shared by its registrations. Thread-safe.
final class ListenerLabel: Sendable {
    /// A name, and the place in the program's source where it was given.
    struct Value: Sendable {
        let name: String?
        let fileID: StaticString
        let line: UInt
    }

    private let state = Lock<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
