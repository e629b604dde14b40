import KivoEngine

/// What sectioned results are made of: an ordered query, and what the section of an element is; and what was found, once it
/// was needed.
///
/// Confined with its realm instance, which it keeps alive.
final class SectionedState<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    /// The sections of one version, evaluated.
    struct Found {
        var keys = SectionKeys<Key>()
        /// The rows of each section, as ``QueryState/rows`` has them: the numbers of the sections are their indexes.
        var rows: [[ObjectKey]] = []
    }

    /// A frozen realm's sections, which many threads read and nobody changes any more.
    private struct FrozenFound: @unchecked Sendable {
        let found: Found
    }

    let query: QueryState
    private let keys: SectionKeyMaker<Key, Element>
    /// Whether the key of an element is being made.
    @exclusivity(unchecked) private var isMakingKey = false
    private var answer: (stamp: QueryState.Stamp, found: Found)?
    private let frozenAnswer = Lock<FrozenFound?>(nil)
    /// The views of listeners, which are read instead of evaluating.
    var listenedViews = ListenedViews<(view: SectionedView, keys: SectionKeys<Key>)>()
    /// Whether it is noted that somebody reads the sections, and what notes it.
    let isTracked: Bool
    weak var trackedResult: AnyObject?

    init(_ query: QueryState, _ keys: SectionKeyMaker<Key, Element>) {
        (self.query, self.keys) = (query, keys)
        isTracked = query.isTracked
    }

    /// Whether the key is one that the query sorts by: then nothing else counts for it.
    var isSortKey: Bool { keys.isSortKey }

    /// The key of the section that an element belongs to. The app's code runs, which can only read, and not these sections.
    func key(of element: Element) -> Key {
        if instance.isFrozen { return keys.make(element) }
        let isInside = isMakingKey
        isMakingKey = true
        defer { isMakingKey = isInside }
        return instance.makingKey { keys.make(element) }
    }

    var instance: RealmInstance { query.instance }

    /// The same sections in another instance of the realm.
    func moved(to instanceOwner: InstanceOwner) -> SectionedState {
        instanceOwner.instance === instance ? self : handedOver(instanceOwner.instance)
    }

    /// Makes the same sections in another instance of the realm, without keeping this one. Traps if the block that makes the
    /// keys has to stay where it is.
    var handedOver: (RealmInstance) -> SectionedState {
        if !keys.isSendable {
            trap(
                """
                Sections whose keys are made by a block that is not '@Sendable' stay on the thread, queue or actor of their \
                realm: elsewhere the block would run there. Make it '@Sendable', or section by a key path.
                """)
        }
        let (query, keys) = (query.handedOver, keys)
        return { SectionedState(query($0), keys) }
    }

    /// The elements that the query finds.
    var results: Results<Element> { Results(query) }

    // MARK: What is found

    private enum Current {
        case view(SectionedView, SectionKeys<Key>)
        case found(Found)
    }

    private var current: Current {
        instance.checkConfinement { "sectioned results" }
        if instance.isFrozen { return .found(frozenFound) }
        if isMakingKey {
            trap("Sections are read inside of the block that makes their keys, before there are any.")
        }
        if isTracked { noteTrackedRead() }
        if let (view, keys) = listenedView { return .view(view, keys) }
        let stamp = query.stamp
        if let answer, answer.stamp == stamp { return .found(answer.found) }
        // What the keys are made of is noted as a whole.
        let found = isTracked ? ReadProbe.withoutNoting { evaluate() } : evaluate()
        // Reading may have begun a read transaction.
        answer = (query.stamp, found)
        return .found(found)
    }

    private var listenedView: (view: SectionedView, keys: SectionKeys<Key>)? {
        if listenedViews.isEmpty || instance.hasUncommittedChanges || query.isSourceGone { return nil }
        // The app's code makes keys, and may observe these sections meanwhile.
        let views = listenedViews
        if let view = views.current() { return view }
        listenedViews.dropGone()
        return nil
    }

    private var frozenFound: Found {
        if let known = frozenAnswer.withLock({ $0 }) { return known.found }
        let found = FrozenFound(found: evaluate())
        frozenAnswer.withLock { $0 = found }
        return found.found
    }

    private func evaluate() -> Found {
        var found = Found()
        let results = results
        for row in query.rows {
            let number = found.keys.number(key(of: results.element(row)))
            if number == found.rows.count { found.rows.append([]) }
            found.rows[number].append(row)
        }
        return found
    }

    // MARK: Reading

    var sectionCount: Int {
        switch current {
        case .view(let view, _): view.sectionCount
        case .found(let found): found.rows.count
        }
    }

    /// The key of the section at an index. Traps if there is none.
    func key(at section: Int) -> Key {
        let current = current
        let count =
            switch current {
            case .view(let view, _): view.sectionCount
            case .found(let found): found.rows.count
            }
        if section < 0 || section >= count {
            trap("Index \(section) is outside of sectioned results of \(count) sections.")
        }
        return switch current {
        case .view(let view, let keys): keys[view.number(at: section)]
        case .found(let found): found.keys[section]
        }
    }

    var allKeys: [Key] {
        switch current {
        case .view(let view, let keys): (0..<view.sectionCount).map { keys[view.number(at: $0)] }
        case .found(let found): found.rows.indices.map { found.keys[$0] }
        }
    }

    /// The number of rows of the section of a key; nil if there is none.
    func count(of key: Key) -> Int? {
        switch current {
        case .view(let view, let keys): keys.known(key).map { view.count(ofNumber: $0) }
        case .found(let found): found.keys.known(key).map { found.rows[$0].count }
        }
    }

    /// The row at an index of the section of a key. Traps if there is none.
    func row(of key: Key, at row: Int) -> ObjectKey {
        let current = current
        let (number, count) =
            switch current {
            case .view(let view, let keys): keys.known(key).map { ($0, view.count(ofNumber: $0)) } ?? (0, 0)
            case .found(let found): found.keys.known(key).map { ($0, found.rows[$0].count) } ?? (0, 0)
            }
        if row < 0 || row >= count {
            trap("Index \(row) is outside of section '\(key)' of \(count) elements.")
        }
        return switch current {
        case .view(let view, _): view.key(ofNumber: number, row: row)
        case .found(let found): found.rows[number][row]
        }
    }

    /// All rows of the section of a key.
    func rows(of key: Key) -> [ObjectKey] {
        switch current {
        case .view(let view, let keys):
            keys.known(key).map { number in
                (0..<view.count(ofNumber: number)).map { view.key(ofNumber: number, row: $0) }
            } ?? []
        case .found(let found): found.keys.known(key).map { found.rows[$0] } ?? []
        }
    }
}
