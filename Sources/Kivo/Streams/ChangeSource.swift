import KivoEngine

/// What a stream tells its consumer, without a type for moves of its own where there are none.
struct StreamElement<Change> {
    var change: Change
    /// The elements of a collection that moved.
    var moves: [CollectionChanges.Move] = []
}

/// Where the iterator of a stream gets its changes from. Confined with its realm instance; let go of anywhere.
protocol ChangeSource<Change>: AnyObject {
    associatedtype Change

    /// The next change, once there is one: worked out after the wait, where the consumer runs, so that it leads to what the
    /// consumer sees the moment it is told. Nil at the end.
    func next(_ isolation: isolated (any Actor)?) async -> StreamElement<Change>?
}

/// The changes of a collection or an object, as a listener finds them.
///
/// The listener is not called when something happens, it is asked when the consumer is ready: for what happened between the
/// version that was told last, which is kept for that, and the one that the realm shows by now. While the consumer is busy
/// nobody knows of the listener. While it waits, the listener is registered like others, only that it wakes the consumer.
final class ListenerSource<Change>: ChangeSource {
    private let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    /// The reader's generation at the beginning: `invalidate()` cuts off what is older.
    private let born: UInt64
    private let place: StreamPlace
    private let make: (@escaping (StreamElement<Change>) -> Void) -> Listener
    private let isGone: () -> Bool
    private let found = Found<StreamElement<Change>>()
    private var listener: Listener?
    /// By which results find the listener's view. Nobody finds the listener by it.
    private var access: Registration?
    private var isFinished = false

    /// What a listener calls with, for who asked it.
    private final class Found<Value> {
        var value: Value?
    }

    /// - Parameters:
    ///   - isInitial: whether the first element is the first call of the listener. Otherwise what happens from now on is told.
    ///   - isGone: whether what is observed is gone, if its listener does not say so.
    ///   - make: makes the listener, which calls the given block.
    init(
        _ instance: RealmInstance, isInitial: Bool, isGone: @escaping () -> Bool = { false },
        _ make: @escaping (@escaping (StreamElement<Change>) -> Void) -> Listener
    ) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        born = instance.reader[ReaderState.generation]
        place = StreamPlace(instance.store)
        self.isGone = isGone
        self.make = make
        if !isInitial { begin() }
    }

    deinit { access?.cancel() }

    func next(_ isolation: isolated (any Actor)?) async -> StreamElement<Change>? {
        while !isFinished, !Task.isCancelled {
            instance.checkConfinement { "a stream of changes" }
            if instance.isInvalidated(born) { break }
            if instance.hasUncommittedChanges {
                // What is not committed leads nowhere yet.
                await awaitTurn(isolation)
            } else if let element = take() {
                return element
            } else if !isFinished {
                await awaitNews(isolation)
            }
        }
        finish()
        return nil
    }

    // MARK: Asking

    private func take() -> StreamElement<Change>? {
        guard let listener else {
            begin()
            listener?.callInitial()
            noteEnd()
            return found.value.take()
        }
        let version = instance.version
        guard let kept = place.kept, kept.version != version else { return nil }
        let changes = instance.store.changes(from: kept.version, to: version)
        listener.deliver(
            PendingChanges(changes, from: kept, to: version, instance.snapshot, instance.catalog))
        place.keep(version)
        noteEnd()
        return found.value.take()
    }

    /// Nothing follows once what is observed is gone, be it before the first element.
    private func noteEnd() {
        if case .ended? = listener?.progress { isFinished = true }
        if isGone() { isFinished = true }
    }

    private func begin() {
        instance.ensureRead()
        let found = found
        let listener = make { found.value = $0 }
        listener.newsTaker = place
        listener.take(.caughtUp)
        let access = Registration(0, listener)
        listener.didRegister(access)
        (self.listener, self.access) = (listener, access)
        place.keep(instance.version)
    }

    private func finish() {
        isFinished = true
        access?.cancel()
        (listener, access) = (nil, nil)
        place.keepNothing()
    }

    // MARK: Waiting

    private func awaitNews(_ isolation: isolated (any Actor)?) async {
        guard let listener else { return }
        let registration = instance.listeners.awaitNews(listener, instance)
        place.keepNothing()
        await place.wait(isolation)
        instance.checkConfinement { "a stream of changes" }
        instance.listeners.stopAwaitingNews(registration, instance)
    }

    /// Waits for the next turn in which no write is open.
    private func awaitTurn(_ isolation: isolated (any Actor)?) async {
        let token = instance.listeners.add(TurnListener(place), instance)
        await place.wait(isolation)
        token.invalidate()
    }
}

/// Wakes who waits for a turn of the instance.
private final class TurnListener: Listener {
    init(_ place: StreamPlace) {
        super.init(hasInitial: true)
        newsTaker = place
    }

    /// There is no row with this key: nothing but the turn concerns the listener.
    override var interest: Interest { .row(RowID(table: 0, key: 0), columns: []) }

    override func callInitial() { newsTaker?.takeEnd() }
}
