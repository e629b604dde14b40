import Foundation
import KivoEngine
import KivoObserving

/// The instances that wait for a turn of the main queue, or of the run loop of one thread.
///
/// The queue or run loop holds one request, however many instances wait, and however many of them are deallocated before a turn:
/// many threads never run their run loop. Thread-safe.
final class TurnQueue: Sendable {
    private struct Waiting: Sendable {
        weak var turn: (any ScheduledTurn)?
    }

    private struct State: Sendable {
        var waiting: [Waiting] = []
        /// The number of entries at which those of deallocated instances are removed.
        var limit = 16
        var isRequested = false
        /// Whether the thread has ended, so that there are no more turns.
        var isOver = false
    }

    private let state = Lock(State())
    private let ask: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter ask: A closure that schedules work on the queue or run loop.
    private init(_ ask: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.ask = ask }

    /// The turns of the main thread: its run loop and `dispatchMain()` both serve the main queue.
    static let main = TurnQueue { DispatchQueue.main.async(execute: $0) }

    /// The turns of the run loop of the thread that runs this code. The run loop may never run.
    static var currentRunLoop: TurnQueue {
        ThreadStorage.withCurrent { storage in
            if let known = storage.turns { return known }
            let runLoop = RunLoopReference(.current)
            let turns = TurnQueue { runLoop.perform($0) }
            storage.turns = turns
            return turns
        }
    }

    /// Schedules an instance for the next turn.
    func schedule(_ turn: any ScheduledTurn) {
        enum Next { case nothing, ask, end }
        let next = state.withLock { state -> Next in
            if state.isOver { return .end }
            if state.waiting.count == state.limit {
                state.waiting.removeAll { $0.turn == nil }
                state.limit = max(16, state.waiting.count * 2)
            }
            state.waiting.append(Waiting(turn: turn))
            defer { state.isRequested = true }
            return state.isRequested ? .nothing : .ask
        }
        switch next {
        case .nothing: break
        case .ask: ask { [weak self] in self?.serve() }
        case .end: turn.threadEnded()
        }
    }

    /// Called by the thread at its end.
    func threadEnds() {
        let waiting = state.withLock { state in
            defer {
                state = State()
                state.isOver = true
            }
            return state.waiting
        }
        for waiting in waiting { waiting.turn?.threadEnded() }
    }

    private func serve() {
        let waiting = state.withLock { state in
            defer { state = State(isOver: state.isOver) }
            return state.waiting
        }
        for waiting in waiting { waiting.turn?.run() }
    }
}

/// A reference to another thread's run loop, on which work can be scheduled.
///
/// Scheduling locks the run loop. Foundation's run loop object is used only for that, and only its thread keeps it alive.
private final class RunLoopReference: @unchecked Sendable {
    private weak var runLoop: RunLoop?

    init(_ runLoop: RunLoop) { self.runLoop = runLoop }

    func perform(_ work: @escaping @Sendable () -> Void) {
        guard let runLoop else { return }
        runLoop.perform(work)
        // A timer is the only thing that wakes a run loop on all platforms, but on Linux and Windows no timer is ever freed. A
        // run loop that does not run finds the work when it begins to run, and most threads never run theirs.
        if runLoop.currentMode != nil {
            runLoop.add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .default)
        }
    }
}
