import KivoEngine

/// A call of a listener, which its event describes.
struct ListenerCall {
    /// The numbers of elements that a change reports.
    struct Size {
        var insertions = 0
        var deletions = 0
        var modifications = 0
        /// Whether it is the first call, which reports no changes.
        var isInitial = false

        static let initial = Size(isInitial: true)
    }

    let size: Size
    let start: EventMoment
}

extension Listener {
    /// Notes what the listener is about to be called with, if events are received.
    @inline(__always)
    final func noteCall(_ size: @autoclosure () -> ListenerCall.Size) {
        if Events.areOn { notedCall = ListenerCall(size: size(), start: .now) }
    }
}

extension DeliveryHost {
    /// Runs code that may call a listener, and adds an event if it does and events are received.
    ///
    /// - Parameter version: The version that the listener has seen before, which is pinned.
    @inline(__always)
    func recording(
        _ listener: Listener, _ registration: Registration?, since version: UInt64, _ body: () -> Void
    ) {
        if Events.areOn { record(listener, registration, since: version, body) } else { body() }
    }

    @inline(never)
    private func record(
        _ listener: Listener, _ registration: Registration?, since version: UInt64, _ body: () -> Void
    ) {
        if listener.isInternal { return body() }
        let (seen, new) = (dataVersion(of: version), dataVersion)
        let versions = min(seen, new)...new
        // Made before the call, which may end the observation.
        let info = info(of: listener, registration)
        // A block that writes can be called again, inside of its call.
        let outer = listener.notedCall
        listener.notedCall = nil
        body()
        let noted = listener.notedCall
        listener.notedCall = outer
        guard let call = noted else { return }
        Events.add(
            eventName, since: call.start,
            .delivery(
                RealmEvent.Delivery(
                    listener: info, isInitial: call.size.isInitial, insertions: call.size.insertions,
                    deletions: call.size.deletions, modifications: call.size.modifications,
                    versions: versions)))
    }

    /// Returns a description of a listener, made on first use.
    func info(of listener: Listener, _ registration: Registration?) -> RealmEvent.ListenerInfo {
        if let facts = listener.facts { return RealmEvent.ListenerInfo(facts: facts) }
        let registration = listener.consumer?.access ?? registration
        let facts = ListenerFacts(
            listener.subject, registration?.label, home: home, began: listener.began)
        listener.facts = facts
        return RealmEvent.ListenerInfo(facts: facts)
    }
}

extension ListenerCall.Size {
    init(_ change: ViewChange?) {
        self.init(change.map { ($0.insertions.count, $0.deletions.count, $0.modifications.count) })
    }

    init(_ change: SectionedChange?) {
        self.init(change.map { ($0.insertions.count, $0.deletions.count, $0.modifications.count) })
    }

    private init(_ counts: (insertions: Int, deletions: Int, modifications: Int)?) {
        self = .initial
        guard let counts else { return }
        (insertions, deletions, modifications) = counts
        isInitial = false
    }
}
