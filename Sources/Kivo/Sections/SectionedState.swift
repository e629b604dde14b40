import KivoEngine
import KivoObserving

/// The state of sectioned results: an ordered query, the function that returns the key of an element, and the cached sections.
///
/// Confined with its realm instance, which it retains.
final class SectionedState<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    /// The evaluated sections of one version.
    struct Evaluation {
        var keys = SectionKeys<Key>()
        /// The rows of each section, as in ``QueryState/rows``. A section's number is its index.
        var rows: [[ObjectKey]] = []
    }

    /// A frozen realm's sections, which many threads read and none changes.
    private struct FrozenEvaluation: @unchecked Sendable {
        let evaluation: Evaluation
    }

    let query: QueryState
    private let keys: SectionKeyMaker<Key, Element>
    /// Whether the key of an element is being computed.
    @exclusivity(unchecked) private var isMakingKey = false
    private var answer: (stamp: QueryState.Stamp, sections: Evaluation)?
    private let frozenAnswer = Lock<FrozenEvaluation?>(nil)
    /// The views of listeners, which are read instead of an evaluation.
    var listenedViews = ListenedViews<(view: SectionedView, keys: SectionKeys<Key>)>()
    /// Whether reads of the sections are recorded for observation tracking. `trackedResult` is the recorder.
    let isTracked: Bool
    weak var trackedResult: AnyObject?

    init(_ query: QueryState, _ keys: SectionKeyMaker<Key, Element>) {
        (self.query, self.keys) = (query, keys)
        isTracked = query.isTracked
    }

    /// Whether the query sorts by the key: then the key depends on nothing else.
    var isSortKey: Bool { keys.isSortKey }

    /// Returns the key of an element's section. Runs the app's code, which can only read, and cannot read these sections.
    func key(of element: Element) -> Key {
        if instance.isFrozen { return keys.make(element) }
        let isInside = isMakingKey
        isMakingKey = true
        defer { isMakingKey = isInside }
        return instance.makingKey { keys.make(element) }
    }

    var instance: RealmInstance { query.instance }

    /// Returns the same sections in another instance of the realm: a frozen one, or the one where this code runs.
    ///
    /// If the block that returns the keys is not `@Sendable`, it runs only in its own context: frozen sections are evaluated at
    /// once, and thawing them elsewhere traps.
    func moved(to instanceOwner: InstanceOwner) -> SectionedState {
        let other = instanceOwner.instance
        if other === instance { return self }
        guard let home = keys.home else { return handedOver(other) }
        if !other.isFrozen, other.confinement != home { trapStaying() }
        let moved = SectionedState(query.handedOver(other), keys)
        if other.isFrozen { _ = moved.frozenEvaluation }
        return moved
    }

    /// A closure that creates the same sections in another instance of the realm, without retaining this one. Traps if the block
    /// that returns the keys is not `@Sendable`.
    var handedOver: (RealmInstance) -> SectionedState {
        if keys.home != nil { trapStaying() }
        let (query, keys) = (query.handedOver, keys)
        return { SectionedState(query($0), keys) }
    }

    private func trapStaying() -> Never {
        trap(
            """
            Sections whose keys are made by a block that is not '@Sendable' stay on the thread, queue or actor of their \
            realm: elsewhere the block would run there. Make it '@Sendable', or section by a key path.
            """)
    }

    /// The elements that the query finds.
    var results: Results<Element> { Results(query) }

    // MARK: Evaluation

    private enum Current {
        case view(SectionedView, SectionKeys<Key>)
        case evaluated(Evaluation)
    }

    private var current: Current {
        instance.checkConfinement { "sectioned results" }
        if instance.isFrozen { return .evaluated(frozenEvaluation) }
        if isMakingKey {
            trap("Sections are read inside of the block that makes their keys, before there are any.")
        }
        if isTracked { noteTrackedRead() }
        if let (view, keys) = listenedView { return .view(view, keys) }
        let stamp = query.stamp
        if let answer, answer.stamp == stamp { return .evaluated(answer.sections) }
        // The read of the sections is already recorded as a whole, so that reads by the key block are not recorded.
        let sections = isTracked ? ReadProbe.withoutNoting { evaluate() } : evaluate()
        // Reading may have begun a read transaction, so that the stamp is read again.
        answer = (query.stamp, sections)
        return .evaluated(sections)
    }

    private var listenedView: (view: SectionedView, keys: SectionKeys<Key>)? {
        if listenedViews.isEmpty || instance.hasUncommittedChanges || query.isSourceGone { return nil }
        // The app's code computes keys, and could observe these sections meanwhile: iterate over a copy.
        let views = listenedViews
        if let view = views.current() { return view }
        listenedViews.dropGone()
        return nil
    }

    private var frozenEvaluation: Evaluation {
        if let known = frozenAnswer.withLock({ $0 }) { return known.evaluation }
        let frozen = FrozenEvaluation(evaluation: evaluate())
        frozenAnswer.withLock { $0 = frozen }
        return frozen.evaluation
    }

    private func evaluate() -> Evaluation {
        var sections = Evaluation()
        let results = results
        for row in query.rows {
            let number = sections.keys.number(key(of: results.element(row)))
            if number == sections.rows.count { sections.rows.append([]) }
            sections.rows[number].append(row)
        }
        return sections
    }

    // MARK: Reading

    var sectionCount: Int {
        switch current {
        case .view(let view, _): view.sectionCount
        case .evaluated(let sections): sections.rows.count
        }
    }

    /// Returns the key of the section at an index. Traps if the index is out of range.
    func key(at section: Int) -> Key {
        let current = current
        let count =
            switch current {
            case .view(let view, _): view.sectionCount
            case .evaluated(let sections): sections.rows.count
            }
        if section < 0 || section >= count {
            trap("Index \(section) is outside of sectioned results of \(count) sections.")
        }
        return switch current {
        case .view(let view, let keys): keys[view.number(at: section)]
        case .evaluated(let sections): sections.keys[section]
        }
    }

    var allKeys: [Key] {
        switch current {
        case .view(let view, let keys): (0..<view.sectionCount).map { keys[view.number(at: $0)] }
        case .evaluated(let sections): sections.rows.indices.map { sections.keys[$0] }
        }
    }

    /// Returns the number of rows of a key's section, or nil if there is none.
    func count(of key: Key) -> Int? {
        switch current {
        case .view(let view, let keys): keys.known(key).map { view.count(ofNumber: $0) }
        case .evaluated(let sections): sections.keys.known(key).map { sections.rows[$0].count }
        }
    }

    /// Returns the index of a key's section, or nil if there is none.
    func index(of key: Key) -> Int? {
        switch current {
        case .view(let view, let keys):
            keys.known(key).flatMap { view.section(ofNumber: $0, instance.snapshot) }
        case .evaluated(let sections): sections.keys.known(key)
        }
    }

    /// Returns the row at an index of a key's section. Traps if the index is out of range.
    func row(of key: Key, at row: Int) -> ObjectKey {
        let current = current
        let (number, count) =
            switch current {
            case .view(let view, let keys): keys.known(key).map { ($0, view.count(ofNumber: $0)) } ?? (0, 0)
            case .evaluated(let sections):
                sections.keys.known(key).map { ($0, sections.rows[$0].count) } ?? (0, 0)
            }
        if row < 0 || row >= count {
            trap("Index \(row) is outside of section '\(key)' of \(count) elements.")
        }
        return switch current {
        case .view(let view, _): view.key(ofNumber: number, row: row)
        case .evaluated(let sections): sections.rows[number][row]
        }
    }

    /// Returns all rows of a key's section.
    func rows(of key: Key) -> [ObjectKey] {
        switch current {
        case .view(let view, let keys):
            keys.known(key).map { number in
                (0..<view.count(ofNumber: number)).map { view.key(ofNumber: number, row: $0) }
            } ?? []
        case .evaluated(let sections): sections.keys.known(key).map { sections.rows[$0] } ?? []
        }
    }
}

