import Dispatch
import KivoEngine
import KivoJournal

/// One realm instance: a version of the data on one thread, queue or actor, its open write transaction and its observers.
///
/// Not thread-safe; every entry point checks that it runs where the instance belongs. Accessors hold the instance strongly; it
/// holds only observed accessors.
final class RealmInstance {
    let store: Store
    let configuration: Realm.Configuration
    let confinement: Confinement
    let isFrozen: Bool
    let handle: InstanceHandle
    let turns: Turns
    /// The side of a migration that this instance is, or nil if it is none.
    let migration: MigrationSide?
    /// The reader that accessors compare with; see `ReaderState`. Owned by the instance.
    let reader: UnsafeMutablePointer<ReaderState>
    /// The snapshot of the pinned version, to which the reader returns when a transaction is rolled back.
    private var pinnedSnapshot: Snapshot?

    /// The version that this instance sees; 0 before the first read and after `invalidate()`.
    @exclusivity(unchecked) private(set) var version: UInt64 = 0
    /// The number of the first version with the data of ``version``, which evictions do not change.
    @exclusivity(unchecked) var dataVersion: UInt64 = 0
    /// The newest version of which observers were notified that a refresh is required for it.
    @exclusivity(unchecked) var announcedHead: UInt64 = 0
    /// The number of the store's evictions when this instance last looked for a version that they made.
    @exclusivity(unchecked) var followedEvictions: UInt64 = 0
    /// The observers of the realm, and whether they were notified of ``version``.
    @exclusivity(unchecked) var observers: RealmObservers
    @exclusivity(unchecked) private(set) var transaction: WriteTransaction?
    private var knownCatalog: Catalog
    /// The tables. A frozen instance is read on many threads and uses the tables of the store.
    private(set) var catalog: Catalog {
        get { isFrozen ? store.catalog : knownCatalog }
        set { if !isFrozen { knownCatalog = newValue } }
    }
    /// The classes that this instance has used.
    let classes: ClassContexts
    /// The adder of objects in the open transaction, or nil before the first object is added.
    @exclusivity(unchecked) var lastAdder: ObjectAdder?
    /// The reader's generation at the last `invalidate()`. Accessors that were last located before it are invalid permanently.
    private var oldestValidGeneration: UInt64 = 1

    var autorefresh = true {
        didSet { if autorefresh, !isFrozen { turns.enable() } }
    }
    /// The user callbacks that are currently running.
    @exclusivity(unchecked) var activity = InstanceActivity.idle {
        didSet { resumeTurns() }
    }
    /// The number of running blocks that make keys of sections.
    @exclusivity(unchecked) var keyBlocks = 0 {
        didSet { resumeTurns() }
    }
    /// The frozen instance that was created last, returned again for the same version.
    weak var lastFrozen: InstanceOwner?
    /// The owner of this instance. It exists whenever code runs on the instance's behalf.
    private unowned(unsafe) var holder: InstanceOwner?
    /// A strong reference to the owner while a write is open: the write lasts until it is ended, even if the app releases the
    /// realm.
    private var writingHolder: InstanceOwner?
    /// The listeners of the realm's collections and objects.
    let listeners = ListenerRegistry()
    /// The observer that is notified of changes of single rows.
    @exclusivity(unchecked) var rowNotifier: RowChangeNotifier
    /// Whether a write that begins is delivering the changes that are pending before it.
    var isDeliveringBeforeWrite = false
    /// A data error in the open write, thrown by its commit.
    @exclusivity(unchecked) var pendingError: Realm.Error?
    /// The label of the open write, stored with its commit.
    var writeLabel = CommitLabel()
    /// The copies that the running migration made so far; nil outside of one, and on its old side.
    var migrationCopies: MigrationCopies?
    /// The asynchronous work of the instance, or nil before there is any.
    @exclusivity(unchecked) var asyncWork: AsyncWork?
    /// The instance in the store's recording; nil before the first turn of its observers, and if there is no recording.
    @exclusivity(unchecked) var recordedPlace: RecordedPlace?

