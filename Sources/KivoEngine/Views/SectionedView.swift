/// A ``MaintainedView`` whose elements are in sections: groups of equal keys, in the order of their first elements.
///
/// Sections are identified by numbers, which the caller assigns to keys. Each key has one number for as long as the view contains
/// elements with it; numbers should be as small as possible. The number of an element is read on insertion, and again after a
/// change of the element or of what its section depends on.
///
/// Not thread-safe; belongs to its observer. Snapshots are only used during calls.
package final class SectionedView {
    private let view: MaintainedView
    private let stage: SectionStage

    /// Evaluates a query in a snapshot and groups the result into sections. O(n), plus the cost of sorting.
    ///
    /// - Parameters:
    ///   - dependencies: the query's dependencies.
    ///   - sectionDependencies: further dependencies of an element's section; nil if there are none.
    ///   - number: returns the number of an element's section. The argument is an object or the current position of a plain value
    ///     in the source.
    package init(
        _ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog, _ dependencies: Dependencies,
        sectionDependencies: Dependencies?, number: @escaping (ObjectKey) -> Int
    ) {
        stage = SectionStage(dependencies: sectionDependencies, number: number)
        view = MaintainedView(query, snapshot, catalog, dependencies, sections: stage)
    }

    // MARK: Reading

    /// The number of sections. O(1).
    package var sectionCount: Int { stage.sectionCount }

    /// The number of rows in all sections. O(1).
    package var count: Int { view.count }

    /// Returns the number of the section at an index. O(log n).
    package func number(at section: Int) -> Int { stage.number(at: section) }

    /// Returns the number of rows of the section with a number; 0 if there is no such section. O(1).
    package func count(ofNumber number: Int) -> Int { stage.count(ofNumber: number) }

    /// Returns the object of a row in the section with a number; for plain values, the position in the source. O(log n).
    package func key(ofNumber number: Int, row: Int) -> ObjectKey {
        view.elements.result(stage.token(ofNumber: number, row: row))
    }

    /// Returns the index of the section with a number in the view's current snapshot, or nil if there is none. O(log n).
    package func section(ofNumber number: Int, _ snapshot: Snapshot) -> Int? {
        stage.section(ofNumber: number, view.elements, snapshot)
    }

    /// Calls `body` with each object, not grouped by section, until it returns false. O(n).
    package func forEachKeyWhile(_ body: (ObjectKey) -> Bool) { view.forEachKeyWhile(body) }

    /// Calls `body` with each position of an object in the view's current snapshot, in no particular order. O(log n) each.
    package func forEachPosition(
        of key: ObjectKey, _ snapshot: Snapshot, _ body: (SectionedChange.Position) -> Void
    ) {
        view.forEachToken(of: key) { stage.forEachPosition(of: $0, view.elements, snapshot, body) }
    }

    /// Returns whether an object is in the section with a number, or in any section if `number` is nil. O(1) for each occurrence.
    package func contains(_ key: ObjectKey, in number: Int?) -> Bool {
        var isThere = false
        view.forEachToken(of: key) { token in
            if let other = stage.number(of: token), number == nil || number == other { isThere = true }
        }
        return isThere
    }

    // MARK: Following changes

    /// Returns whether changes since a snapshot may affect the sections or the order of rows. The view must still be at that
    /// snapshot. The cost depends on the changes.
    ///
    /// - Parameter concerns: returns whether a change of one element is relevant to the caller. `before` is the number of its
    ///   former section, or nil. `after` is the object if it is in the view afterwards, or nil. `isMoved` says whether its position
    ///   within the section may have changed.
    package func mayChange(
        _ traversals: ChangeTraversals, old: Snapshot,
        _ concerns: (_ before: Int?, _ after: ObjectKey?, _ isMoved: Bool) -> Bool
    ) -> Bool {
        let (before, after): ([Int64: Int], [Int64: Int])
        switch view.change(traversals, old) {
        case .none: return false
        case .elements(let removals, let insertions) where !view.selection.isGrouped:
            (before, after) = (SectionedView.counted(removals), SectionedView.counted(insertions))
        case .occurrences(_, let edit) where !view.selection.isGrouped && edit.isListUnchanged:
            (before, after) = (SectionedView.counted(edit.viewRemovals), SectionedView.counted(edit.retained))
        case .elements, .occurrences, .wholesale, .values: return true
        }
        let keys = before.keys.map(view.elements.result)
        let moved =
            view.isInSourceOrder
            ? []
            : Set(traversals.rows(view.selection.dependencies, among: keys.count) { _ = keys.allSatisfy($0) })
        return before.contains { token, count in
            let key = view.elements.result(token)
            let isMoved = after[token] != count || moved.contains(key)
            return concerns(stage.number(of: token), after[token] == nil ? nil : key, isMoved)
        }
            || after.keys.contains { token in
                before[token] == nil && concerns(nil, view.elements.result(token), true)
            }
    }

    private static func counted(_ tokens: [Int64]) -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for token in tokens { counts[token, default: 0] += 1 }
        return counts
    }

    /// Applies the changes since a snapshot. Views that are notified of the same changes share the traversals.
    ///
    /// - Returns: the difference of the sections, and the numbers of sections that were removed, which can be assigned again.
    package func update(
        _ traversals: ChangeTraversals, old: Snapshot
    ) -> (change: SectionedChange, emptied: [Int]) {
        _ = view.update(traversals, old: old)
        return stage.takeChange()
    }

    /// Checks that the sections equal a grouping of a fresh evaluation. O(n log n); debug builds only.
    package func checkInvariants(_ snapshot: Snapshot, _ catalog: Catalog) {
        #if DEBUG
        view.checkInvariants(snapshot, catalog)
        var numbers: [Int] = []
        var rows: [Int: [ObjectKey]] = [:]
        for key in view.keys {
            let number = stage.currentNumber(key)
            if rows[number] == nil { numbers.append(number) }
            rows[number, default: []].append(key)
        }
        let contents = stage.contents(view.elements)
        precondition(contents.numbers == numbers, "the sections differ from a fresh evaluation")
        precondition(contents.rows == numbers.map { rows[$0]! }, "rows differ from a fresh evaluation")
        for (section, number) in numbers.enumerated() {
            precondition(
                stage.section(ofNumber: number, view.elements, snapshot) == section,
                "a section is not where it belongs")
        }
        #endif
    }
}
