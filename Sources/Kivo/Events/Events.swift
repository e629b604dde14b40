import Dispatch
import KivoEngine
import Synchronization

/// The receivers of events, and the events that they have not received yet. Thread-safe.
///
/// Receivers are called on a queue of their own. Events are added where locks are held and where operations are half done, so that
/// a receiver, which may use realms, could not run there.
package enum Events {
    package typealias Receiver = @Sendable (RealmEvent) -> Void

    private struct State: Sendable {
        /// The closure of the program, the trace that an environment variable asks for, and the log of tests.
        var program: Receiver?
        var trace: Receiver?
        var test: Receiver?
        /// The events that no receiver has received, in order, and how many were left out because there were too many.
        var pending: [RealmEvent] = []
        var lostCount = 0

        var hasReceivers: Bool { program != nil || trace != nil || test != nil }
    }

    private static let state = Lock(State())
    private static let haveReceivers = Atomic(false)
    private static let queue = DispatchQueue(label: "kivo.events", qos: .utility)
    /// The number of events that wait for receivers at most.
    private static let limit = 100_000
    /// The time in which events are collected before they are passed on together.
    private static let delay = DispatchTimeInterval.milliseconds(1)

    /// Whether events are received.
    @inline(__always)
    static var areOn: Bool { haveReceivers.load(ordering: .relaxed) }

    /// The present moment, if events are received.
    static var start: EventMoment? { areOn ? .now : nil }

    static var program: Receiver? {
        get { state.withLock { $0.program } }
        set { change { $0.program = newValue } }
    }

    /// The receiver of `KivoTesting`.
    package static var test: Receiver? {
        get { state.withLock { $0.test } }
        set { change { $0.test = newValue } }
    }

    private static func change(_ body: (inout State) -> Void) {
        // Released outside of the lock, because a closure may hold anything.
        let old = state.withLock { state in
            let old = (state.program, state.trace, state.test)
            body(&state)
            if !state.hasReceivers { state.pending = [] }
            haveReceivers.store(state.hasReceivers, ordering: .relaxed)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Begins the trace that the environment variable `KIVO_TRACE` asks for, once.
    static func traceIfAsked() { _ = trace }

    private static let trace: ChromeTrace? = {
        let trace = ChromeTrace.asked
        if let trace { change { $0.trace = { trace.write($0) } } }
        return trace
    }()

    // MARK: Passing on

    /// Adds an event that has just ended. What receivers do with realms causes no events.
    @inline(never)
    static func add(_ name: EventName, since start: EventMoment, _ kind: RealmEvent.Kind) {
        let nanoseconds = start.elapsed
        let (isReceiver, thread) = ThreadStorage.withCurrent {
            ($0.isReceivingEvents, ThreadIdentity.current.number)
        }
        if isReceiver { return }
        let event = RealmEvent(
            name: name, thread: Int(thread), moment: start, nanoseconds: nanoseconds, kind: kind)
        let isFirst = state.withLock { state in
            guard state.pending.count < limit else {
                state.lostCount += 1
                return false
            }
            state.pending.append(event)
            return state.pending.count == 1
        }
        if isFirst { queue.asyncAfter(deadline: .now() + delay) { passOn() } }
    }

    /// Passes on the events so far, and returns when all receivers have returned. Does nothing inside of a receiver.
    package static func finish() {
        if ThreadStorage.withCurrent({ $0.isReceivingEvents }) { return }
        queue.sync { passOn() }
    }

    /// Runs on the queue.
    private static func passOn() {
        let (pending, lostCount, receivers) = state.withLock { state in
            defer { (state.pending, state.lostCount) = ([], 0) }
            return (state.pending, state.lostCount, [state.program, state.trace, state.test])
        }
        ThreadStorage.withCurrent { $0.isReceivingEvents = true }
        for event in pending {
            for receiver in receivers { receiver?(event) }
        }
        ThreadStorage.withCurrent { $0.isReceivingEvents = false }
        if lostCount > 0 {
            Logger.shared.log(
                level: .warn,
                message:
                    "\(lostCount) events were left out: 'Realm.events' takes longer than what it is called with."
            )
        }
    }
}

extension RealmEvent.Commit {
    /// Describes the changes of a commit, without those of Kivo's own tables. O(changed blocks of rows).
    init(_ version: UInt64, _ changes: RowChangeSet, _ catalog: Catalog, isForeign: Bool = false) {
        let leaves = changes.tables.lazy.filter { !catalog.tables[$0.table].isInternal }.flatMap(\.leaves)
        let insertions = leaves.reduce(0) { $0 + $1.inserted.count }
        let deletions = leaves.reduce(0) { $0 + $1.deleted.count }
        let all = leaves.reduce(0) { $0 + $1.touched.count }
        self.init(
            version: version, insertions: insertions, modifications: all - insertions - deletions,
            deletions: deletions, isForeign: isForeign)
    }
}
