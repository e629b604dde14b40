import Dispatch

extension RealmInstance {
    /// Schedules the registration of an observer on a queue, in an instance of this realm that belongs to the queue.
    ///
    /// - Parameter register: runs on the queue; returns the observation's token, or nil if there is nothing to observe.
    func register(on queue: DispatchQueue, _ register: @escaping (RealmInstance) -> NotificationToken?)
        -> NotificationToken
    {
        let token = NotificationToken(pending: ())
        let work = Handover(
            store: store, configuration: configuration, queue: queue, confinement: .of(queue),
            register: register)
        queue.async { [weak token] in
            guard let token, token.isPending else { return }
            work.run(token)
        }
        return token
    }

    /// A registration on its way to a queue. Its closure captures the user's block, which from then on runs only on the queue,
    /// one call at a time. No other part of it is accessed elsewhere.
    private struct Handover: @unchecked Sendable {
        let store: Store
        let configuration: Realm.Configuration
        let queue: DispatchQueue
        let confinement: Confinement
        let register: (RealmInstance) -> NotificationToken?

        func run(_ token: NotificationToken) {
            let instanceOwner =
                store.instance(confinement)
                ?? InstanceOwner(RealmInstance(store, configuration, confinement, queue))
            defer { withExtendedLifetime(instanceOwner) {} }
            let instance = instanceOwner.instance
            _ = instance.refresh()
            guard let inner = register(instance), let registration = inner.registration else { return }
            if token.begin(instanceOwner, registration) { inner.handOver() } else { inner.invalidate() }
        }
    }
}
