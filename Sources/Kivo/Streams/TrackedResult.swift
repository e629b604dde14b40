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
    private var isOver = false
    /// The result itself until the change, where the toolchain does not retain the key path.
    private var retained: TrackedResult?

    /// - Parameter listener: the listener for changes of the result.
    init(_ listener: Listener, _ instance: RealmInstance) {
        instance.ensureRead()
        if !ReadProbe.isReliable { retained = self }
        // The caller records the read of the whole result, so that the listener's own reads are not recorded.
        token = ReadProbe.withoutNoting { instance.listeners.addCalling(listener, consumer: Relay(self)) }
    }

    /// Records a read with a recorder, if there is one that an observer of the current state can share, and with a new one otherwise.
    /// Returns the recorder.
    static func noting(
        _ known: AnyObject?, _ instance: RealmInstance, _ makeListener: () -> Listener
    ) -> TrackedResult {
        let shared = (known as? TrackedResult).flatMap { $0.isCurrent(instance) ? $0 : nil }
        let recorder = shared ?? TrackedResult(makeListener(), instance)
        recorder.note()
        return recorder
    }

    /// Whether an observer of the current state can wait for the same change. A listener that has not received the last changes
    /// compares with an earlier state, which a later one may equal.
    private func isCurrent(_ instance: RealmInstance) -> Bool {
        guard !isOver, let listener else { return false }
        instance.listeners.findConcerned()
        if case .upToDate = listener.progress { return true }
        return false
    }

    /// The listener, unless the change has occurred.
    var listener: Listener? { token?.registration?.listener }

    /// A key path component that retains the result: whatever holds the key path holds the result.
    private struct Holder: Hashable {
        let result: TrackedResult

        static func == (a: Holder, b: Holder) -> Bool { a.result === b.result }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(result)) }
    }

    /// The target of key paths that retain the result. It is never read.
    private subscript(holder: Holder) -> Int { 0 }

    /// Records that the result was read.
    private func note() {
        let holder = Holder(result: self)
        registrar.access(self, keyPath: \TrackedResult[holder])
    }

    /// A weak reference from the listener to the result, which breaks the cycle: the result's token retains the listener.
    private final class Relay: ChangeConsumer {
        private weak var result: TrackedResult?

        init(_ result: TrackedResult) { self.result = result }

        var pinnedVersion: UInt64? { nil }
        var readsChanges: Bool { false }
        func didChange(since version: UInt64) { result?.tell() }
        func didEnd() { result?.tell() }
    }

    private func tell() {
        isOver = true
        retained = nil
        let holder = Holder(result: self)
        registrar.withMutation(of: self, keyPath: \TrackedResult[holder]) {}
        // The registration no longer exists.
        token?.handOver()
        token = nil
    }
}

extension QueryState {
    /// Whether a read is to be recorded. Inside a write that has made changes nothing is recorded, and nothing of a realm that never
    /// changes.
    var isNoting: Bool {
        ReadProbe.isNoting && !instance.isFrozen && !instance.configuration.isUnchanging && !isSourceGone
            && !instance.hasUncommittedChanges
    }

    /// Records that a part of the result was read, if reads are being recorded.
    ///
    /// - Parameter reach: the number of elements up to the last one that was read.
    @inline(never)
    func noteTrackedRead(of part: OrderPart, reach: Int) {
        guard isNoting else { return }
        let recorder = TrackedResult.noting(trackedParts[part], instance) { OrderListener(self, part) }
        trackedParts[part] = recorder
        if let listener = recorder.listener as? OrderListener { listener.reach = max(listener.reach, reach) }
    }

    /// Records that a number was read, if reads are being recorded.
    @inline(never)
    func noteTrackedRead(of kind: NumberKind) { if isNoting { noteTrackedRead(of: number(kind)) } }

    /// Records that a number was read, if reads are being recorded.
    @inline(never)
    func noteTrackedRead(of number: NumberState) {
        guard isNoting else { return }
        number.trackedResult = TrackedResult.noting(number.trackedResult, instance) {
            NumberListener(self, number) { _ in }
        }
    }
}

extension SectionedState {
    /// Records that the sections were read, if reads are being recorded.
    @inline(never)
    func noteTrackedRead() {
        guard query.isNoting else { return }
        trackedResult = TrackedResult.noting(trackedResult, instance) {
            SectionedListener(self, only: nil, nil) { _ in }
        }
    }
}

extension LinkTarget {
    /// Records that the linking objects were read, if reads are being recorded, through whichever `LinkingObjects` value.
    @inline(never)
    func noteTrackedRead() {
        guard ReadProbe.isNoting, !isInvalidated, !instance.hasUncommittedChanges else { return }
        let rows = instance.keyValueRegistry.trackedRows
        let id = RowID(table: backlinks, key: key)
        let known = rows.result(of: id)
        let recorder = TrackedResult.noting(known, instance) { QueryState(self).makeListener(nil) { _ in } }
        if recorder !== known { rows.keep(recorder, of: id) }
    }
}
