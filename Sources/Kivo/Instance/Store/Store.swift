import Dispatch
import KivoEngine
import KivoJournal
import Synchronization

/// The data of one realm file or in-memory identifier, shared by its realm instances on all threads.
///
/// Holds the version chain and the write lock. Thread-safe: mutable state is behind the lock, and the writer's queue
/// orders transactions. The store closes when its last instance is released.
final class Store: VersionPins, Sendable {
    let configuration: Realm.Configuration
    /// The path of the file, or the identifier of data in memory.
    let eventName: EventName
    var name: String { eventName.text }
    let heap: Heap
    let log: StoreLog
    /// Whether other processes are excluded from writing. Changed only by the holder of the write lock.
    let isExclusive = Atomic(false)
    /// Held while the store advances to the commits of other processes. Contains the failure that was reported last, if there was no
    /// success since.
    let catchUpDone = Lock<String?>(nil)
    private let state: Lock<State>
    /// The number of the newest version's data: its own, or that of the first version with the same. Readable without the lock.
    private let newest: Atomic<UInt64>
    /// The number of evictions, by which instances notice that there was one.
    let evictions = Atomic<UInt64>(0)
    /// The write lock.
    let writer: WriterQueue
    private let transactionNumbers = Atomic<UInt64>(0)
    /// The number of versions that were announced.
    private let publications = Atomic<UInt64>(0)
    private let checkpoints = CheckpointActivity()
    private let isAbandoned = Atomic(false)
    private let closed = Lock<(@Sendable () -> Void)?>(nil)
    /// The versions that values of `Realm.Version` pin.
    let heldVersions = HeldVersions()
    /// The consumers of commits that wait for the next one.
    let commitWaits = CommitWaits()
    /// The names of the consumers whose batches are being read in this process.
    let activeConsumers = Lock<Set<String>>([])
    /// The versions up to which consumers have read, if no log stores what follows, by the names of the consumers.
    let memoryOfConsumers = Lock<[String: [UInt64: VersionPin]]>([:])
    /// The recording of commits and turns; nil if the configuration does not ask for it.
    let recording: CapsuleRecording?
    /// The random number of data in memory that no log has.
    private let ownLineage = UInt64.random(in: 1 ... .max)

    fileprivate struct State: Sendable {
        var chain: VersionChain
        /// The versions on top of the chain that are not durable yet.
        var unlogged = UnloggedVersions()
        var catalog: Catalog
        var names: ClassNames
        var keyFloors: [TableID: ObjectKey] = [:]
        var instances = InstanceList()
        var heldVersions = HeldVersionWatch()
    }

    /// Restores the data and the tables of a log. The caller reconciles the tables with the program's classes next.
    init(_ configuration: Realm.Configuration, log: StoreLog, known: [ClassInfo]) throws {
        self.configuration = configuration
        self.log = log
        eventName = EventName(
            configuration.fileURL?.path ?? configuration.inMemoryIdentifier ?? log.name)
        writer = WriterQueue(eventName)
        recording = configuration.recorder.map { [eventName] in
            CapsuleRecording(
                folder: $0.folder, sizeLimit: $0.sizeLimit, count: $0.count, name: eventName.text)
        }
        Events.traceIfAsked()
        heap = Heap(cacheLimit: configuration.cacheLimit)
        var names = ClassNames()
        for info in known { try names.claim(info) }
        var replay = Replay(heap)
        do {
            try log.load(into: &replay)
        } catch {
            replay.discard()
            throw error
        }
        for (property, count) in log.removedElements.sorted(by: { $0.key < $1.key }) {
            Logger.shared.log(
                level: .warn,
                message: """
                    DB: \(count) elements of '\(property)' in realm '\(configuration.fileURL?.path ?? log.name)' were nil, \
                    which an earlier version stored: they are left out.
                    """)
        }
        newest = Atomic(replay.chain.head)
        state = Lock(State(chain: replay.chain, catalog: replay.catalog, names: names))
    }