    init(
        _ store: Store, _ configuration: Realm.Configuration, _ confinement: Confinement,
        _ queue: DispatchQueue? = nil, frozenAt frozen: UInt64? = nil,
        migrating migration: MigrationSide? = nil,
        describing describeClass: ((TableID, Catalog) -> ClassInfo)? = nil
    ) {
        self.store = store
        self.configuration = configuration
        self.confinement = confinement
        isFrozen = frozen != nil
        self.migration = migration
        handle = InstanceHandle(Scheduler(confinement, queue), confinement)
        turns = handle.turns
        reader = ReaderState.allocate()
        classes = ClassContexts(reader, describing: describeClass)
        reader.pointee.generation = 1
        rowNotifier = RowChangeNotifier(reader)
        reader.pointee.thread = confinement.threadNumber
        knownCatalog = store.catalog
        observers = RealmObservers(head: store.head)
        if let frozen {
            version = frozen
            reader.pointee.snapshot = store.pin(frozen)
        }
        classes.attach(self)
        listeners.attach(self)
    }

    /// Called once, by the owner that holds this instance.
    func attach(_ instanceOwner: InstanceOwner) {
        holder = instanceOwner
        if isFrozen || migration != nil { return }
        handle.attach(instanceOwner)
        store.add(handle, confinement)
    }

    /// The reference that accessors and collections hold to keep this instance alive.
    @inline(__always)
    var instanceOwner: InstanceOwner { holder.unsafelyUnwrapped }

    deinit {
        if version != 0 { store.unpin(version) }
        if let recordedPlace { store.recording?.removePlace(recordedPlace.number) }
        if !isFrozen { store.remove(handle) }
        handle.close()
        reader.deallocate()
    }

    /// Traps unless this code runs where the instance belongs.
    @inline(__always)
    func checkConfinement(_ what: () -> String = { "a realm" }) {
        if reader.pointee.thread == ThreadIdentity.currentNumber { return }
        checkQueueOrActor(what)
    }

    /// Traps unless this code runs where the instance belongs. Called if the thread number alone does not show that.
    @inline(never)
    private func checkQueueOrActor(_ what: () -> String) {
        if !confinement.isCurrent(orTrap: misplaced(what())) { trap(misplaced(what())) }
    }

