/// The sections of a view: its elements in groups of equal keys. The groups are in the order of their first elements.
///
/// Sections are identified by numbers, which the caller assigns to keys. Two trees hold the positions:
///
///     firsts    the first element of each section, in the order of the view          section ⇄ index
///     rows      all elements by section number, within one in the order of the view  row ⇄ index
///
/// Therefore the cost does not depend on how the elements of a section are scattered in the view, nor on the size of sections. A
/// change is applied as in the view itself: elements are removed within the old snapshot and inserted within the
/// new one. ``EditScript`` then determines which sections, and which of their rows, stayed in place.
final class SectionStage {
    /// The current section number of an element. The argument is a result of ``Elements/result(_:)``.
    private let numberOf: (ObjectKey) -> Int
    /// The dependencies of an element's section, beyond those of the query.
    let dependencies: Dependencies?
    private var order = ElementOrder([])
    private var rows = OrderTree()
    private var firsts = OrderTree()
    private var numbers = TokenNumbers()
    /// The number of rows by section number.
    private var counts = SectionCounts()

    /// The edit of a section that a change touches.
    private struct SectionEdit {
        var oldCount: Int
        var removed: [PositionedKey] = []
        var inserted: [PositionedKey] = []

        /// Returns how the rows of the section changed.
        func change() -> ViewChange {
            EditScript(removed: removed, inserted: inserted, oldCount: oldCount).change()
        }
    }

    private var edits: [Int: SectionEdit] = [:]
    /// The sections that the change touches, by their old position.
    private var removedFirsts: [PositionedKey] = []
    private var oldSectionCount = 0
    /// The difference of the sections since the last call of ``takeChange()``.
    var change = SectionedChange()
    /// The numbers of sections that became empty since the last call of ``takeChange()``.
    var emptied: [Int] = []

    init(dependencies: Dependencies?, number: @escaping (ObjectKey) -> Int) {
        self.dependencies = dependencies
        numberOf = number
    }

    /// Groups all elements of a view into sections. The entries are in the order of the view.
    func build(_ entries: [ElementOrder.Ranked], _ order: ElementOrder, _ elements: Elements) {
        self.order = order
        rows = OrderTree()
        firsts = OrderTree()
        numbers = TokenNumbers()
        counts = SectionCounts()
        var firstEntries: [ElementOrder.Ranked] = []
        var sections: [Int] = []
        sections.reserveCapacity(entries.count)
        for entry in entries {
            let number = numberOf(elements.result(entry.token))
            if counts[number] == 0 { firstEntries.append(entry) }
            counts.add(1, to: number)
            numbers.set(entry.token, to: number)
            sections.append(number)
        }
        firsts.fill(firstEntries)
        rows.fill(SectionStage.grouped(entries, by: sections, counts))
        oldSectionCount = firsts.count
    }

    /// Returns the elements sorted by section number; within a section they keep their order.
    private static func grouped(
        _ entries: [ElementOrder.Ranked], by sections: [Int], _ counts: SectionCounts
    ) -> [ElementOrder.Ranked] {
        var indexes: [Int: Int] = [:]
        var grouped = entries
        for (entry, number) in zip(entries, sections) {
            let index = indexes[number] ?? counts.start(of: number)
            grouped[index] = entry
            indexes[number] = index + 1
        }
        return grouped
    }

    /// Returns the number of an element's section, computed again.
    func currentNumber(_ key: ObjectKey) -> Int { numberOf(key) }

    // MARK: Reading

    /// The number of sections. O(1).
    var sectionCount: Int { firsts.count }

    /// Returns the number of the section at an index. O(log n).
    func number(at section: Int) -> Int { numbers[firsts[section].token]! }

    /// Returns the number of the section that contains a token, or nil if no section does. O(1).
    func number(of token: Int64) -> Int? { numbers[token] }

    /// Returns the number of rows of the section with a number. O(1).
    func count(ofNumber number: Int) -> Int { counts[number] }

    /// Returns the token of a row in the section with a number. O(log n).
    func token(ofNumber number: Int, row: Int) -> Int64 { rows[start(of: number) + row].token }

