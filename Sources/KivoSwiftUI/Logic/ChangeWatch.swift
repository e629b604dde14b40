import Foundation
import Kivo

/// The observation of one value for a relay. It runs while a view depends on the value and the value can be observed.
@MainActor
package final class ChangeWatch<Value: ThreadConfined> {
    private enum State {
        /// No view depends on the value, or the value cannot be observed: it is frozen, invalidated, of a read-only realm, or an
        /// unmanaged collection.
        case idle
        case observing(any ChangeObservation)
        /// A write transaction with changes is open, so that no observation can begin.
        case waiting(Task<Void, Never>)
    }

    private let kind: ValueKind<Value>
    private let keyPaths: [String]?
    private let pacing: Realm.Pacing
    private let report: @MainActor (ValueKind<Value>.Event) -> Void
    private var state = State.idle

    package init(
        _ kind: ValueKind<Value>, keyPaths: [String]?, pacing: Realm.Pacing = .everyTurn,
        report: @escaping @MainActor (ValueKind<Value>.Event) -> Void
    ) {
        (self.kind, self.keyPaths, self.pacing, self.report) = (kind, keyPaths, pacing, report)
    }

    /// Whether an observation runs, or will run as soon as the open write transaction ends.
    package var isRunning: Bool { if case .idle = state { false } else { true } }

    /// Begins to observe a value in place of the previous one.
    package func begin(_ value: Value) {
        end()
        if value.isInvalidated || value.isFrozen { return }
        if let realm = value.realm {
            if !realm.isObservable { return }
            if realm.hasUncommittedChanges { return wait(value) }
        }
        let observation = kind.observe(value, keyPaths, pacing) { [weak self] event in self?.report(event) }
        if let observation { state = .observing(observation) }
    }

    /// Ends the observation.
    package func end() {
        switch state {
        case .idle: break
        case .observing(let observation): observation.endObserving()
        case .waiting(let task): task.cancel()
        }
        state = .idle
    }

    /// Retries until the open write transaction has ended. Then it reports a change, because the changes of the transaction went
    /// unobserved.
    private func wait(_ value: Value) {
        state = .waiting(
            Task { @MainActor [weak self] in
                while true {
                    try? await Task.sleep(for: .milliseconds(20))
                    guard !Task.isCancelled, let self else { return }
                    if value.isInvalidated { break }
                    if value.realm?.hasUncommittedChanges == true { continue }
                    self.state = .idle
                    self.begin(value)
                    break
                }
                self?.report(.changed)
            })
    }
}

/// The views that depend on one storage. A view is subscribed while it is on screen.
///
/// The storage's value is observed from the first subscription to the end of the last.
@MainActor
package final class ChangeRelay {
    /// A subscription. It ends when it is cancelled or released.
    @MainActor
    package final class Subscription {
        private weak var relay: ChangeRelay?
        private let number: Int

        fileprivate init(_ relay: ChangeRelay, _ number: Int) { (self.relay, self.number) = (relay, number) }

        /// Ends the subscription. Further calls have no effect.
        package func cancel() { relay?.unsubscribe(number) }

        /// Ends the subscription on the main actor: immediately if this runs there, otherwise asynchronously.
        nonisolated package func end() {
            if Thread.isMainThread { return MainActor.assumeIsolated { cancel() } }
            Task { @MainActor in cancel() }
        }

        deinit {
            guard let relay else { return }
            let number = number
            Task { @MainActor in relay.unsubscribe(number) }
        }
    }

    private var subscribers: [(number: Int, body: @MainActor () -> Void)] = []
    private var lastNumber = 0
    private var isSendScheduled = false
    /// Called with true when the first view subscribes, and with false after the last subscription has ended.
    package var demandChanged: (@MainActor (Bool) -> Void)?

    nonisolated package init() {}

    /// Whether a view depends on the storage.
    package var hasSubscribers: Bool { !subscribers.isEmpty }

    /// Adds a view. The closure schedules a new evaluation of its body.
    package func subscribe(_ body: @escaping @MainActor () -> Void) -> Subscription {
        lastNumber += 1
        subscribers.append((lastNumber, body))
        if subscribers.count == 1 { demandChanged?(true) }
        return Subscription(self, lastNumber)
    }

    private func unsubscribe(_ number: Int) {
        guard let index = subscribers.firstIndex(where: { $0.number == number }) else { return }
        subscribers.remove(at: index)
        if subscribers.isEmpty { demandChanged?(false) }
    }

    /// Notifies each view that its storage changed.
    package func send() {
        isSendScheduled = false
        for subscriber in subscribers { subscriber.body() }
    }

    /// Notifies the views at the main actor's next turn. Use this for changes during the evaluation of a body, which must not
    /// notify views.
    package func sendSoon() {
        if isSendScheduled || subscribers.isEmpty { return }
        isSendScheduled = true
        Task { @MainActor [weak self] in
            if let self, self.isSendScheduled { self.send() }
        }
    }
}
