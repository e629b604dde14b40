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
    private let report: @MainActor (ValueKind<Value>.Event) -> Void
    private var state = State.idle

    package init(
        _ kind: ValueKind<Value>, keyPaths: [String]?,
        report: @escaping @MainActor (ValueKind<Value>.Event) -> Void
    ) {
        (self.kind, self.keyPaths, self.report) = (kind, keyPaths, report)
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
        let observation = kind.observe(value, keyPaths) { [weak self] event in self?.report(event) }
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
