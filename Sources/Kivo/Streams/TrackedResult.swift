import KivoEngine
import KivoObserving
import Observation

/// A result that was read inside `withObservationTracking`, and the receiver of its next change.
///
/// The observers that wait for the change retain it through the key path that they hold. Confined with the realm instance; only
/// its deinitialisation may happen elsewhere.
final class TrackedResult: Observable {
    private let registrar = ObservationRegistrar()
    private var token: NotificationToken?
    /// Whether the change has occurred, so that no observer waits any more.
    private(set) var isOver = false

    /// - Parameter listener: the listener for changes of the result.
    init(_ listener: Listener, _ instance: RealmInstance) {
        instance.ensureRead()
        listener.take(.caughtUp)
        // The caller records the read of the whole result, so that the listener's own reads are not recorded.
        ReadProbe.withoutNoting { listener.callInitial() }
        listener.consumer = Relay(self)
        let registration = instance.listeners.register(listener)
        listener.didRegister(registration)
        token = NotificationToken(instance.instanceOwner, registration)
    }

    /// A key path component that retains the result: whatever holds the key path holds the result.
    private struct Holder: Hashable {
        let result: TrackedResult

        static func == (a: Holder, b: Holder) -> Bool { a.result === b.result }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(result)) }
    }

    /// The target of key paths that retain the result. It is never read.
    private subscript(holder: Holder) -> Int { 0 }

    /// Records that the result was read.
    func note() {
        let holder = Holder(result: self)
        registrar.access(self, keyPath: \TrackedResult[holder])
    }

    /// A weak reference from the listener to the result, which breaks the cycle: the result's token retains the listener.
    private final class Relay: ChangeConsumer {
        private weak var result: TrackedResult?

        init(_ result: TrackedResult) { self.result = result }

        var pinnedVersion: UInt64? { nil }
        func didChange(since version: UInt64) { result?.tell() }
        func didEnd() { result?.tell() }
    }

    private func tell() {
        isOver = true
        let holder = Holder(result: self)
        registrar.withMutation(of: self, keyPath: \TrackedResult[holder]) {}
        // The registration no longer exists.
        token?.handOver()
        token = nil
    }
}

extension QueryState {
    /// Records that the result was read, if reads are being recorded. Inside a write that has made changes nothing is recorded.
    @inline(never)
    func noteTrackedRead() {
        guard ReadProbe.isNoting, !isSourceGone, !instance.hasUncommittedChanges else { return }
        if let known = trackedResult as? TrackedResult, !known.isOver { return known.note() }
        let made = TrackedResult(makeListener(nil) { _ in }, instance)
        trackedResult = made
        made.note()
    }
}

extension SectionedState {
    /// Records that the sections were read, if reads are being recorded.
    @inline(never)
    func noteTrackedRead() {
        guard ReadProbe.isNoting, !query.isSourceGone, !instance.hasUncommittedChanges else {
            return
        }
        if let known = trackedResult as? TrackedResult, !known.isOver { return known.note() }
        let made = TrackedResult(SectionedListener(self, only: nil, nil) { _ in }, instance)
        trackedResult = made
        made.note()
    }
}

extension LinkTarget {
    /// Records that the linking objects were read, if reads are being recorded, through whichever `LinkingObjects` value.
    @inline(never)
    func noteTrackedRead() {
        guard ReadProbe.isNoting, !isInvalidated, !instance.hasUncommittedChanges else { return }
        let rows = instance.keyValueRegistry.trackedRows
        let id = RowID(table: backlinks, key: key)
        if let known = rows.result(of: id) as? TrackedResult, !known.isOver { return known.note() }
        let made = TrackedResult(QueryState(self).makeListener(nil) { _ in }, instance)
        rows.keep(made, of: id)
        made.note()
    }
}
