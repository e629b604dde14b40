/// Tells a queued or committed asynchronous write apart from the others of its realm instance.
public typealias AsyncTransactionId = UInt32

/// What one realm instance has under way asynchronously: writes that wait for the writer's place, in order, and commits whose
/// completion is due. Confined with the instance, and keeps it, and its actor, alive until all is done.
///
///     idle ──queued──► waiting ──turn──► running
///      ▲                 │  ▲              │
///      │                 │  └──────────────┤
///      │                 └──task──► lent ──┤
///      └───────────────────────────────────┘
final class AsyncWork {
    enum Phase {
        case idle
        /// The writer's place was asked for; this instance may write by itself meanwhile.
        case waiting
        /// A turn carries out writes, one after the other.
        case running
        /// A task, which was woken for it, carries out its write.
        case lent
    }

    enum Event {
        /// A write was queued.
        case queued
        /// The writer's place is there, on a turn.
        case began
        /// The writer's place is there, and the task of the next write took it.
        case lent
        /// Nothing is queued any more, and the writer's place is not asked for.
        case withdrawn
        /// The writer's place was given back; writes may be left that ask for it anew.
        case ended(isLeft: Bool)
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
        /// What went wrong before anything was to be made durable.
        let error: (any Error)?
        var call: (((any Error)?) -> Void)?
    }

    private(set) var phase = Phase.idle
    /// Those before ``done`` are nil, and cut off in bulk.
    private var writes: [Write?] = []
    /// How many are done.
    private var done = 0
    private var completions: [Completion] = []
    private var lastID: AsyncTransactionId = 0
    /// Tasks that wait for the instance to be at the newest version.
    var refreshes: [CheckedContinuation<Bool, Never>] = []
    /// The flushes of this instance's commits that are under way elsewhere, in order.
    private var flushes: [Flush] = []
    /// What failed flushes threw.
    private var failures: [FlushFailure] = []
    /// The version up to which it is known whether commits are durable.
    private var settled: UInt64 = 0
    /// Whether the turn ends with the write that is carried out: its commit is not to wait for those of others.
    var endsTurn = false
    /// The number of the transaction that observers left open last, which is theirs to end.
    var writeOfObservers: UInt64 = 0
    private var instanceOwner: InstanceOwner?
    private var actor: (any Actor)?

    /// The one place where the phase changes.
    func take(_ event: Event) {
        switch (event, phase) {
        case (.queued, .idle): phase = .waiting
        case (.queued, _): break
        case (.began, .waiting): phase = .running
        case (.withdrawn, .waiting): phase = .idle
        case (.lent, .waiting): phase = .lent
        case (.ended(let isLeft), .running), (.ended(let isLeft), .lent): phase = isLeft ? .waiting : .idle
        case (.began, _), (.lent, _), (.ended, _), (.withdrawn, _):
            fatalError("\(event) of asynchronous writes while \(phase)")
        }
    }

    // MARK: Writes

    var hasWrites: Bool { done < writes.count }

    /// Whether something is queued, committed and not durable, or to be told.
    var isUnderWay: Bool { hasWrites || phase == .running || phase == .lent || !completions.isEmpty }

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

    /// The next write.
    var first: Write? { done < writes.count ? writes[done] : nil }

    /// Has the task of the next write wait anew.
    func wait(_ id: AsyncTransactionId, by ticket: WriteTicket) {
        guard let place = writes[done...].firstIndex(where: { $0?.id == id }) else { return ticket.cancel() }
        writes[place] = Write(id: id, action: .ticket(ticket))
    }

    /// Takes the next write out of the queue.
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

    /// Drops a queued write, or the call that a commit's completion would be.
    func cancel(_ id: AsyncTransactionId) {
        if let place = writes[done...].firstIndex(where: { $0?.id == id }) {
            writes.remove(at: place)
        } else if let place = completions.firstIndex(where: { $0.id == id }) {
            completions[place].call = nil
        }
    }

    // MARK: Completions

    func complete(
        _ id: AsyncTransactionId, at version: UInt64, error: (any Error)? = nil,
        _ call: (((any Error)?) -> Void)?
    ) { completions.append(Completion(id: id, version: version, error: error, call: call)) }

    func begin(_ flush: Flush) { flushes.append(flush) }

    /// Notes that it is known what became of commits up to a version.
    func settle(upTo version: UInt64, _ failure: FlushFailure? = nil) {
        settled = max(settled, version)
        if let failure { failures.append(failure) }
    }

    /// Takes note of the flushes that have ended; returns whether one failed, so that its commits are undone.
    func settleFlushes() -> Bool {
        while let flush = flushes.first, let outcome = flush.outcome {
            flushes.removeFirst()
            settle(upTo: flush.version, outcome.failure)
        }
        return !failures.isEmpty
    }

    /// Calls the completions of commits of which it is known whether they are durable, in order.
    func callCompletions() {
        while let completion = completions.first, completion.error != nil || completion.version <= settled {
            completions.removeFirst()
            let failure = failures.first { $0.versions.contains(completion.version) }
            completion.call?(completion.error ?? failure?.error)
        }
        failures.removeAll { $0.versions.upperBound <= settled }
    }

    // MARK: Lifetime

    /// Keeps what it takes to do the work.
    func hold(_ instance: RealmInstance) {
        guard instanceOwner == nil else { return }
        instanceOwner = instance.instanceOwner
        if case .actor(let identity) = instance.confinement { actor = identity.actor }
        if case .thread = instance.confinement {
            ThreadStorage.withCurrent { $0.begin(instance.instanceOwner) }
        }
    }

    /// Lets go of it once all is done. The caller holds the instance.
    func letGo() {
        guard let instanceOwner, phase == .idle, !isUnderWay, refreshes.isEmpty else { return }
        if case .thread = instanceOwner.instance.confinement {
            ThreadStorage.withCurrent { $0.end(instanceOwner) }
        }
        (self.instanceOwner, actor) = (nil, nil)
    }

    /// Drops everything: the thread ends.
    func drop() {
        for case .ticket(let ticket)? in writes[done...].map(\.?.action) { ticket.cancel() }
        (writes, done, completions, flushes, phase) = ([], 0, [], [], .idle)
        (instanceOwner, actor) = (nil, nil)
    }
}
