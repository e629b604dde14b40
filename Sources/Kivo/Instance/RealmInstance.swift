import Dispatch
import KivoEngine
import Foundation

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
    /// The side of a migration that this instance is, or nil if it is none, and the closure that describes the classes of tables
    /// then.
    let migration: MigrationSide?
    private let describeClass: ((TableID, Catalog) -> ClassInfo)?
    /// The reader that accessors compare with; see `ReaderState`. Owned by the instance.
    let reader: UnsafeMutablePointer<UInt64>
    /// The root of the pinned version, to which the reader returns when a transaction is rolled back.
    private var pinnedRoot: UInt64 = 0

    /// The version that this instance sees; 0 before the first read and after `invalidate()`.
    private(set) var version: UInt64 = 0
    /// Whether the realm's observers were notified of ``version``.
    var news: RealmNews
    @exclusivity(unchecked) private(set) var transaction: WriteTransaction?
    private var knownCatalog: Catalog
    /// The tables. A frozen instance is read on many threads and uses the tables of the store.
    private(set) var catalog: Catalog {
        get { isFrozen ? store.catalog : knownCatalog }
        set { if !isFrozen { knownCatalog = newValue } }
    }
    private var contexts: [ObjectIdentifier: TableContext] = [:]
    private var contextsByTable: [TableID: TableContext] = [:]
    /// The contexts of dynamic objects.
    private var dynamicContexts: [TableID: TableContext] = [:]
    /// The tables for which no class of the program was found. Locked because a frozen instance is read on many threads.
    let untypedTables = Lock(UntypedTables())
    /// The context that was returned last, which the next lookup often needs again.
    @exclusivity(unchecked) private var lastContext: TableContext?
    /// The adder of objects in the open transaction, or nil before the first object is added.
    @exclusivity(unchecked) var lastAdder: ObjectAdder?
    /// The reader's generation at the last `invalidate()`. Accessors that were last located before it are invalid permanently.
    private var epoch: UInt64 = 1

    var autorefresh = true {
        didSet { if autorefresh, !isFrozen { handle.listen() } }
    }
    /// The user callbacks that are currently running.
    var activity = InstanceActivity.idle
    /// The number of running blocks that make keys of sections.
    @exclusivity(unchecked) var keyBlocks = 0
    /// Whether a turn was skipped because the instance was busy.
    var hasMissedTurn = false
    /// The frozen instance that was created last, returned again for the same version.
    weak var lastFrozen: InstanceOwner?
    /// The owner of this instance. It exists whenever code runs on the instance's behalf.
    private unowned(unsafe) var holder: InstanceOwner?
    /// A strong reference to the owner while a write is open: the write lasts until it is ended, even if the app releases the
    /// realm.
    private var writingHolder: InstanceOwner?
    /// Guards lazy lookups in a frozen instance, which is read on many threads.
    private let frozenLock = NSRecursiveLock()
    /// The listeners of the realm, its collections and its objects.
    let listeners = ListenerRegistry()
    /// The observer that is notified of changes of single rows.
    @exclusivity(unchecked) var rowTeller: RowChangeTeller
    /// A data error in the open write, thrown by its commit.
    var pendingError: Realm.Error?
    /// The asynchronous work of the instance, or nil before there is any.
    @exclusivity(unchecked) var asyncWork: AsyncWork?

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
        self.describeClass = describeClass
        handle = InstanceHandle(Scheduler(confinement, queue), confinement)
        reader = .allocate(capacity: ReaderState.wordCount)
        reader.initialize(repeating: 0, count: ReaderState.wordCount)
        reader[ReaderState.generation] = 1
        rowTeller = RowChangeTeller(reader)
        reader[ReaderState.thread] = confinement.threadNumber
        knownCatalog = store.catalog
        news = .unread(since: store.head)
        if let frozen {
            version = frozen
            reader[ReaderState.root] = store.pin(frozen).word
        }
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
        if !isFrozen { store.remove(handle) }
        handle.close()
        reader.deallocate()
    }

    /// Traps unless this code runs where the instance belongs.
    @inline(__always)
    func checkConfinement(_ what: () -> String = { "a realm" }) {
        if reader[ReaderState.thread] == ThreadIdentity.currentNumber { return }
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
        let before = reader[ReaderState.thread]
        reader[ReaderState.thread] = ThreadIdentity.currentNumber
        defer { reader[ReaderState.thread] = before }
        return try body()
    }

    private func misplaced(_ what: String) -> String {
        let place =
            if case .actor = confinement { "outside of the actor it belongs to" } else {
                "on a thread or queue it does not belong to"
            }
        return """
            \(what.prefix(1).uppercased() + what.dropFirst()) was used \(place): open the realm there, and pass \
            primary keys, frozen objects or values between threads.
            """
    }

    // MARK: Reading

    /// The snapshot that this instance sees: of its version, or of the open transaction.
    @inline(__always)
    var snapshot: Snapshot { Snapshot(word: reader[ReaderState.root]) ?? beginRead() }

    @inline(never)
    private func beginRead() -> Snapshot {
        let (version, snapshot) = store.pinHead(for: handle)
        news.take(.didRead(version))
        moveTo(version, snapshot)
        updateCatalog()
        return snapshot
    }

    /// Begins to read at a version that is pinned elsewhere.
    ///
    /// - Precondition: The instance reads no version.
    func beginRead(at pinned: UInt64) {
        news.take(.didRead(pinned))
        moveTo(pinned, store.pin(pinned))
        updateCatalog()
    }

    /// Makes sure that a version is pinned.
    func ensureRead() { _ = snapshot }

    @inline(__always)
    func table(_ id: TableID) -> Table { snapshot.table(id) }

    /// Marks cached addresses as stale.
    func advanceGeneration() { reader[ReaderState.generation] += 1 }

    /// Whether an accessor was invalidated by ``invalidate()``.
    func isInvalidated(_ row: RowReference) -> Bool { isInvalidated(row.generation) }

    /// Whether an object that was created or located at a generation of the reader was invalidated by ``invalidate()``.
    func isInvalidated(_ generation: UInt64) -> Bool { generation < epoch }

    /// Returns the context of a class. Traps with a message if the class cannot be in this realm.
    func context(_ type: ObjectBase.Type) -> TableContext {
        if !isFrozen {
            checkConfinement()
            return makeContext(type)
        }
        frozenLock.lock()
        defer { frozenLock.unlock() }
        return makeContext(type)
    }

    private func makeContext(_ type: ObjectBase.Type) -> TableContext {
        if let lastContext, lastContext.info.type == type { return lastContext }
        if let known = contexts[ObjectIdentifier(type)] {
            lastContext = known
            return known
        }
        let info = Registry.info(type)
        if migration != nil, AnyContainer(rawValue: info.name) == nil || !info.isEmbedded {
            trap(
                """
                Objects of class '\(info.name)' cannot be used in a migration, where all objects are dynamic: make one with \
                'migration.create("\(info.name)", value:)'.
                """)
        }
        if type == DynamicObject.self {
            trap(
                """
                'DynamicObject' is no class of its own: name one, as in 'realm.dynamicObjects("Dog")', or create an object by \
                'dynamicCreate'.
                """)
        }
        if configuration.objectTypes == nil, !type.shouldIncludeInDefaultSchema() {
            trap(
                """
                Class '\(info.name)' says by 'shouldIncludeInDefaultSchema()' that a realm has to be told of it: name it in \
                the configuration's 'objectTypes'.
                """)
        }
        if let types = configuration.objectTypes, !types.contains(where: { $0 == type }),
            AnyContainer(rawValue: info.name) == nil || !info.isEmbedded
        {
            trap(
                """
                Class '\(info.name)' is not among the 'objectTypes' of the realm's configuration: add it there to \
                use it in this realm.
                """)
        }
        do {
            catalog = try store.register([info])
        } catch {
            trap("\(error)")
        }
        transaction?.catalog = catalog
        let context = TableContext(self, info, catalog.table(named: info.name)!)
        contexts[ObjectIdentifier(type)] = context
        return context
    }

    /// Returns the context of a table whose class the program has used in this realm, by name or otherwise.
    func context(table: TableID) -> TableContext? {
        if isFrozen {
            frozenLock.lock()
            defer { frozenLock.unlock() }
            return contexts.values.first { $0.table == table } ?? dynamicContexts[table]
        }
        if let known = contextsByTable[table] { return known }
        if let context = contexts.values.first(where: { $0.table == table }) {
            contextsByTable[table] = context
            return context
        }
        return dynamicContexts[table]
    }

    /// Returns the context of a class that another instance of the realm described.
    func context(of info: ClassInfo) -> TableContext {
        if !info.isDynamic { return context(info.type) }
        guard let context = dynamicContext(named: info.name) else {
            trap("The realm has no class '\(info.name)'.")
        }
        return context
    }

    /// Returns the context of the dynamic objects of a table.
    func dynamicContext(_ table: TableID) -> TableContext {
        if !isFrozen {
            checkConfinement()
            return makeDynamicContext(table)
        }
        frozenLock.lock()
        defer { frozenLock.unlock() }
        return makeDynamicContext(table)
    }

    private func makeDynamicContext(_ table: TableID) -> TableContext {
        if let known = dynamicContexts[table] { return known }
        let info: ClassInfo
        if let describeClass {
            info = describeClass(table, catalog)
        } else {
            let declared =
                contexts.values.first { $0.table == table }?.info
                ?? Registry.info(of: catalog.tables[table])
            info = ClassInfo(table, in: catalog, declared: declared)
        }
        let context = TableContext(self, info, table)
        dynamicContexts[table] = context
        return context
    }

    /// Returns the context of dynamic objects by class name, or nil if the class is neither in the realm nor declared by the
    /// program.
    func dynamicContext(named name: String) -> TableContext? {
        checkConfinement()
        func table() -> TableID? {
            catalog.table(named: name).flatMap { catalog.tables[$0].isDefined ? $0 : nil }
        }
        if let table = table() { return dynamicContext(table) }
        updateCatalog()
        if let table = table() { return dynamicContext(table) }
        if migration != nil { return nil }
        guard let type = Registry.type(storedAs: name, configuration) else { return nil }
        return dynamicContext(context(type).table)
    }

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
        if transaction == nil { reader[ReaderState.root] = pinnedRoot }
        reader[ReaderState.writer] = transaction?.memory.id ?? 0
        advanceGeneration()
    }

    /// Allows direct stores in the open transaction, unless its changes are recorded row by row.
    func updateDirectStores() {
        guard let transaction else { return }
        let isAllowed = transaction.rowLog == nil
        reader[ReaderState.writer] = isAllowed ? transaction.memory.id : 0
        // Accessors cache whether they may store directly for as long as the generation lasts.
        if !isAllowed { advanceGeneration() }
    }

    /// Called when a row begins to be observed: its accessors have to check again whether they may store directly.
    func noteObservedRow() { if reader[ReaderState.writer] != 0 { advanceGeneration() } }

    /// Returns the number of the open transaction if values of a row may be stored directly, else 0. Valid for this generation.
    @inline(__always)
    func directWriter(_ table: TableID, _ key: ObjectKey) -> UInt64 {
        let writer = reader[ReaderState.writer]
        return writer == 0 || reader[ReaderState.observed] == 0
            ? writer : directWriterAmongObserved(table, key)
    }

    @inline(never)
    private func directWriterAmongObserved(_ table: TableID, _ key: ObjectKey) -> UInt64 {
        rowTeller.contains(table, key) ? 0 : reader[ReaderState.writer]
    }

    func moveTo(_ version: UInt64, _ snapshot: Snapshot) {
        self.version = version
        pinnedRoot = snapshot.word
        reader[ReaderState.root] = pinnedRoot
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
        rowTeller.invalidateAll {
            if version != 0 {
                store.unpin(version)
                news.take(.didInvalidate(version))
            }
            version = 0
            reader[ReaderState.root] = 0
            advanceGeneration()
            epoch = reader[ReaderState.generation]
        }
        listeners.removeAllCollectionsAndObjects()
    }
}
