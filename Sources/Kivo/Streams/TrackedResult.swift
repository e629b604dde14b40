import KivoEngine
import Observation

/// A result that was read inside of `withObservationTracking`, and what hears of its next change.
///
/// It is held by those who wait for the change: by the key path that they hold. Confined with the realm instance but for its
/// end.
final class TrackedResult: Observable {
    private let registrar = ObservationRegistrar()
    private var token: NotificationToken?
    /// Whether the change came, so that nobody waits any more.
    private(set) var isOver = false

    /// - Parameter listener: the one that hears of the changes of the result.
    init(_ listener: Listener, _ instance: RealmInstance) {
        instance.ensureRead()
        listener.take(.caughtUp)
        // What the listener reads is noted by this.
        ReadProbe.withoutNoting { listener.callInitial() }
        listener.newsTaker = Relay(self)
        let registration = instance.listeners.awaitNews(listener, instance)
        listener.didRegister(registration)
        token = NotificationToken(instance, registration)
    }

    /// Whatever holds the key path of this holds the result.
    private struct Holder: Hashable {
        let result: TrackedResult

        static func == (a: Holder, b: Holder) -> Bool { a.result === b.result }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(result)) }
    }

    /// Key paths of this hold the result. Nobody reads it.
    private subscript(holder: Holder) -> Int { 0 }

    /// Notes that the result was read.
    func note() {
        let holder = Holder(result: self)
        registrar.access(self, keyPath: \TrackedResult[holder])
    }

    /// What the listener holds, which the result holds by its token.
    private final class Relay: NewsTaker {
        private weak var result: TrackedResult?

        init(_ result: TrackedResult) { self.result = result }

        var keptVersion: UInt64? { nil }
        func takeNews(since version: UInt64) { result?.tell() }
        func takeEnd() { result?.tell() }
    }

    private func tell() {
        isOver = true
        let holder = Holder(result: self)
        registrar.withMutation(of: self, keyPath: \TrackedResult[holder]) {}
        // The registration is gone already.
        token?.handOver()
        token = nil
    }
}

extension QueryState {
    /// Notes that the result was read, if reads are being noted. In a write that has made changes nothing is noted.
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
    /// Notes that the sections were read, if reads are being noted.
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
    /// Notes that the linking objects were read, if reads are being noted: whichever value of them was.
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
