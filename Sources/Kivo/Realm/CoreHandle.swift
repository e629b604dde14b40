import KivoEngine
import Synchronization

/// A realm instance, as other threads may know it: something to ask for a refresh, nothing to look into.
///
/// Thread-safe: the weak reference is set once before the handle is shared and is only followed where the instance
/// belongs; the flag is atomic.
final class CoreHandle: @unchecked Sendable {
    /// What holds the instance; only for code that runs where it belongs.
    private(set) weak var anchor: CoreAnchor?
    private let scheduler: Scheduler
    private let isRequested = Atomic<Bool>(false)

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    func attach(_ anchor: CoreAnchor) { self.anchor = anchor }

    /// Has the instance look for new versions and deliver what is due, on its next turn. Requests are merged.
    func requestRefresh() {
        if isRequested.exchange(true, ordering: .acquiringAndReleasing) { return }
        scheduler.schedule { [self] in
            isRequested.store(false, ordering: .releasing)
            guard let anchor else { return }
            withExtendedLifetime(anchor) { anchor.core.serveRefreshRequest() }
        }
    }
}
