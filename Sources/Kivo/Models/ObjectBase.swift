import KivoEngine

/// The common base of ``Object`` and ``EmbeddedObject``.
///
/// Do not derive from it directly. An instance is *unmanaged* until it is added to a realm; then it is a live
/// accessor of one row, confined to its realm's thread or queue.
open class ObjectBase {
    /// Where the row is, for the property hot path.
    @usableFromInline @exclusivity(unchecked) final var kivoRow = RowReference()
    /// What holds the realm, while managed. Keeps alive what `kivoRow` points to.
    @exclusivity(unchecked) final var kivoAnchor: CoreAnchor?
    /// The key-value observations of this instance, or its recorder if it records.
    @exclusivity(unchecked) final var kivoAttachment: AnyObject?

    /// Makes an unmanaged instance whose properties have their default values.
    public required init() {}

    /// The object in words: `ClassName { … }` with one property per line, linked objects to a limited depth.
    open var description: String { kivoDescription(depth: 0) }

    /// The realm, while managed.
    final var kivoCore: RealmCore? { kivoAnchor?.core }

    /// The class's table in the realm; only while managed. Owned by the realm.
    final var kivoContext: TableContext { kivoRow.context!.takeUnretainedValue() }
}

/// An accessor's cached address of its row.
///
/// Unmanaged while `columns` is nil. The addresses are valid while `generation` equals the first word of `clock`,
/// which the realm counts up whenever a leaf may have moved; the realm keeps clock and snapshot alive, the accessor
/// keeps the realm alive.
@usableFromInline
struct RowReference {
    @usableFromInline var columns: UnsafeMutablePointer<UnsafeMutableRawPointer>?
    @usableFromInline var slot = 0
    @usableFromInline var generation: UInt64 = 0
    @usableFromInline var clock: UnsafeMutablePointer<UInt64>?
    /// 0 for an unmanaged object without observers: the only state in which a plain store is all there is to do.
    @usableFromInline var state: UInt = RowReference.plain
    var key: ObjectKey = 0
    var context: Unmanaged<TableContext>?

    init() {}

    static let plain: UInt = 0
    static let observed: UInt = 1
    static let managed: UInt = 2
    static let recording: UInt = 4
}

extension ObjectBase {
    /// Whether the object lives in a realm (or did, before it was invalidated).
    final var isManaged: Bool { kivoRow.state & RowReference.managed != 0 }

    /// Traps unless the caller may use the object here and now; for assertions, since it costs more than the read.
    @inline(never) @usableFromInline
    final var isConfined: Bool {
        kivoCore?.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        return true
    }

    /// Whether the properties of this instance may keep the collections they hand out: not those of a frozen object,
    /// which is read from many threads, nor those of a recorder.
    @inline(never) @usableFromInline
    final var isKeepingCollections: Bool { isManaged && kivoCore?.isFrozen == false }

    /// Brings the cached addresses up to date; answers whether the object still exists.
    final func locate() -> Bool {
        guard let core = kivoCore else { return false }
        // What is frozen stays where it is, and is read from many threads.
        if core.isFrozen { return true }
        core.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        guard !core.isInvalidated(kivoRow),
            let (leaf, slot) = core.table(kivoContext.table).locate(kivoRow.key)
        else { return false }
        kivoRow.columns = leaf.columns
        kivoRow.slot = slot
        kivoRow.generation = core.clock[Clock.generation]
        return true
    }

    /// As ``locate()``, but traps if the object is gone.
    final func locateOrTrap() {
        if kivoRow.generation == kivoRow.clock?[Clock.generation] { return }
        if !locate() {
            trap(
                """
                An object of class '\(kivoContext.info.name)' has been deleted or its realm was invalidated: \
                check 'isInvalidated' before using it.
                """)
        }
    }

    /// Makes this fresh instance the accessor of a row.
    final func attach(_ context: TableContext, key: ObjectKey, leaf: Leaf, slot: Int) {
        let core = context.core
        context.info.bind(self)
        // What an unmanaged object's observations were, its row's are not.
        kivoAttachment = nil
        kivoAnchor = core.anchor
        kivoRow.key = key
        kivoRow.context = Unmanaged.passUnretained(context)
        kivoRow.clock = core.clock
        kivoRow.columns = leaf.columns
        kivoRow.slot = slot
        kivoRow.generation = core.clock[Clock.generation]
        kivoRow.state = RowReference.managed
    }
}
