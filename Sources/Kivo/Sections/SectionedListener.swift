import KivoEngine

/// A listener of sectioned results, or of one section. It maintains them in a ``SectionedView``.
final class SectionedListener<Key: _Persistable & Hashable, Element: RealmCollectionValue>: Listener,
    ViewListener
{
    private let sections: SectionedState<Key, Element>
    /// The key of the observed section; nil for all sections.
    private let section: Key?
    /// The index of the observed section when it was seen last.
    private var seenIndex: Int?
    private let keys = SectionKeys<Key>()
    /// The dependencies of the query's result; below, those of the sections' keys and of modifications.
    private let answer: Dependencies
    private let ofSections: Dependencies?
    private let dependencies: Dependencies
    private let call: (SectionedChange?) -> Void
    var viewProgress = ViewProgress<SectionedView, SectionedChange>.unevaluated

    init(
        _ sections: SectionedState<Key, Element>, only section: Key?, _ filter: KeyPathFilter?,
        _ call: @escaping (SectionedChange?) -> Void
    ) {
        (self.sections, self.section, self.call) = (sections, section, call)
        let (query, filters) = (sections.query, sections.instance.listeners.filters)
        answer = filters.dependencies(query.query, query.instance.catalog)
        dependencies =
            query.elements.map { filters.dependencies(filter, $0.table, query.instance.catalog) }
            ?? Dependencies()
        ofSections =
            sections.isSortKey
            ? nil : query.elements.map { filters.dependencies($0.table, query.instance.catalog) }
        super.init(hasInitial: true)
    }

    var instance: RealmInstance { sections.instance }

    override var aheadVersion: UInt64? { viewProgress.aheadVersion }
    override var subject: String {
        (section == nil ? "sections of " : "a section of ") + sections.query.subject
    }

    override var interest: Interest {
        sections.query.interest([answer, dependencies] + (ofSections.map { [$0] } ?? []))
    }

    /// The closure retains only the registration, which releases the listener, and thus the sections, when it is cancelled. As long as
    /// it has a listener, that is this one or retains it; the block that makes keys can end that.
    override func didRegister(_ registration: Registration) {
        sections.listenedViews.add(registration) { [unowned(unsafe) self] in
            guard let listener = registration.listener else { return nil }
            return withExtendedLifetime(listener) { currentView(registration).map { ($0, keys) } }
        }
    }

    override func callInitial() {
        let (keys, sections, results) = (keys, sections, sections.results)
        let view = SectionedView(
            sections.query.query, instance.snapshot, instance.catalog, answer,
            sectionDependencies: ofSections
        ) { keys.number(sections.key(of: results.element($0))) }
        viewProgress = .seen(view)
        seenIndex = index(view, instance.snapshot)
        noteCall(.initial)
        call(nil)
    }

    override func skip(_ pending: PendingChanges) {
        if follow(pending) != nil, let view = viewProgress.view { seenIndex = index(view, pending.new) }
    }

    override func isAffected(by pending: PendingChanges) -> Bool {
        guard let view = viewProgress.view else { return false }
        if sections.query.isSourceGone { return true }
        let (keys, sections, results) = (keys, sections, sections.results)
        guard let section else {
            return view.mayChange(pending.traversals, old: pending.old) { before, after, isMoved in
                guard let before, let after else { return true }
                return isMoved || keys.known(sections.key(of: results.element(after))) != before
            } || isModified(view, nil, pending)
        }
        let number = keys.known(section)
        let mayChange = view.mayChange(pending.traversals, old: pending.old) { before, after, isMoved in
            let was = before != nil && before == number
            let isThere = after.map { sections.key(of: results.element($0)) == section } ?? false
            return was != isThere || was && isMoved
        }
        if mayChange || number != nil && isModified(view, number, pending) { return true }
        // The other sections may have changed, so that the view must follow.
        skip(pending)
        return false
    }

    /// Whether elements of a section count as modified; without a number, of any section.
    private func isModified(_ view: SectionedView, _ number: Int?, _ pending: PendingChanges) -> Bool {
        sections.query.elements != nil
            && pending.traversals.rows(dependencies, among: view.count) { view.forEachKeyWhile($0) }
                .contains { view.contains($0, in: number) }
    }

    override func deliver(_ pending: PendingChanges) {
        guard var change = follow(pending), let view = viewProgress.view else { return }
        let index = section == nil ? nil : index(view, pending.new)
        if section != nil { change = change.limited(from: seenIndex, to: index) }
        if sections.query.elements != nil {
            let modified = modifications(view, change.insertions, pending)
            change.modifications = section == nil ? modified : modified.filter { $0.section == index }
        }
        seenIndex = index
        if change.isEmpty { return }
        noteCall(ListenerCall.Size(change))
        call(change)
    }

    /// Returns the index of the observed section, or nil if it does not exist.
    private func index(_ view: SectionedView, _ snapshot: Snapshot) -> Int? {
        section.flatMap { keys.known($0) }.flatMap { view.section(ofNumber: $0, snapshot) }
    }

    func update(_ view: SectionedView, _ pending: PendingChanges) -> SectionedChange {
        let (change, emptied) = view.update(pending.traversals, old: pending.old)
        keys.release(emptied)
        #if DEBUG
        if view.count < 1000 { view.checkInvariants(pending.new, instance.catalog) }
        #endif
        return change
    }

    func compose(
        _ first: SectionedChange, _ second: SectionedChange, _ view: SectionedView, _ pending: PendingChanges
    ) -> SectionedChange { first.followed(by: second) }

    /// Returns the positions of remaining elements that count as modified.
    private func modifications(
        _ view: SectionedView, _ insertions: [SectionedChange.Position], _ pending: PendingChanges
    ) -> [SectionedChange.Position] {
        let affected = pending.traversals.rows(dependencies, among: view.count) { view.forEachKeyWhile($0) }
        if affected.isEmpty { return [] }
        var positions: [SectionedChange.Position] = []
        let inserted = Set(insertions)
        for key in affected {
            view.forEachPosition(of: key, pending.new) { if !inserted.contains($0) { positions.append($0) } }
        }
        return positions.sorted()
    }
}

extension SectionedChange {
    /// Returns the part of the change that concerns one section, given its indexes before and after. The part is empty if only
    /// other sections changed positions with it.
    func limited(from old: Int?, to new: Int?) -> SectionedChange {
        var change = SectionedChange()
        if let old, let new {
            change.sectionShift = new - old
            if intactMoves[old] == new { return change }
        }
        change.sectionDeletions = sectionDeletions.filter { $0 == old }
        change.sectionInsertions = sectionInsertions.filter { $0 == new }
        change.deletions = deletions.filter { $0.section == old }
        change.insertions = insertions.filter { $0.section == new }
        change.modifications = modifications.filter { $0.section == new }
        return change
    }
}
