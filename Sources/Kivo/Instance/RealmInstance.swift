import Dispatch
import KivoEngine
import Foundation

/// One realm instance: a version of the data on one thread, queue or actor, its open write transaction and its observers.
///
/// Not thread-safe; every entry point checks that it runs where the instance belongs. Accessors hold it strongly, it
/// holds no accessors but observed ones.
final class RealmInstance {
    let store: Store
    let configuration: Realm.Configuration
    let confinement: Confinement
    let isFrozen: Bool
    let handle: InstanceHandle
    /// Which side of a migration this is, if it is one, and what then describes the classes of tables.
    let migration: MigrationSide?
    private let describeClass: ((TableID, Catalog) -> ClassInfo)?
    /// The reader that accessors compare with; see `ReaderState`. Owned by the instance.
    let reader: UnsafeMutablePointer<UInt64>
    /// The root of the version, to return to when a transaction is given up.
    private var pinnedRoot: UInt64 = 0

    /// The version that this instance sees; 0 before the first read and after `invalidate()`.
    private(set) var version: UInt64 = 0
    /// What the realm's observers know of ``version``.
    var news: RealmNews
    @exclusivity(unchecked) private(set) var transaction: WriteTransaction?
    private var knownCatalog: Catalog
    /// The tables. A frozen instance is asked from many threads and takes those of the store.
    private(set) var catalog: Catalog {
        get { isFrozen ? store.catalog : knownCatalog }
        set { if !isFrozen { knownCatalog = newValue } }
    }
    private var contexts: [ObjectIdentifier: TableContext] = [:]
    private var contextsByTable: [TableID: TableContext] = [:]
    /// Those of dynamic objects.
    private var dynamicContexts: [TableID: TableContext] = [:]
    /// The tables that have none but those. A frozen instance is asked from many threads.
    let untypedTables = Lock(UntypedTables())
    /// The context that was asked for last, which is often the next one too.
    @exclusivity(unchecked) private var lastContext: TableContext?
    /// What adds objects in the open transaction, once something does.
    @exclusivity(unchecked) var lastAdder: _ObjectAdder?
    /// Accessors that were last located before this generation of the reader are invalid for good.
    private var epoch: UInt64 = 1

    var autorefresh = true {
        didSet { if autorefresh, !isFrozen { handle.listen() } }
    }
    /// What calls of the user's code are under way.
    var activity = InstanceActivity.idle
    /// How many blocks that make keys of sections run.
    @exclusivity(unchecked) var keyBlocks = 0
    /// Whether a turn came at a moment at which nothing could be done, and was spent.
    var hasMissedTurn = false
    /// The frozen instance that was made last, to be handed out again for the same version.
    weak var lastFrozen: InstanceOwner?
    /// What holds this instance; there whenever code runs on its behalf.
    private unowned(unsafe) var holder: InstanceOwner?
    /// The same while a write is open, which lasts until somebody ends it, whether or not anybody holds the realm.
    private var writingHolder: InstanceOwner?
    /// Guards what is looked up lazily in a frozen instance, which is read from many threads.
    private let frozenLock = NSRecursiveLock()
    /// The listeners of the realm, its collections and its objects.
    let listeners = ListenerRegistry()
    /// What is told of changes of single rows.
    @exclusivity(unchecked) var rowTeller: RowChangeTeller
    /// A data error inside of the open write, thrown by its commit.
    var pendingError: Realm.Error?
    /// What is under way asynchronously, once something was.
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

    /// What accessors and collections hold to keep this instance alive.
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

    /// The same where it is not to be told from the thread alone.
    @inline(never)
    private func checkQueueOrActor(_ what: () -> String) {
        if !confinement.isCurrent(orTrap: misplaced(what())) { trap(misplaced(what())) }
    }

    /// Carries out a body that this thread stays in: while it runs, comparing thread numbers is all that checks cost, also
    /// where the instance belongs to a queue.
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

    /// Begins to read at a version that somebody else has pinned. Only while nothing is read.
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

    /// Whether an accessor was cut off by ``invalidate()``.
    func isInvalidated(_ row: RowReference) -> Bool { isInvalidated(row.generation) }

    /// Whether what was made or located at a generation of the reader was cut off by ``invalidate()``.
    func isInvalidated(_ generation: UInt64) -> Bool { generation < epoch }

    /// The context of a class. Traps in words if the class cannot be in this realm.
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

    /// The context of a table whose class the program has used in this realm, by name or otherwise.
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

    /// The context of a class that another instance of the realm described.
    func context(of info: ClassInfo) -> TableContext {
        if !info.isDynamic { return context(info.type) }
        guard let context = dynamicContext(named: info.name) else {
            trap("The realm has no class '\(info.name)'.")
        }
        return context
    }

    /// The context of dynamic objects of a table.
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

    /// The context of dynamic objects of the class of a name, which the realm has or the program declares; nil if neither does.
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

    /// Takes over the tables that were added since.
    func updateCatalog() { if migration == nil { catalog = store.catalog } }

    /// Takes over tables that this instance, or a migration, has added to the store, in an open transaction too.
    func adopt(_ catalog: Catalog) {
        self.catalog = catalog
        transaction?.catalog = catalog
    }

    /// Runs a body with the open transaction, without counting references to it.
    @inline(__always)
    func withOpenTransaction<Result>(_ body: (WriteTransaction) -> Result) -> Result {
        Unmanaged.passUnretained(transaction.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
    }

    /// Makes a transaction the open one, or none. The caller holds the owner of the instance.
    func setTransaction(_ transaction: WriteTransaction?) {
        lastAdder = nil
        self.transaction = transaction
        writingHolder = transaction == nil ? nil : instanceOwner
        if transaction == nil { reader[ReaderState.root] = pinnedRoot }
        reader[ReaderState.writer] = transaction?.memory.id ?? 0
        advanceGeneration()
    }

    /// Allows or forbids direct stores in the open transaction, depending on whether its changes are noted row by row.
    func updateDirectStores() {
        guard let transaction else { return }
        let isAllowed = transaction.rowLog == nil
        reader[ReaderState.writer] = isAllowed ? transaction.memory.id : 0
        // Accessors remember whether they may store directly as long as addresses hold.
        if !isAllowed { advanceGeneration() }
    }

    /// Called when a row begins to be observed: its accessors have to ask again whether they may store directly.
    func noteObservedRow() { if reader[ReaderState.writer] != 0 { advanceGeneration() } }

    /// The number of the open transaction if values of a row may be stored directly, else 0. Good for this generation.
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

    /// Ends the read transaction: every accessor and collection of this instance becomes invalid for good.
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
