/// A listener of several objects and collections of a realm, which is called once for all of them.
///
/// Its parts are listeners that are not registered themselves: the joint listener is found by the interests of all of them, and passes
/// them the changes since its own last call. All of them therefore show the same version. The parts call closures that only record: the
/// user's block, and what is frozen for it, come when all of them have taken the changes. Until then a part is *behind*, and its view is
/// not what the realm shows.
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

    override var subject: String { parts.map(\.subject).joined(separator: ", ") }

    override func didRegister(_ registration: Registration) {
        for part in parts { part.didRegister(registration) }
    }

    override func callInitial() {
        for part in living {
            part.take(.caughtUp)
            part.callInitial()
        }
        noteCallOfParts(isInitial: true)
        call()
    }

    override func isAffected(by pending: PendingChanges) -> Bool {
        living.contains { $0.isAffected(by: pending) }
    }

    override func deliver(_ pending: PendingChanges) {
        prepare(pending)
        advance { $0.deliver(pending) }
        if living.isEmpty { take(.ended) }
        noteCallOfParts(isInitial: false)
        call()
    }

    /// Notes a call with what the parts have noted, which only record.
    private func noteCallOfParts(isInitial: Bool) {
        guard Events.areOn else { return }
        let calls = parts.compactMap { $0.notedCall.take() }
        if calls.isEmpty { return }
        noteCall(
            calls.map(\.size).reduce(into: ListenerCall.Size(isInitial: isInitial)) {
                $0.insertions += $1.insertions
                $0.deletions += $1.deletions
                $0.modifications += $1.modifications
            })
    }

    override func skip(_ pending: PendingChanges) { advance { $0.skip(pending) } }

    /// Passes changes to each part. The user's code can run in `body`, if it makes keys of sections.
    private func advance(_ body: (Listener) -> Void) {
        let parts = living
        for part in parts { part.isBehind = true }
        for part in parts {
            body(part)
            part.isBehind = false
        }
    }
}