    /// Runs a body that stays on this thread. While it runs, confinement checks only compare thread numbers, even if the instance
    /// belongs to a queue.
    @inline(__always)
    func onThisThread<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = reader.pointee.thread
        reader.pointee.thread = ThreadIdentity.currentNumber
        defer { reader.pointee.thread = before }
        return try body()
    }

    private func misplaced(_ what: String) -> String {
        let subject = what.prefix(1).uppercased() + what.dropFirst()
        let advice = "open the realm there, and pass primary keys, frozen objects or values between threads."
        if case .actor = confinement {
            return "\(subject) was used outside of the actor it belongs to: \(advice)"
        }
        let message = "\(subject) was used on a thread or queue it does not belong to: \(advice)"
        guard withUnsafeCurrentTask(body: { $0 != nil }) else { return message }
        return """
            \(message) After an 'await' a task without an actor continues on any thread: open a realm for each stretch of \
            code without an 'await', or keep one on an actor, by 'try await Realm.open(configuration:)'.
            """
    }

    // MARK: Reading

    /// The snapshot that this instance sees: of its version, or of the open transaction.
    @inline(__always)
    var snapshot: Snapshot { reader.pointee.snapshot ?? beginRead() }

    @inline(never)
    private func beginRead() -> Snapshot {
        let (version, data, snapshot) = store.pinHead(for: handle)
        observers.take(.didRead(data))
        moveTo(version, snapshot, data: data)
        updateCatalog()
        return snapshot
    }

    /// Begins to read at a version that is pinned elsewhere.
    ///
    /// - Precondition: The instance reads no version.
    func beginRead(at pinned: UInt64) {
        let data = store.dataVersion(of: pinned)
        observers.take(.didRead(data))
        moveTo(pinned, store.pin(pinned), data: data)
        updateCatalog()
    }

    /// Makes sure that a version is pinned.
    func ensureRead() { _ = snapshot }

    @inline(__always)
    func table(_ id: TableID) -> Table { snapshot.table(id) }

    /// Marks cached addresses as stale.
    func advanceGeneration() { reader.pointee.generation += 1 }

    /// Whether an accessor was invalidated by ``invalidate()``.
    func isInvalidated(_ row: RowReference) -> Bool { isInvalidated(row.generation) }

    /// Whether an object that was created or located at a generation of the reader was invalidated by ``invalidate()``.
    func isInvalidated(_ generation: UInt64) -> Bool { generation < oldestValidGeneration }

    // MARK: Versions

    /// Updates the catalog with the tables that were added to the store.
    func updateCatalog() { if migration == nil { catalog = store.catalog } }

    /// Uses a catalog with tables that this instance, or a migration, has added to the store, also in an open transaction.
    func adopt(_ catalog: Catalog) {
        self.catalog = catalog
        transaction?.catalog = catalog
    }

    /// Runs a body with the open transaction, without counting references to it.
    @inline(__always)
    func withOpenTransaction<Result>(_ body: (WriteTransaction) -> Result) -> Result {
        Unmanaged.passUnretained(transaction.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
    }

    /// Sets or clears the open transaction. The caller holds the owner of the instance.
    func setTransaction(_ transaction: WriteTransaction?) {
        lastAdder = nil
        self.transaction = transaction
        writingHolder = transaction == nil ? nil : instanceOwner
        if transaction == nil { reader.pointee.snapshot = pinnedSnapshot }
        reader.pointee.writer = transaction?.memory.id ?? 0
        advanceGeneration()
        resumeTurns()
    }

    /// Allows direct stores in the open transaction, unless its changes are recorded row by row.
    func updateDirectStores() {
        guard let transaction else { return }
        let isAllowed = transaction.rowLog == nil
        reader.pointee.writer = isAllowed ? transaction.memory.id : 0
        // Accessors cache whether they may store directly for as long as the generation lasts.
        if !isAllowed { advanceGeneration() }
    }

    /// Called when a row begins to be observed: its accessors have to check again whether they may store directly.
    func noteObservedRow() { if reader.pointee.writer != 0 { advanceGeneration() } }

    /// Returns the number of the open transaction if values of a row may be stored directly, else 0. Valid for this generation.
    @inline(__always)
    func directWriter(_ table: TableID, _ key: ObjectKey) -> UInt64 {
        let writer = reader.pointee.writer
        return writer == 0 || reader.pointee.observed == 0
            ? writer : directWriterAmongObserved(table, key)
    }

    @inline(never)
    private func directWriterAmongObserved(_ table: TableID, _ key: ObjectKey) -> UInt64 {
        rowNotifier.contains(table, key) ? 0 : reader.pointee.writer
    }

    /// Shows a version.
    ///
    /// - Parameter data: The number of the first version with its data; nil if it is itself the first.
    func moveTo(_ version: UInt64, _ snapshot: Snapshot, data: UInt64? = nil) {
        self.version = version
        dataVersion = data ?? version
        pinnedSnapshot = snapshot
        reader.pointee.snapshot = snapshot
    }

    /// Ends the read transaction: every accessor and collection of this instance becomes invalid permanently.
    func invalidate() {
        checkConfinement()
        guard !isFrozen else { trap("A frozen realm cannot be invalidated.") }
        checkNotMakingKeys("invalidate a realm")
        if activity.isAnnouncingMove {
            trap("A realm cannot be invalidated inside of a notification before a change.")
        }
        if transaction != nil { cancelWrite() }
        rowNotifier.invalidateAll {
            if version != 0 {
                store.unpin(version)
                observers.take(.didInvalidate(dataVersion))
            }
            version = 0
            reader.pointee.snapshot = nil
            advanceGeneration()
            oldestValidGeneration = reader.pointee.generation
        }
        listeners.removeAll()
        let notified = observers
        notified.notifyOfEnd()
    }
}

/// The side of a migration that a realm instance shows. No other code uses its store during the migration, all its objects are
/// dynamic, and its tables are those that it was created with.
enum MigrationSide {
    /// The side that reads the old data.
    case old
    /// The side that reads and writes the new data.
    case new
}