    deinit {
        assert(state.withLock { $0.unlogged.isEmpty }, "a store closes with commits that are not durable")
        if !isAbandoned.load(ordering: .relaxed), let checkpoint = log.beginCheckpoint(isClosing: true) {
            let (head, snapshot, catalog) = state.withLock {
                ($0.chain.head, $0.chain.headSnapshot, $0.catalog)
            }
            // If this fails, the next process that opens the file replays the commits.
            make(checkpoint, of: head, snapshot, catalog)
        }
        recording?.finish(atMost: configuration.closingSeconds)
        // The file is closed first because another thread may wait to open it again.
        log.close()
        closed.withLock { $0 }?()
        let held = heldVersions.close()
        state.withLock { state in
            for version in held { state.chain.unpin(version) }
            state.chain.destroy(state.catalog)
        }
    }

    /// Closes the file as it was when it was opened: the store could not be reconciled with the program's classes, and its
    /// contents are discarded. References to the store that remain must not use it.
    func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        log.close()
    }

    /// Whether a background checkpoint or the base of a recording is being made, which retains the store.
    var isMakingCheckpoint: Bool { checkpoints.isRunning || recording?.isWritingBase == true }

    /// Whether opening the same file again does not find the commits of this store.
    var isDisplaced: Bool { log.isDisplaced }

    /// Throws unless a configuration of the same data can share the store. Both must have the same `readOnly`, because a file
    /// that is open for reading takes no commits. Both must have the same schema version, because classes have one version at a
    /// time.
    func checkSharing(with other: Realm.Configuration) throws(Realm.Error) {
        let name = configuration.fileURL.map { "at path '\($0.path)'" } ?? "of this identifier"
        if configuration.readOnly != other.readOnly, let url = configuration.fileURL {
            throw Realm.Error(
                .alreadyOpen, "Realm \(name) already opened with different read permissions.", fileURL: url)
        }
        if configuration.schemaVersion != other.schemaVersion {
            throw Realm.Error(
                .schemaMismatch, "Realm \(name) already opened with different schema version.",
                fileURL: configuration.fileURL)
        }
    }

    /// Sets the closure that is called once the file is closed.
    func whenClosed(_ body: @escaping @Sendable () -> Void) { closed.withLock { $0 = body } }

    /// The number of the newest version's data: its own, or that of the first version with the same data.
    var head: UInt64 { newest.load(ordering: .acquiring) }

    /// Announces the newest version, which was appended to the chain.
    private func publish(_ version: UInt64) {
        newest.store(version, ordering: .releasing)
        commitWaits.wake()
        if publications.wrappingAdd(1, ordering: .relaxed).newValue % HeldVersionWatch.interval == 0 {
            checkHeldVersions()
        }
    }

    /// Logs a message about the oldest version if it has been held for long.
    private func checkHeldVersions() {
        let now = EventMoment.now.position
        let (oldest, age, count) = state.withLock { state in
            let oldest = state.chain.oldest
            return (oldest, state.heldVersions.check(oldest, at: now), state.chain.activeVersions)
        }
        guard let age else { return }
        let (name, homes) = (name, homes.joined(separator: ", "))
        // Later, because the writer has the write lock, and the logger is the program's.
        DispatchQueue.global(qos: .utility).async {
            Logger.shared.log(
                level: .detail,
                message: """
                    Version \(oldest) of realm '\(name)' has been held for \(age.components.seconds) seconds, and \(count) \
                    versions are active: what they replaced stays in memory. Frozen objects, paused observations and realms \
                    that are not refreshed hold versions; this realm is open \(homes).
                    """)
        }
    }

    // MARK: Tables

    /// Makes sure that classes, and all classes that they link to, have their tables. Returns the catalog.
    ///
    /// - Parameter isUse: Whether the program uses the classes, so that no other classes can take their names any more.
    func register(_ infos: [ClassInfo], isUse: Bool = true) throws -> Catalog {
        try state.withLock { state in
            if isUse { for info in infos { try state.names.claim(info) } }
            try state.catalog.register(infos)
            return state.catalog
        }
    }

    var catalog: Catalog { state.withLock { $0.catalog } }

    /// Adds tables whose classes the program does not declare. Returns the catalog, which is unchanged if `body` throws.
    func define(_ body: (inout Catalog) throws -> Void) throws -> Catalog {
        try state.withLock { state in
            var next = state.catalog
            try body(&next)
            state.catalog = next
            return next
        }
    }

    // MARK: Versions

    /// Pins the newest version.
    ///
    /// - Parameter handle: The instance that pins. It sees its own commits before they are durable.
    func pinHead(for handle: InstanceHandle) -> (version: UInt64, data: UInt64, snapshot: Snapshot) {
        state.withLock { state in
            if let version = state.unlogged.newest(of: handle) {
                return (version, version, state.pin(version))
            }
            return (state.chain.head, state.chain.headOrigin, state.chain.pin(state.chain.head))
        }
    }

    @discardableResult
    func pin(_ version: UInt64) -> Snapshot { state.withLock { $0.pin(version) } }

    func unpin(_ version: UInt64) {
        state.withLock { state in
            if !state.unlogged.unpin(version, &state.chain) { state.chain.unpin(version) }
        }
    }

    /// Pins the newest version and composes the changes since a pinned version.
    func advance(
        from version: UInt64
    ) -> (version: UInt64, data: UInt64, snapshot: Snapshot, changes: RowChangeSet) {
        let (head, data, snapshot, changes) = state.withLock { state in
            let head = state.chain.head
            let changes = state.unlogged.changeSets(from: version, to: head, along: state.chain)
            return (head, state.chain.headOrigin, state.chain.pin(head), changes)
        }
        // Composed outside of the lock, because there may be thousands of versions in between.
        return (head, data, snapshot, RowChangeSet(composing: changes))
    }

    /// The number of the first version with the data of a pinned one.
    func dataVersion(of version: UInt64) -> UInt64 {
        state.withLock { $0.unlogged.contains(version) ? version : $0.chain.origin(of: version) }
    }

    /// Returns the changes from a pinned version to a later one.
    func changes(from: UInt64, to: UInt64) -> RowChangeSet {
        RowChangeSet(
            composing: state.withLock { $0.unlogged.changeSets(from: from, to: to, along: $0.chain) })
    }

    /// The number of versions from the oldest that is still read to the newest.
    var activeVersions: UInt64 { state.withLock { $0.chain.activeVersions } }

    /// The number of versions that the chain holds, for tests.
    var versionCount: Int { state.withLock { $0.chain.count } }

    /// The number of instances that are not frozen, for tests.
    var instanceCount: Int { state.withLock { $0.instances.count } }

    /// Descriptions of where the instances belong that are not frozen, each once, in the order of opening.
    var homes: [String] {
        let homes = state.withLock { state in state.instances.map(\.confinement) }
            .map { $0.isCurrent && $0 != .main ? "here" : "on \($0.home)" }
        var seen: Set<String> = []
        return homes.filter { seen.insert($0).inserted }
    }

    /// The oldest version that is still read.
    var oldestVersion: UInt64 { state.withLock { $0.chain.oldest } }

    /// The numbers of the first version with the data of the oldest that is still read, and of the newest.
    var dataVersions: (oldest: UInt64, newest: UInt64) {
        state.withLock { ($0.chain.origin(of: $0.chain.oldest), $0.chain.origin(of: $0.chain.head)) }
    }

    // MARK: Places in the log

    /// The number of the data, which versions contain.
    var lineage: UInt64 { log.place == nil ? ownLineage : log.lineage }

    /// Notes the version of the log that was reached by opening it.
    ///
    /// - Precondition: Only the caller uses the store.
    func noteOpened() { if let place = log.countedPlace { state.withLock { $0.chain.placeHead(at: place) } } }

    /// The version of the log that the newest durable version contains.
    var newestNumber: UInt64 { state.withLock { $0.chain.place(of: $0.chain.head).number } }

    /// A version that is pinned, and its place in the log.
    typealias PlacedVersion = (version: UInt64, number: UInt64, snapshot: Snapshot)

    /// The version of the log that a pinned version contains, or will: all commits that are not durable yet become one.
    func number(of version: UInt64) -> UInt64 {
        state.withLock { state in
            guard let base = state.unlogged.base(of: version) else {
                return state.chain.place(of: version).number
            }
            return state.chain.place(of: base).number + 1
        }
    }

    /// Pins a durable version: the newest one that a pinned version is built on, which is usually itself, or the newest of all.
    func pinDurable(below version: UInt64? = nil) -> PlacedVersion {
        state.withLock { state in
            let durable = version.map { state.unlogged.base(of: $0) ?? $0 } ?? state.chain.head
            return (durable, state.chain.place(of: durable).number, state.chain.pin(durable))
        }
    }

    /// Pins the version with the contents of a version of the log. Returns nil if none is retained.
    func pin(at number: UInt64) -> PlacedVersion? {
        state.withLock { state in
            state.chain.version(at: number).map { ($0, number, state.chain.pin($0)) }
        }
    }

    // MARK: Writing

    /// Returns a transaction on top of the newest version, which the caller has pinned.
    ///
    /// - Precondition: The caller holds the write lock.
    func makeTransaction(_ base: Snapshot, _ catalog: Catalog, reader: UnsafeMutablePointer<ReaderState>)
        -> WriteTransaction
    {
        let id = transactionNumbers.add(1, ordering: .relaxed).newValue
        let transaction = WriteTransaction(id: id, base: base, catalog: catalog, heap: heap, reader: reader)
        transaction.keyFloors = state.withLock { $0.keyFloors }
        return transaction
    }

    /// Logs and publishes a transaction that was built on the pinned version `base`. Pins the new version for the caller and
    /// unpins `base`.
    ///
    /// - Throws: The error of the log if the transaction cannot be logged. The transaction is still open then.
    func commit(
        _ transaction: WriteTransaction, _ changes: RowChangeSet, base: UInt64, label: CommitLabel
    ) throws -> (version: UInt64, snapshot: Snapshot) {
        let published = try publish(transaction, changes, base: base, label: label)
        evictAndCheckpointIfDue()
        return published
    }

    /// Does what ``commit(_:_:base:label:)`` does, and begins no checkpoint.
    func publish(
        _ transaction: WriteTransaction, _ changes: RowChangeSet, base: UInt64, label: CommitLabel
    ) throws -> (version: UInt64, snapshot: Snapshot) {
        try log.append(transaction, changes, label: label)
        let commit = transaction.commit(changes)
        let published = state.withLock { state in
            let version = state.chain.append(commit, at: log.countedPlace)
            let snapshot = state.chain.pin(version)
            state.chain.unpin(base)
            return (version, snapshot)
        }
        publish(published.0)
        return published
    }

    /// Evicts nodes and begins a checkpoint, if that is due. In this order, because a checkpoint needs all nodes of its version.
    ///
    /// - Precondition: The caller holds the write lock, and all commits are durable.
    private func evictAndCheckpointIfDue() {
        recordBaseIfDue()
        if heap.cache.isEvictionDue { _ = evict() }
        checkpointIfDue()
    }

    /// Begins a checkpoint in the background if one is due.
    ///
    /// - Precondition: The caller holds the write lock, and all commits are durable.
    private func checkpointIfDue() {
        guard let checkpoint = log.beginCheckpoint(isClosing: false), checkpoints.begin(retaining: self)
        else {
            return
        }
        heap.cache.noteCheckpoint()
        let (version, snapshot, catalog) = state.withLock { state in
            let head = state.chain.head
            return (head, state.chain.pin(head), state.catalog)
        }
        DispatchQueue.global(qos: .utility).async { [checkpoints] in
            checkpoints.finish { pins in
                // A checkpoint that fails, for example because the disk is full, loses no data. The next one is tried some
                // commits later.
                if let store = pins as? Store, store.log.lacksHistory(snapshot, catalog),
                    let recorded = try? store.recordHistory()
                {
                    if let checkpoint = recorded.checkpoint {
                        store.make(checkpoint, of: recorded.version, recorded.snapshot, recorded.catalog)
                    }
                    pins.unpin(recorded.version)
                } else {
                    (pins as? Store)?.make(checkpoint, of: version, snapshot, catalog)
                }
                pins.unpin(version)
                (pins as? Store)?.evictInBackground()
            }
        }
    }

    /// Makes the closing checkpoint for a program that ends without closing the store. Does nothing during a write.
    func checkpointAtExit() {
        defer { recording?.finish(atMost: configuration.closingSeconds) }
        checkpoints.wait(atMost: configuration.closingSeconds)
        guard writer.tryLock(Writer(isFollower: false)) else { return }
        defer { writer.unlock() }
        guard newestUnlogged == nil, !log.isDisplaced, let checkpoint = log.beginCheckpoint(isClosing: true)
        else { return }
        let (version, snapshot, catalog) = state.withLock { state in
            let head = state.chain.head
            return (head, state.chain.pin(head), state.catalog)
        }
        make(checkpoint, of: version, snapshot, catalog)
        unpin(version)
    }

    /// Makes a checkpoint of a pinned version, with an event. If it fails, no data is lost.
    private func make(
        _ checkpoint: StoreLog.Checkpoint, of version: UInt64, _ snapshot: Snapshot, _ catalog: Catalog
    ) {
        let start = Events.start
        let result = Result { try checkpoint.make(snapshot, catalog) }
        guard let start else { return }
        let failure: String? = if case .failure(let error) = result { "\(error)" } else { nil }
        Events.add(
            eventName, since: start, .checkpoint(RealmEvent.Checkpoint(version: version, failure: failure)))
    }

    /// Rolls a transaction back. The keys that it assigned are not assigned again.
    func cancel(_ transaction: WriteTransaction) {
        let floors = transaction.cancel()
        guard !floors.isEmpty else { return }
        state.withLock { $0.keyFloors.merge(floors) { max($0, $1) } }
    }

    /// Adds tables that another process described.
    func defineTables(_ define: (inout Catalog) throws -> Void) throws {
        try state.withLock { try define(&$0.catalog) }
    }

    /// Publishes a commit of another process, which `body` carries out.
    ///
    /// - Parameter place: The place in the log that the commit leads to.
    /// - Precondition: The caller holds the write lock.
    func commitForeign(at place: LogPlace, _ body: (WriteTransaction) throws -> Void) throws {
        let id = transactionNumbers.add(1, ordering: .relaxed).newValue
        let (version, base, catalog) = state.withLock { state in
            (state.chain.head, state.chain.pin(state.chain.head), state.catalog)
        }
        defer { unpin(version) }
        let start = Events.start
        var changes = RowChangeSet()
        let commit = try WriteTransaction.perform(id: id, on: base, catalog, heap) { transaction in
            try body(transaction)
            changes = transaction.changeSet()
            return changes
        }
        let published = state.withLock { $0.chain.append(commit, at: place) }
        publish(published)
        if let start {
            Events.add(
                eventName, since: start,
                .commit(RealmEvent.Commit(published, changes, catalog, isForeign: true)))
        }
    }

    // MARK: Evicting

    /// The number of bytes that were evicted and are still needed by older versions, approximately.
    var evictedByteCount: Int { state.withLock { $0.chain.evictedByteCount } }

    /// Evicts nodes if more than the configuration allows are in memory, as long as nobody writes. Returns whether any were.
    func evictIfDue() -> Bool {
        // A refresh waits for a follower, and does not take it for a writer that has advanced to the commits of other processes.
        guard heap.cache.isEvictionDue, writer.tryLock(Writer(isFollower: true)) else { return false }
        defer { writer.unlock() }
        // A commit that is not durable is built on the newest version.
        return newestUnlogged == nil && evict()
    }

    /// Evicts nodes of the newest version. Returns whether any were.
    ///
    /// - Precondition: The caller holds the write lock, no transaction is open, and all commits are durable.
    private func evict() -> Bool {
        let (version, snapshot, catalog, waiting) = state.withLock { state in
            let head = state.chain.head
            return (head, state.chain.pin(head), state.catalog, state.chain.evictedByteCount)
        }
        defer { unpin(version) }
        // As long as a reader of an older version prevents that what was evicted is freed, evicting more would only add to it.
        guard waiting <= heap.cache.limit / 4 else {
            heap.cache.postpone()
            return false
        }
        let id = transactionNumbers.add(1, ordering: .relaxed).newValue
        var eviction = Eviction(snapshot, catalog, heap, id: id)
        guard let commit = eviction.commit() else { return false }
        state.withLock { $0.chain.append(eviction: commit) }
        evictions.add(1, ordering: .releasing)
        return true
    }

    /// Waits for the end of the running checkpoint if so much was written since it began that memory would grow without a limit.
    func waitForCheckpointIfBehind() {
        if heap.cache.isBehind { checkpoints.wait(atMost: Store.longestWaitForMemory) }
    }

    private static let longestWaitForMemory = 10.0

    /// Evicts nodes if that is due, and has all instances move to the version without them.
    func evictInBackground() { if evictIfDue() { notifyInstances(except: nil) } }

    /// Pins the newest version that evictions have made of a pinned one, which is durable. Returns nil if there is none.
    func pinSuccessor(withDataOf version: UInt64) -> (version: UInt64, snapshot: Snapshot)? {
        state.withLock { state in
            state.chain.successor(withDataOf: version).map { ($0, state.chain.pin($0)) }
        }
    }

    // MARK: Migrating

    /// Replaces the catalog with the tables that a migration has made.
    ///
    /// - Precondition: Only the caller uses the store.
    func adopt(_ catalog: Catalog) { state.withLock { $0.catalog = catalog } }

    /// Publishes a transaction that a migration will log together with all of its others. Pins the new version.
    ///
    /// - Precondition: Only the caller uses the store.
    func stack(_ transaction: WriteTransaction, _ changes: RowChangeSet) -> (
        version: UInt64, snapshot: Snapshot
    ) {
        let commit = transaction.commit(changes)
        let stacked = state.withLock { state in
            let version = state.chain.append(commit)
            return (version, state.chain.pin(version))
        }
        publish(stacked.0)
        return stacked
    }

    // MARK: Writing now, logging later

    /// Whether a commit takes as long as a disk write.
    var isSlow: Bool { log.isSlow }

    /// The newest commit that is not durable yet, or nil if all are durable.
    var newestUnlogged: UInt64? { state.withLock { $0.unlogged.commits.last?.version } }

    /// Whether a pinned version is durable, so that all instances can see it.
    func isDurable(_ version: UInt64) -> Bool { state.withLock { !$0.unlogged.contains(version) } }

    /// Makes a transaction the newest version for one instance; ``flush(except:)`` makes it durable, and the newest version for
    /// all. Pins the new version for the caller and unpins `base`.
    ///
    /// - Precondition: The caller holds the write lock.
    func commitUnlogged(
        _ transaction: WriteTransaction, _ changes: RowChangeSet, base: UInt64, label: CommitLabel,
        of handle: InstanceHandle
    ) -> (version: UInt64, snapshot: Snapshot) {
        transaction.seal()
        return state.withLock { state in
            let version = state.unlogged.append(
                transaction, changes, label, of: handle, above: state.chain.head)
            let snapshot = state.pin(version)
            if !state.unlogged.unpin(base, &state.chain) { state.chain.unpin(base) }
            return (version, snapshot)
        }
    }

    /// Makes the unlogged commits durable, by one record, and the newest version for all instances. If that fails, the commits
    /// are undone: an instance that is at one of these versions moves back with its next refresh.
    ///
    /// - Precondition: The caller holds the write lock, or was given it for the flush.
    func flush(except handle: InstanceHandle) throws(FlushFailure) {
        let commits = state.withLock { $0.unlogged.commits }
        guard let last = commits.last else { return }
        let start = Events.start
        let changes = RowChangeSet(composing: commits.map(\.changes))
        do {
            // No other transaction is built on top of the commits meanwhile.
            try log.append(
                last.transaction, changes, from: commits[0].transaction.base,
                label: CommitLabel(composing: commits.map(\.label)))
            state.withLock { $0.unlogged.finish(&$0.chain, at: log.countedPlace) }
        } catch {
            let id = transactionNumbers.add(1, ordering: .relaxed).newValue
            state.withLock { state in
                for commit in commits {
                    state.keyFloors.merge(commit.transaction.usedKeyFloors) { max($0, $1) }
                }
                state.unlogged.fail(&state.chain, id: id)
            }
            publish(last.version + 1)
            notifyInstances(except: handle)
            throw FlushFailure(
                versions: commits[0].version...last.version,
                error: Realm.Error.wrapping(error, configuration.fileURL))
        }
        publish(last.version)
        if let start {
            Events.add(eventName, since: start, .commit(RealmEvent.Commit(last.version, changes, catalog)))
        }
        evictAndCheckpointIfDue()
        notifyInstances(except: handle)
    }

    // MARK: Instances

    func add(_ handle: InstanceHandle, _ confinement: Confinement) {
        state.withLock { $0.instances.add(handle, confinement) }
    }

    func remove(_ handle: InstanceHandle) {
        let isLast = state.withLock { state in
            state.instances.remove(handle)
            return state.instances.isEmpty
        }
        // The process may end as soon as the realm is released, or read what was recorded.
        if isLast { recording?.finish(atMost: configuration.closingSeconds) }
        // Without the checkpoint, the next process replays all commits.
        if isLast, activeConsumers.withLock({ $0.isEmpty }) {
            checkpoints.wait(atMost: configuration.closingSeconds)
        }
    }

    /// Returns the instance that belongs to a thread or queue, or nil if there is none.
    ///
    /// - Precondition: The caller runs on that thread or queue.
    func instance(_ confinement: Confinement) -> InstanceOwner? {
        let handles = state.withLock { state in
            state.instances.filter { $0.confinement == confinement }.map(\.handle)
        }
        for handle in handles { if let instanceOwner = handle.instanceOwner { return instanceOwner } }
        return nil
    }

    /// The instances that the running code may use.
    var instancesHere: [InstanceOwner] {
        let instances = state.withLock { $0.instances }
        return instances.filter { $0.confinement.isCurrent && !$0.confinement.isGone }
            .compactMap(\.handle.instanceOwner)
    }

    /// Returns the instance that the running code may use: that of its queue or actor, or else that of its thread. O(instances).
    func currentInstance() -> InstanceOwner? {
        let instances = state.withLock { $0.instances }
        var ofThread: InstanceOwner?
        for instance in instances where instance.confinement.isCurrent {
            // Another actor may share its executor. An instance whose actor is gone is skipped, because it gets no turns.
            if instance.confinement.isGone { continue }
            guard let instanceOwner = instance.handle.instanceOwner else { continue }
            switch instance.confinement {
            case .thread, .main: ofThread = instanceOwner
            default: return instanceOwner
            }
        }
        return ofThread
    }

    /// Requests a refresh of all instances but one.
    func notifyInstances(except handle: InstanceHandle?) {
        let others = state.withLock { state -> [InstanceHandle] in
            if state.instances.count < 2, handle != nil { return [] }
            return state.instances.map(\.handle).filter { $0 !== handle }
        }
        for other in others { other.turns.request() }
    }
}

extension Store.State {
    /// Pins a version.
    fileprivate mutating func pin(_ version: UInt64) -> Snapshot {
        unlogged.pin(version) ?? chain.pin(version)
    }
}
