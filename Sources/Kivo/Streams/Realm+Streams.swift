import KivoEngine

extension Realm {
    /// The moves of this realm instance to other versions, for `for await`: one element for all moves since the element
    /// before. See ``ChangeStream``.
    ///
    /// As with ``observe(_:)`` nothing is told of what changed, and ``Notification/refreshRequired`` says that another
    /// instance committed and this one does not refresh by itself.
    public var changes: ChangeStream<Realm.Notification> {
        instance.checkStreamable("A realm")
        let instance = instance
        return ChangeStream { RealmSource(instance) }
    }
}

/// The versions that a realm instance shows, as a stream of notifications. Confined with the instance; let go of anywhere.
private final class RealmSource: ChangeSource {
    private let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    private let born: UInt64
    private let place: StreamPlace
    /// The version that was told last. Its number is all that matters.
    private var told: UInt64
    /// The newest version that a refresh is known to be required for.
    private var announced: UInt64

    init(_ instance: RealmInstance) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        instance.checkConfinement()
        instance.ensureRead()
        born = instance.reader[ReaderState.generation]
        place = StreamPlace(instance.store)
        told = instance.version
        announced = told
    }

    func next(_ isolation: isolated (any Actor)?) async -> StreamElement<Realm.Notification>? {
        while !Task.isCancelled {
            instance.checkConfinement { "a stream of changes" }
            if instance.isInvalidated(born) { return nil }
            if instance.version != told {
                told = instance.version
                announced = max(announced, told)
                return StreamElement(change: .didChange)
            }
            let head = instance.store.head
            if !instance.autorefresh, head > announced {
                announced = head
                return StreamElement(change: .refreshRequired)
            }
            await awaitTurn(isolation)
        }
        return nil
    }

    private func awaitTurn(_ isolation: isolated (any Actor)?) async {
        instance.beginTellingRealmObservers()
        let place = place
        let token = instance.listeners.observe(instance, end: { place.wake() }) { _, _ in place.wake() }
        await place.wait(isolation)
        token.invalidate()
    }
}
