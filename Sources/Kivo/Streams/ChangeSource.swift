import KivoEngine

/// An element of a stream: a change and its moves. One type serves all streams; `moves` is empty where there are none.
struct StreamElement<Change> {
    var change: Change
    /// The elements of the collection that moved.
    var moves: [CollectionChanges.Move] = []
}

/// A source of the changes that a stream's iterator returns. Confined with its realm instance, but may be released on any thread.
protocol ChangeSource<Change>: AnyObject {
    associatedtype Change

    /// Returns the next change as soon as there is one, or nil at the end.
    ///
    /// The change is computed after the wait, where the consumer runs. It therefore leads to the state that the consumer sees
    /// when it receives the change.
    func next(_ isolation: isolated (any Actor)?) async -> StreamElement<Change>?

    /// Paces the changes from now on, and freezes their collections.
    func pace(_ rule: Realm.Pacing.Rule)
}

/// A source of the changes of a collection or an object, which a listener computes.
///
/// The listener is not called on each change. It is asked when the consumer is ready, for the changes between the version that
/// was delivered last, which stays pinned, and the realm's current version. While the consumer is busy the listener is not
/// registered. While the consumer waits the listener is registered like any other, but only wakes the consumer.
final class ListenerSource<Change>: ChangeSource {
    private let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    /// The reader's generation at creation. `invalidate()` ends sources of older generations.
    private let creationGeneration: UInt64
    private let consumer: StreamConsumer
    private let make: (@escaping (StreamElement<Change>) -> Void) -> Listener
    private let isGone: () -> Bool
    private let received = Received<StreamElement<Change>>()
    private var listener: Listener?
    /// The registration by which results find the listener's view. The listener registry does not find the listener by it.
    private var access: Registration?
    private var isFinished = false
    /// The pace, or nil for live collections without delay.
    private var pace: StreamPace?

    /// A box for the value that the listener passes to its callback.
    private final class Received<Value> {
        var value: Value?
    }

    /// - Parameters:
    ///   - isInitial: whether the first element is the listener's initial call. Otherwise the stream begins with later changes.
    ///   - isGone: whether the observed value was deleted, for listeners that do not report this themselves.
    ///   - make: returns a listener that calls the given closure.
    init(
        _ instance: RealmInstance, isInitial: Bool, isGone: @escaping () -> Bool = { false },
        _ make: @escaping (@escaping (StreamElement<Change>) -> Void) -> Listener
    ) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        creationGeneration = instance.reader.pointee.generation
        consumer = StreamConsumer(instance.store)
        self.isGone = isGone
        self.make = make
        if !isInitial { begin() }
    }

    deinit { access?.cancel() }

    func next(_ isolation: isolated (any Actor)?) async -> StreamElement<Change>? {
        while !isFinished, !Task.isCancelled {
            instance.checkConfinement { "a stream of changes" }
            if instance.isInvalidated(creationGeneration) { break }
            if instance.hasUncommittedChanges {
                // There is no committed version yet that a change could lead to.
                await awaitTurn(isolation)
            } else if listener != nil, let pause = pace?.pause(at: .now, data: instance.dataVersion) {
                // Ends early if the task is cancelled. In slices: the realm may be invalidated meanwhile.
                try? await Task.sleep(for: min(pause, .seconds(1)))
            } else if let element = take() {
                return paced(element)
            } else if !isFinished {
                await awaitChanges(isolation)
            }
        }
        finish()
        return nil
    }

    func pace(_ rule: Realm.Pacing.Rule) { pace = StreamPace(rule) }

    private func paced(_ element: StreamElement<Change>) -> StreamElement<Change> {
        guard pace != nil else { return element }
        pace?.didTake(at: .now)
        guard let change = element.change as? any CollectionChange, let frozen = change.frozen as? Change
        else {
            return element
        }
        return StreamElement(change: frozen, moves: element.moves)
    }

    // MARK: Asking

    private func take() -> StreamElement<Change>? {
        guard let listener else {
            begin()
            if let listener {
                instance.recording(listener, access, since: instance.version) { listener.callInitial() }
            }
            noteEnd()
            return received.value.take()
        }
        let version = instance.version
        guard let pinned = consumer.pinned, pinned.version != version else { return nil }
        let changes = instance.store.changes(from: pinned.version, to: version)
        let pending = PendingChanges(
            changes, from: pinned, to: version, instance.snapshot, instance.catalog)
        instance.recording(listener, access, since: pinned.version) { listener.deliver(pending) }
        consumer.pin(version)
        noteEnd()
        return received.value.take()
    }

    /// Finishes the stream if the observed value was deleted, even before the first element.
    private func noteEnd() {
        if case .ended? = listener?.progress { isFinished = true }
        if isGone() { isFinished = true }
    }

    private func begin() {
        instance.ensureRead()
        let received = received
        let listener = make { received.value = $0 }
        listener.consumer = consumer
        listener.take(.caughtUp)
        let access = Registration(0, listener)
        listener.didRegister(access)
        (self.listener, self.access) = (listener, access)
        consumer.pin(instance.version)
    }

    private func finish() {
        isFinished = true
        access?.cancel()
        (listener, access) = (nil, nil)
        consumer.unpin()
    }

    // MARK: Waiting

    private func awaitChanges(_ isolation: isolated (any Actor)?) async {
        guard let listener else { return }
        let registration = instance.listeners.register(listener)
        consumer.unpin()
        await consumer.wait(isolation)
        instance.checkConfinement { "a stream of changes" }
        instance.listeners.unregister(registration)
    }

    /// Waits for the next turn in which no write is open.
    private func awaitTurn(_ isolation: isolated (any Actor)?) async {
        let token = instance.listeners.add(TurnListener(consumer))
        await consumer.wait(isolation)
        token.invalidate()
    }
}

/// A listener that wakes a consumer on the instance's next turn.
private final class TurnListener: Listener {
    init(_ consumer: StreamConsumer) {
        super.init(hasInitial: true)
        self.consumer = consumer
    }

    /// No row has this key, so that only turns, not changes, concern the listener.
    override var interest: Interest { .row(RowID(table: 0, key: 0), columns: []) }

    override func callInitial() { consumer?.didEnd() }
}
