import KivoEngine

extension Realm {
    /// The changes of this realm instance's version, for `for await`: one element for all changes of version since the element
    /// before. See ``ChangeStream``.
    ///
    /// As with ``observe(_:)``, an element does not say what changed. ``Notification/refreshRequired`` means that another
    /// instance committed and that this one does not refresh by itself.
    public var changes: ChangeStream<Realm.Notification> {
        instance.checkStreamable("A realm")
        let instance = instance
        return ChangeStream { RealmSource(instance) }
    }
}

/// A source of a notification for each new version of a realm instance. Confined with the instance, but may be released on any
/// thread.
private final class RealmSource: ChangeSource {
    private let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    private let creationGeneration: UInt64
    private let consumer: StreamConsumer
    /// The number of the version that was delivered last. The version itself is not needed.
    private var told: UInt64
    /// The newest version for which `refreshRequired` was delivered, or that the instance has reached.
    private var announced: UInt64

    init(_ instance: RealmInstance) {
        self.instance = instance
        instanceOwner = instance.instanceOwner
        instance.checkConfinement()
        instance.ensureRead()
        creationGeneration = instance.reader.pointee.generation
        consumer = StreamConsumer(instance.store)
        told = instance.dataVersion
        announced = told
    }

    func next(_ isolation: isolated (any Actor)?) async -> StreamElement<Realm.Notification>? {
        while !Task.isCancelled {
            instance.checkConfinement { "a stream of changes" }
            if instance.isInvalidated(creationGeneration) { return nil }
            if instance.dataVersion != told {
                told = instance.dataVersion
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

    /// Notifications of a realm are not paced: no change leads from one to the next.
    func pace(_ rule: Realm.Pacing.Rule) {}

    private func awaitTurn(_ isolation: isolated (any Actor)?) async {
        let consumer = consumer
        let token = instance.observe(end: { consumer.didEnd() }) { _, _ in consumer.didEnd() }
        await consumer.wait(isolation)
        token.invalidate()
    }
}
