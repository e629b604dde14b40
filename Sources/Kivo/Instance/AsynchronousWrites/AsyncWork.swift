import KivoEngine

/// An identifier that distinguishes a queued or committed asynchronous write from the others of its realm instance.
public typealias AsyncTransactionId = UInt32

/// The asynchronous work of one realm instance: writes that wait for the write lock, in order, and commits whose completion
/// is pending. Confined with the instance. The work retains the instance and its actor until all is done.
///
///     idle ──queued──► waiting ──turn──► running
///      ▲                 │  ▲              │
///      │                 │  └──────────────┤
///      │                 └──task──► inTask ┤
///      └───────────────────────────────────┘
final class AsyncWork {
    enum Phase {
        case idle
        /// The write lock was requested; meanwhile this instance may write synchronously.
        case waiting
        /// A turn carries out writes, one after the other.
        case running
        /// A task that was woken for its write carries it out.
        case inTask
    }

    enum Event {
        /// A write was queued.
        case queued
        /// A turn took the write lock.
        case began
        /// The task of the next write took the write lock.
        case taskBegan
        /// The queue is empty, and the write lock is no longer requested.
        case withdrawn
        /// The write lock was released; writes may be left that request it again.
        case ended(hasWrites: Bool)
    }

    struct Write {
        let id: AsyncTransactionId
        let action: Action

        enum Action {
            case block(() -> Void)
            case ticket(WriteTicket)
        }
    }

    private struct Completion {
        let id: AsyncTransactionId
        let version: UInt64
        /// The error of a commit that failed before it was to be made durable.
        let error: (any Error)?
        var call: (((any Error)?) -> Void)?
    }

    private(set) var phase = Phase.idle
    /// The queue. The elements before ``done`` are nil, and are removed in bulk.
    private var writes: [Write?] = []
    /// The number of writes at the front of the queue that are done.
    private var done = 0
    private var completions: [Completion] = []
    private var lastID: AsyncTransactionId = 0
    /// Tasks that wait for the instance to be at the newest version.
    var refreshes: [CheckedContinuation<Bool, Never>] = []
    /// The flushes of this instance's commits that run on other threads, in order.
    private var flushes: [Flush] = []
    /// The errors of failed flushes.
    private var failures: [FlushFailure] = []
    /// The version up to which it is known whether commits are durable.
    private var settled: UInt64 = 0
    /// Whether the turn ends with the current write, because its commit must not wait for other writes.
    var endsTurn = false
    /// The number of the transaction that observers left open last, and that they have to end.
    var writeOfObservers: UInt64 = 0
    private let confinement: Confinement
    private var owner: (any EndsWithThread)?
    private var actor: (any Actor)?

    init(_ confinement: Confinement) { self.confinement = confinement }

    /// Applies an event. The phase changes nowhere else.
    func take(_ event: Event) {
        switch (event, phase) {
        case (.queued, .idle): phase = .waiting
        case (.queued, _): break
        case (.began, .waiting): phase = .running
        case (.withdrawn, .waiting): phase = .idle
        case (.taskBegan, .waiting): phase = .inTask
        case (.ended(let hasWrites), .running), (.ended(let hasWrites), .inTask):
            phase = hasWrites ? .waiting : .idle
        case (.began, _), (.taskBegan, _), (.ended, _), (.withdrawn, _):
            fatalError("\(event) of asynchronous writes while \(phase)")
        }
    }

    // MARK: Writes

    var hasWrites: Bool { done < writes.count }

    /// Whether writes are queued or running, commits are not durable yet, or completions are pending.
    var isPending: Bool { hasWrites || phase == .running || phase == .inTask || !completions.isEmpty }

    /// Whether a turn has something to do.
    var isDue: Bool { phase == .waiting || !completions.isEmpty || !refreshes.isEmpty }

    func newID() -> AsyncTransactionId {
        lastID &+= 1
        return lastID
    }

    func append(_ action: Write.Action) -> AsyncTransactionId {
        let id = newID()
        writes.append(Write(id: id, action: action))
        return id
    }

    /// The next write, or nil if none is queued.
    var first: Write? { done < writes.count ? writes[done] : nil }

    /// Replaces the ticket of a write whose task has to wait again.
    func wait(_ id: AsyncTransactionId, by ticket: WriteTicket) {
        guard let index = writes[done...].firstIndex(where: { $0?.id == id }) else { return ticket.cancel() }
        writes[index] = Write(id: id, action: .ticket(ticket))
    }

    /// Removes the next write from the queue and returns it.
    func next() -> Write? {
        guard done < writes.count else { return nil }
        let write = writes[done]
        writes[done] = nil
        done += 1
        if done > 64, done * 2 > writes.count {
            writes.removeFirst(done)
            done = 0
        }
        return write
    }

    /// Removes a queued write, or the callback of a commit.
    func cancel(_ id: AsyncTransactionId) {
        if let index = writes[done...].firstIndex(where: { $0?.id == id }) {
            writes.remove(at: index)
        } else if let index = completions.firstIndex(where: { $0.id == id }) {
            completions[index].call = nil
        }
    }

    // MARK: Completions

    func complete(
        _ id: AsyncTransactionId, at version: UInt64, error: (any Error)? = nil,
        _ call: (((any Error)?) -> Void)?
    ) { completions.append(Completion(id: id, version: version, error: error, call: call)) }

    func begin(_ flush: Flush) { flushes.append(flush) }

    /// Records that the outcome of the commits up to a version is known.
    func settle(upTo version: UInt64, _ failure: FlushFailure? = nil) {
        settled = max(settled, version)
        if let failure { failures.append(failure) }
    }

    /// Records the outcomes of the flushes that have ended. Returns whether one failed, so that its commits are undone.
    func settleFlushes() -> Bool {
        while let flush = flushes.first, let outcome = flush.outcome {
            flushes.removeFirst()
            settle(upTo: flush.version, outcome.failure)
        }
        return !failures.isEmpty
    }

    /// Calls the completions of the commits whose outcome is known, in order.
    func callCompletions() {
        while let completion = completions.first, completion.error != nil || completion.version <= settled {
            completions.removeFirst()
            let failure = failures.first { $0.versions.contains(completion.version) }
            completion.call?(completion.error ?? failure?.error)
        }
        failures.removeAll { $0.versions.upperBound <= settled }
    }

    // MARK: Lifetime

    /// Retains the instance's owner and its actor. On a thread, the work is registered to end with the thread.
    func retain(_ owner: any EndsWithThread) {
        guard self.owner == nil else { return }
        self.owner = owner
        switch confinement {
        case .actor(let identity): actor = identity.actor
        case .thread: ThreadStorage.withCurrent { $0.begin(owner) }
        case .main, .queue, .none: break
        }
    }

    /// Releases the owner and the actor once all work is done. The caller retains the owner.
    func releaseIfDone() {
        guard let owner, phase == .idle, !isPending, refreshes.isEmpty else { return }
        if case .thread = confinement { ThreadStorage.withCurrent { $0.end(owner) } }
        (self.owner, actor) = (nil, nil)
    }

    /// Drops all work because the thread ends.
    func drop() {
        for case .ticket(let ticket)? in writes[done...].map(\.?.action) { ticket.cancel() }
        (writes, done, completions, flushes, phase) = ([], 0, [], [], .idle)
        (owner, actor) = (nil, nil)
    }
}

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
