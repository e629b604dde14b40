/// A result that is computed from the elements of a query, kept up to date from change sets. No element is stored unless the query
/// has a source or steps that need it, so that the result of a filtered class takes no memory that grows with the class.
///
///     source ──► predicate ──► [ distinct ──► … ] ──► fold
///
/// If the query has a window, the elements are those of a ``MaintainedView``, and all in the window are folded again after a change.
///
/// An update passes the elements that a change removes or touches to the fold within the old snapshot, to be removed, and those
/// that it inserts or touches within the new one. If too many elements are touched, the query is evaluated again.
///
/// Not thread-safe; belongs to its observer. Snapshots are only used during calls.
package final class MaintainedFold {
    private var selection: ElementSelection
    private let fold: any ElementFold
    /// The view of a query with a window.
    private let view: MaintainedView?

    /// Evaluates a query in a snapshot. O(n), plus the cost of the fold.
    ///
    /// - Parameter dependencies: the dependencies of the query and of the values that the fold reads.
    package init(
        _ query: RowQuery, into fold: any ElementFold, _ snapshot: Snapshot, _ catalog: Catalog,
        _ dependencies: Dependencies
    ) {
        selection = ElementSelection(
            query, dependencies, furtherDependencies: nil, wholesaleShare: fold.wholesaleShare)
        self.fold = fold
        view =
            query.window == nil
            ? nil
            : MaintainedView(
                query, snapshot, catalog, dependencies, sections: nil, isRead: fold.readsValues)
        selection.exchangesRetained = fold.readsValues || query.isDistinct
        if let view { foldAll(of: view, snapshot) } else { evaluate(snapshot, catalog) }
    }

    private func foldAll(of view: MaintainedView, _ snapshot: Snapshot) {
        fold.removeAll()
        fold.insert(view.tokens, view.elements, snapshot)
        fold.endChange(view.elements, snapshot)
    }

    private func evaluate(_ snapshot: Snapshot, _ catalog: Catalog) {
        if fold.scanTable(selection.query, snapshot, catalog) { return }
        let tokens = selection.evaluate(snapshot, catalog).tokens
        fold.removeAll()
        fold.insert(tokens, selection.elements, snapshot)
        fold.endChange(selection.elements, snapshot)
        selection.beginFollowing()
    }

    /// Applies the changes since a snapshot. Views that are notified of the same changes share the traversals.
    package func update(_ traversals: ChangeTraversals, old: Snapshot) {
        let new = traversals.snapshot
        if let view {
            let change = view.change(traversals, old)
            if case .none = change { return }
            _ = view.apply(change, traversals, old: old)
            return foldAll(of: view, new)
        }
        switch selection.change(traversals, old) {
        case .none: return
        case .wholesale, .values: evaluate(new, traversals.catalog)
        case .elements(let removals, let insertions):
            remove(removals, old)
            insert(insertions, new)
        case .occurrences(let index, let edit):
            remove(edit.viewRemovals, old)
            insert(edit.retained + edit.apply(to: index), new)
        }
    }

    private func remove(_ removals: [Int64], _ old: Snapshot) {
        fold.remove(selection.remove(removals, old), selection.elements, old)
    }

    private func insert(_ insertions: [Int64], _ new: Snapshot) {
        let (removals, insertions) = selection.insert(insertions, new)
        fold.remove(removals, selection.elements, new)
        fold.insert(insertions, selection.elements, new)
        fold.endChange(selection.elements, new)
    }

    /// Returns whether changes since a snapshot may affect the result, which must still be at that snapshot. The cost depends on
    /// the changes.
    package func mayChange(_ traversals: ChangeTraversals, old: Snapshot) -> Bool {
        if let view { return view.mayChange(traversals, old: old) }
        return if case .none = selection.change(traversals, old) { false } else { true }
    }
}

/// A computation on elements that are removed and inserted, each within a snapshot in which it is selected.
package protocol ElementFold: AnyObject {
    /// The query is evaluated again if a change touches more than one in so many of the elements.
    var wholesaleShare: Int { get }
    /// Whether a change of an element that is selected before and after it can change the result.
    var readsValues: Bool { get }
    /// Folds the rows of a table that a query selects, if that is faster than inserting them. Returns false if it is not.
    func scan(_ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog) -> Bool
    /// Removes all elements.
    func removeAll()
    /// Removes elements, reading their values in a snapshot.
    func remove(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot)
    /// Inserts elements, reading their values in a snapshot.
    func insert(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot)
    /// Completes a change. The remaining elements are those of the snapshot.
    func endChange(_ elements: Elements, _ snapshot: Snapshot)
}

extension ElementFold {
    package var readsValues: Bool { true }
    package func scan(_ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog) -> Bool { false }
    package func endChange(_ elements: Elements, _ snapshot: Snapshot) {}
}

extension ElementFold {
    /// Folds the elements of a query of a table that needs no elements to be stored. Returns false for another query, or if the fold
    /// does not scan.
    fileprivate func scanTable(_ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog) -> Bool {
        guard case .table = query.source, !query.selectsByOrder else { return false }
        return scan(query, snapshot, catalog)
    }

    /// Folds the elements of a query in a snapshot. O(n), plus the cost of the fold.
    package func evaluate(_ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog) {
        if scanTable(query, snapshot, catalog) { return }
        let (elements, tokens) =
            query.selectsByOrder ? query.arranged(snapshot, catalog) : query.candidates(snapshot, catalog)
        removeAll()
        insert(tokens, elements, snapshot)
        endChange(elements, snapshot)
    }
}

/// A fold with one result.
package protocol NumberFold: ElementFold {
    /// The result; null if there is none.
    var result: Cell { get }
}
