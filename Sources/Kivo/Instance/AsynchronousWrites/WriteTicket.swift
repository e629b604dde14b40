import KivoEngine

/// The place of a task in the line of a realm instance's asynchronous writes. Thread-safe: the task can be cancelled anywhere.
final class WriteTicket: Sendable {
    fileprivate enum State: Sendable {
        case new
        case waiting(CheckedContinuation<Bool, Never>)
        /// The task was granted its turn, or was cancelled.
        case settled(Bool)
    }

    fileprivate enum Event: Sendable {
        case waits(CheckedContinuation<Bool, Never>)
        case granted, cancelled
    }

    private let state = Lock(State.new)

    /// Waits until it is the task's turn. Returns false if the task was cancelled before.
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

    /// Resumes the task. Returns false if it was cancelled before.
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
    /// Applies an event; the state changes nowhere else. Returns the continuation to resume, and the value to resume it with.
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