/// A numbering of the keys of sections. The numbers are small: those of removed sections are reused.
final class SectionKeys<Key: Hashable> {
    /// A key that equals itself even if its value does not: all NaN form one section.
    private struct Identity: Hashable {
        let key: Key

        static func == (a: Identity, b: Identity) -> Bool {
            a.key == b.key || (a.key != a.key && b.key != b.key)
        }

        func hash(into hasher: inout Hasher) { if key == key { hasher.combine(key) } }
    }

    private var keys: [Key?] = []
    private var numbers: [Identity: Int] = [:]
    private var free: [Int] = []

    /// The key of a number that is in use.
    subscript(number: Int) -> Key { keys[number]! }

    /// Returns the number of a key, or nil if there is no section with it.
    func known(_ key: Key) -> Int? { numbers[Identity(key: key)] }

    /// Returns the number of a key; assigns one if the key is new.
    func number(_ key: Key) -> Int {
        let identity = Identity(key: key)
        if let known = numbers[identity] { return known }
        let number = free.popLast() ?? keys.count
        if number == keys.count { keys.append(key) } else { keys[number] = key }
        numbers[identity] = number
        return number
    }

    /// Releases the numbers of removed sections.
    func release(_ vanished: [Int]) {
        for number in vanished {
            guard let key = keys[number] else { continue }
            numbers[Identity(key: key)] = nil
            keys[number] = nil
            free.append(number)
        }
    }
}

/// A function that returns the key of an element's section.
struct SectionKeyMaker<Key, Element> {
    let make: (Element) -> Key
    /// The only context in which the function runs; nil for a key path or a `@Sendable` function, which run anywhere.
    let home: Confinement?
    /// Whether the elements are sorted by the key.
    let isSortKey: Bool

    /// Creates keys from a property.
    init(property make: @escaping (Element) -> Key, isSortKey: Bool) {
        (self.make, self.isSortKey, home) = (make, isSortKey, nil)
    }

    /// Creates keys with a block of the app.
    init(block: @escaping (Element) -> Key, home: Confinement?) {
        (make, isSortKey, self.home) = (block, false, home)
    }
}
