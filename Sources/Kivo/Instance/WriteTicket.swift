import KivoEngine

/// The place of a task in the line of a realm instance's asynchronous writes. Thread-safe: the task can be cancelled anywhere.
final class WriteTicket: Sendable {
    fileprivate enum State: Sendable {
        case new
        case waiting(CheckedContinuation<Bool, Never>)
        /// The task was told that it is its turn, or that it was cancelled.
        case settled(Bool)
    }

    fileprivate enum Event: Sendable {
        case waits(CheckedContinuation<Bool, Never>)
        case granted, cancelled
    }

    private let state = Lock(State.new)

    /// Waits until it is the task's turn; false if it was cancelled before.
    func wait(_ isolation: isolated (any Actor)?) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { take(.waits($0)) }
        } onCancel: {
            cancel()
        }
    }

    func cancel() { take(.cancelled) }

    var isCancelled: Bool {
        state.withLock { if case .settled(let isGranted) = $0 { !isGranted } else { false } }
    }

    /// Lets the task go on; returns false if it was cancelled before.
    func grant() -> Bool {
        take(.granted)
        return state.withLock { if case .settled(let isGranted) = $0 { isGranted } else { false } }
    }

    private func take(_ event: Event) {
        let resumed = state.withLock { $0.take(event) }
        resumed?.continuation.resume(returning: resumed!.isGranted)
    }
}

extension WriteTicket.State {
    /// The one place where the state changes. Returns who is to go on.
    fileprivate mutating func take(_ event: WriteTicket.Event)
        -> (continuation: CheckedContinuation<Bool, Never>, isGranted: Bool)?
    {
        switch (event, self) {
        case (.waits(let continuation), .new): self = .waiting(continuation)
        case (.waits(let continuation), .settled(let isGranted)): return (continuation, isGranted)
        case (.granted, .waiting(let continuation)):
            self = .settled(true)
            return (continuation, true)
        case (.cancelled, .waiting(let continuation)):
            self = .settled(false)
            return (continuation, false)
        case (.granted, .new): self = .settled(true)
        case (.cancelled, .new): self = .settled(false)
        case (.waits, .waiting), (.granted, .settled), (.cancelled, .settled): break
        }
        return nil
    }
}