    /// Calls `body` with each token of the section with a number, in order. O(rows · log n).
    func forEachToken(ofNumber number: Int, _ body: (Int64) -> Void) {
        let start = start(of: number)
        for row in 0..<count(ofNumber: number) { body(rows[start + row].token) }
    }

    /// Returns the index of the section with a number, or nil if it has no rows. O(log n).
    func section(ofNumber number: Int, _ elements: Elements, _ snapshot: Snapshot) -> Int? {
        guard count(ofNumber: number) > 0 else { return nil }
        return positionedSection(number, elements, snapshot).position
    }

    /// Calls `body` with each position of a token. O(log n) each.
    func forEachPosition(
        of token: Int64, _ elements: Elements, _ snapshot: Snapshot,
        _ body: (SectionedChange.Position) -> Void
    ) {
        guard let number = numbers[token] else { return }
        let section = positionedSection(number, elements, snapshot).position
        let start = start(of: number)
        var position = position(of: token, number, elements, snapshot)
        while position < rows.count, rows[position].token == token {
            body(SectionedChange.Position(section: section, row: position - start))
            position += 1
        }
    }

    private func start(of number: Int) -> Int { counts.start(of: number) }

    /// Returns the position of the section with a number. The section must have rows.
    private func positionedSection(
        _ number: Int, _ elements: Elements, _ snapshot: Snapshot
    ) -> PositionedKey {
        let first = rows[start(of: number)]
        let position = firsts.partitionPoint { order.compare($0, first, elements, snapshot) < 0 }
        precondition(firsts[position].token == first.token, "a section is not where it belongs")
        return PositionedKey(position: position, key: Int64(number))
    }

    /// Returns the position of the first of equal tokens in the tree of rows, or where it belongs. With `isAfter`, returns the
    /// position after the last of them.
    private func position(
        of token: Int64, _ number: Int, _ elements: Elements, _ snapshot: Snapshot, isAfter: Bool = false
    ) -> Int {
        let entry = order.ranked(token, elements, snapshot)
        let start = start(of: number)
        return rows.partitionPoint(in: start..<start + counts[number]) { other in
            let result = order.compare(other, entry, elements, snapshot)
            return result < 0 || (isAfter && result == 0)
        }
    }

    // MARK: Following changes

    /// Removes elements, comparing within a snapshot.
    func remove(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        if tokens.isEmpty { return }
        let numbered = tokens.map { (number: numbers[$0]!, token: $0) }
        touch(numbered.map { $0.number }, elements, snapshot)
        var removals = numbered.map { number, token in
            let position = position(of: token, number, elements, snapshot)
            precondition(rows[position].token == token, "an element is not where it belongs")
            return (number: number, element: PositionedToken(position: position, token: token))
        }
        removals.sort { $0.element.position < $1.element.position }
        // If an origin refers to its target several times, its occurrences are adjacent.
        for index in removals.indices.dropFirst()
        where removals[index].element.position <= removals[index - 1].element.position {
            removals[index].element.position = removals[index - 1].element.position + 1
        }
        var removed: [Int: [PositionedKey]] = [:]
        var (last, start): (Int?, Int) = (nil, 0)
        for (number, element) in removals {
            if number != last { (last, start) = (number, self.start(of: number)) }
            removed[number, default: []].append(
                PositionedKey(position: element.position - start, key: elements.key(element.token)))
        }
        for (number, element) in removals.reversed() {
            rows.remove(at: element.position)
            numbers.remove(element.token)
            counts.add(-1, to: number)
        }
        for (number, rows) in removed {
            edits[number]!.removed = EditScript.merge(edits[number]!.removed, rows)
        }
    }

    /// Removes sections from the order of sections until the change is complete. Sections that are already removed are skipped.
    private func touch(_ sections: [Int], _ elements: Elements, _ snapshot: Snapshot) {
        var removed: [PositionedKey] = []
        for number in sections where edits[number] == nil {
            edits[number] = SectionEdit(oldCount: counts[number])
            if counts[number] > 0 { removed.append(positionedSection(number, elements, snapshot)) }
        }
        if removed.isEmpty { return }
        removed.sort { $0.position < $1.position }
        for section in removed.reversed() { firsts.remove(at: section.position) }
        removedFirsts = EditScript.merge(removedFirsts, removed)
    }

