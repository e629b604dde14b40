/// A listener of several objects and collections of a realm, which is called once for all of them.
///
/// Its parts are listeners that are not registered themselves: the joint listener is found by the interests of all of them, and passes
/// them the changes since its own last call. All of them therefore show the same version.
final class JointListener: Listener {
    private let parts: [Listener]
    /// Called before the parts take a change.
    private let prepare: (PendingChanges) -> Void
    /// Called when the parts have taken a change, of which perhaps none was affected.
    private let call: () -> Void

    init(_ parts: [Listener], prepare: @escaping (PendingChanges) -> Void, _ call: @escaping () -> Void) {
        (self.parts, self.prepare, self.call) = (parts, prepare, call)
        super.init(hasInitial: parts.contains { $0.progress.isDue })
        for part in parts { part.joint = self }
    }

    /// The parts whose object or collection still exists.
    private var living: [Listener] {
        parts.filter { if case .ended = $0.progress { false } else { true } }
    }

    override var interest: Interest { Interest(joining: parts.compactMap(\.interest)) }

    override func didRegister(_ registration: Registration) {
        for part in parts { part.didRegister(registration) }
    }

    override func callInitial() {
        for part in parts where part.progress.isDue {
            part.take(.caughtUp)
            part.callInitial()
        }
        call()
    }

    override func isAffected(by pending: PendingChanges) -> Bool {
        living.contains { $0.isAffected(by: pending) }
    }

    override func deliver(_ pending: PendingChanges) {
        prepare(pending)
        for part in living { part.deliver(pending) }
        if living.isEmpty { take(.ended) }
        call()
    }

    override func skip(_ pending: PendingChanges) { for part in living { part.skip(pending) } }
}
