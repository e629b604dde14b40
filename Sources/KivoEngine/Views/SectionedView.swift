/// A ``MaintainedView`` whose elements are in sections: groups of equal keys, in the order of their first elements.
///
/// Sections are known by numbers, which whoever knows the keys gives out: as small as can be, and one to each key for as
/// long as there are elements with it. The number of an element is asked for when the element comes, and again when the
/// element, or what its section depends on, changes.
///
/// Not thread-safe; belongs to its observer. Snapshots are only used during calls.
public final class SectionedView {
    private let view: MaintainedView
    private let stage: SectionStage

    /// The result of a query in a snapshot, in sections. O(n), and what sorting costs.
    ///
    /// - Parameters:
    ///   - dependencies: what the query depends on.
    ///   - sectionDependencies: what else the section of an element depends on; nil if nothing.
    ///   - number: the number of the section that an element belongs to: given an object, or the position of a plain value
    ///     in the source, as they are now.
    public init(
        _ query: RowQuery, _ snapshot: Snapshot, _ catalog: Catalog, _ dependencies: Dependencies,
        sectionDependencies: Dependencies?, number: @escaping (ObjectKey) -> Int
    ) {
        stage = SectionStage(dependencies: sectionDependencies, number: number)
        view = MaintainedView(query, snapshot, catalog, dependencies, sections: stage)
    }

    // MARK: Reading

    /// The number of sections. O(1).
    public var sectionCount: Int { stage.sectionCount }

    /// The number of rows in all sections. O(1).
    public var count: Int { view.count }

    /// The number of the section at an index. O(log n).
    public func number(at section: Int) -> Int { stage.number(at: section) }

    /// How many rows the section of a number has: 0 if there is none. O(1).
    public func count(ofNumber number: Int) -> Int { stage.count(ofNumber: number) }

    /// The object of a row of the section of a number; of plain values, its position in the source. O(log n).
    public func key(ofNumber number: Int, row: Int) -> ObjectKey {
        view.elements.answer(stage.token(ofNumber: number, row: row))
    }

    /// The index of the section of a number, in the snapshot that the view is at; nil if there is none. O(log n).
    public func section(ofNumber number: Int, _ snapshot: Snapshot) -> Int? {
        stage.section(ofNumber: number, view.elements, snapshot)
    }

    /// Calls `body` with each object, in no order of sections, until it returns false. O(n).
    public func forEachKeyWhile(_ body: (ObjectKey) -> Bool) { view.forEachKeyWhile(body) }

    /// Calls `body` with the places at which an object is, in the snapshot that the view is at, in no order. O(log n) each.
    public func forEachPlace(
        of key: ObjectKey, _ snapshot: Snapshot, _ body: (SectionedChange.Place) -> Void
    ) {
        view.forEachToken(of: key) { stage.forEachPlace(of: $0, view.elements, snapshot, body) }
    }

    /// Whether an object is in the section of a number, or in any. O(1) for each time that it is there.
    public func contains(_ key: ObjectKey, in number: Int?) -> Bool {
        var isThere = false
        view.forEachToken(of: key) { token in
            if let found = stage.number(of: token), number == nil || number == found { isThere = true }
        }
        return isThere
    }

    // MARK: Following changes

    /// Whether changes after a snapshot, at which the view still is, may concern the sections and the order of rows. What asking
    /// costs follows from the changes.
    ///
    /// - Parameter concerns: whether it concerns who asks that an element which was in the section of a number, or in none, is
    ///   what is given afterwards, or in no section; and whether its place within the section may be another.
    public func mayChange(
        _ walks: ChangeWalks, old: Snapshot,
        _ concerns: (_ before: Int?, _ after: ObjectKey?, _ isMoved: Bool) -> Bool
    ) -> Bool {
        let (before, after): ([Int64: Int], [Int64: Int])
        switch view.sourceChange(walks, old) {
        case .none: return false
        case .elements(let leaving, let coming) where !view.isGrouped:
            (before, after) = (SectionedView.counted(leaving), SectionedView.counted(coming))
        case .occurrences(_, let edit) where !view.isGrouped && edit.isOfStayingOnly:
            (before, after) = (SectionedView.counted(edit.leaving), SectionedView.counted(edit.staying))
        case .elements, .occurrences, .wholesale, .values: return true
        }
        let keys = before.keys.map(view.elements.answer)
        let moved =
            view.isInSourceOrder
            ? [] : Set(walks.rows(view.dependencies, among: keys.count) { _ = keys.allSatisfy($0) })
        return before.contains { token, count in
            let key = view.elements.answer(token)
            let isMoved = after[token] != count || moved.contains(key)
            return concerns(stage.number(of: token), after[token] == nil ? nil : key, isMoved)
        }
            || after.keys.contains { token in
                before[token] == nil && concerns(nil, view.elements.answer(token), true)
            }
    }

    private static func counted(_ tokens: [Int64]) -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for token in tokens { counts[token, default: 0] += 1 }
        return counts
    }

    /// Takes in what happened after a snapshot. Views that are told of the same changes share the walks.
    ///
    /// - Returns: how the sections differ, and the numbers of those that are gone, which can be given out again.
    public func update(
        _ walks: ChangeWalks, old: Snapshot
    ) -> (change: SectionedChange, vanished: [Int]) {
        _ = view.update(walks, old: old)
        return stage.takeChange()
    }

    /// Checks that the sections are what grouping a fresh evaluation gives. O(n log n); debug builds only.
    public func checkInvariants(_ snapshot: Snapshot, _ catalog: Catalog) {
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
