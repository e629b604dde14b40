extension Realm {
    /// Something that happened in one of the program's realms.
    public typealias Event = RealmEvent

    /// A closure that is called with each event in the program's realms, or nil.
    ///
    /// Events show why a block was called, what a commit cost, and what a write waited for:
    ///
    ///     Realm.events = { event in
    ///         if event.duration > .milliseconds(16) { print(event) }
    ///     }
    ///
    /// The closure is called on a queue of its own, about a millisecond after the events, in the order in which they ended: a call inside
    /// of another one comes first. The program does not wait for it. If it falls behind by more than 100,000 events, the next ones are left
    /// out, with a line in the log. It may use realms; that causes no events. After it was replaced, it may still be running.
    ///
    /// Calls of listeners are those of blocks that observe realms, objects, collections, sections and live numbers, and the elements that
    /// streams return. Key-value observers, and the blocks of `withObservationTracking`, cause no events. Waits are those of synchronous
    /// writes. One event stands for asynchronous writes that became durable together; migrations have none.
    ///
    /// Without a closure, only the beginning of each observation is measured. With one, an event costs two readings of the clock and an
    /// element of a list, and a query of a class costs the search for its plan once more. See <doc:WhyWasICalled>.
    public static var events: (@Sendable (Event) -> Void)? {
        get { Events.program }
        set { Events.program = newValue }
    }
}