    /// Inserts elements, each into its current section, and completes the change.
    func insert(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        var insertions = tokens.map { token in
            let number = numberOf(elements.result(token))
            return (number: number, entry: order.ranked(token, elements, snapshot))
        }
        touch(insertions.map { $0.number }, elements, snapshot)
        insertions.sort { a, b in
            if a.number != b.number { return a.number < b.number }
            return order.compare(a.entry, b.entry, elements, snapshot) < 0
        }
        var (last, start): (Int?, Int) = (nil, 0)
        for (number, entry) in insertions {
            if number != last { (last, start) = (number, self.start(of: number)) }
            let token = entry.token
            // Later entries are inserted after this one, so its position is final.
            let position = position(of: token, number, elements, snapshot, isAfter: true)
            rows.insert(entry, at: position)
            counts.add(1, to: number)
            numbers.set(token, to: number)
            edits[number]!.inserted.append(
                PositionedKey(position: position - start, key: elements.key(token)))
        }
        finish(elements, snapshot)
    }

    private func finish(_ elements: Elements, _ snapshot: Snapshot) {
        let present = edits.keys.filter { counts[$0] > 0 }
        var entries = present.map { rows[start(of: $0)] }
        entries.sort { order.compare($0, $1, elements, snapshot) < 0 }
        var insertedFirsts: [PositionedKey] = []
        for entry in entries {
            let position = order.insert(entry, into: &firsts, elements, snapshot)
            insertedFirsts.append(
                PositionedKey(position: position, key: Int64(numbers[entry.token]!)))
        }
        rows.endEdits()
        firsts.endEdits()
        report(insertedFirsts)
        emptied += edits.keys.filter { counts[$0] == 0 }
        edits = [:]
        removedFirsts = []
        oldSectionCount = firsts.count
    }

    /// Computes the difference of sections and rows.
    private func report(_ insertedFirsts: [PositionedKey]) {
        let sections = EditScript(
            removed: removedFirsts, inserted: insertedFirsts, oldCount: oldSectionCount
        ).change()
        change.sectionDeletions = sections.deletions
        change.sectionInsertions = sections.insertions
        let deleted = Set(sections.deletions)
        var newPositions: [ObjectKey: Int] = [:]
        for first in insertedFirsts where newPositions[first.key] == nil {
            newPositions[first.key] = first.position
        }
        for first in removedFirsts where !deleted.contains(first.position) {
            let rows = edits[Int(first.key)]!.change()
            change.deletions += rows.deletions.map { .init(section: first.position, row: $0) }
            change.insertions += rows.insertions.map { .init(section: newPositions[first.key]!, row: $0) }
        }
        for section in sections.insertions { insertAll(of: section, count(ofNumber: number(at: section))) }
        for move in sections.moves where edits[number(at: move.to)]?.change().isEmpty ?? true {
            change.intactMoves[move.from] = move.to
        }
        change.deletions.sort()
        change.insertions.sort()
    }

    /// Reports all rows of a section as inserted.
    func insertAll(of section: Int, _ count: Int) {
        change.insertions += (0..<count).map { .init(section: section, row: $0) }
    }

    /// Reports elements as modified that may have stayed in place.
    func addModifications(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        if tokens.isEmpty { return }
        let inserted = Set(change.insertions)
        var movedSections: Set<Int> = []
        for token in tokens {
            forEachPosition(of: token, elements, snapshot) {
                if inserted.contains($0) {
                    movedSections.insert($0.section)
                } else {
                    change.modifications.append($0)
                }
            }
        }
        change.modifications.sort()
        change.intactMoves = change.intactMoves.filter { !movedSections.contains($0.value) }
    }

    /// Returns the difference of the sections since the last call, and the numbers of sections that became empty. Those numbers
    /// can be assigned again.
    func takeChange() -> (change: SectionedChange, emptied: [Int]) {
        defer { (change, emptied) = (SectionedChange(), []) }
        return (change, emptied.filter { counts[$0] == 0 })
    }
}
