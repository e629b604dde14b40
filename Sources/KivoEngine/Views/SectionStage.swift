/// The sections of a view: its elements in groups of equal keys, the groups in the order of their first elements.
///
/// Sections have numbers, which whoever knows the keys gives out. Two trees say where everything is:
///
///     firsts    the first element of each section, in the order of the view          section ⇄ index
///     rows      all elements by section number, within one in the order of the view  row ⇄ index
///
/// so that sections whose elements lie scattered in the view cost no more than others, and many small sections no more
/// than a large one. A change is taken in as by the view itself: what leaves is taken out while everything is as it was,
/// what comes is put in when everything is as it will be. Which sections that leaves where they are, and which rows of
/// these, follows by ``EditScript``.
final class SectionStage {
    /// The number of the section that an element belongs to, now. Given what ``Elements/answer(_:)`` returns.
    private let numberOf: (ObjectKey) -> Int
    /// What counts, beyond what the query depends on, for the section that an element belongs to.
    let dependencies: Dependencies?
    private var order = ElementOrder([])
    private var rows = OrderTree()
    private var firsts = OrderTree()
    private var numbers = TokenNumbers()
    /// The number of rows by section number.
    private var counts = SectionCounts()

    /// What happens to a section that a change touches.
    private struct SectionEdit {
        var oldCount: Int
        var removed: [EditScript.Place] = []
        var inserted: [EditScript.Place] = []

        /// What became of its rows.
        func change() -> ViewChange {
            EditScript(removed: removed, inserted: inserted, oldCount: oldCount).change()
        }
    }

    private var edits: [Int: SectionEdit] = [:]
    /// The sections that the change touches, by their place among the old ones.
    private var removedFirsts: [EditScript.Place] = []
    private var oldSectionCount = 0
    /// How the sections differ since the change was last taken.
    var change = SectionedChange()
    /// The numbers of sections that ran empty since then.
    var vanished: [Int] = []

    init(dependencies: Dependencies?, number: @escaping (ObjectKey) -> Int) {
        self.dependencies = dependencies
        numberOf = number
    }

    /// Puts all elements of a view in sections, which come in its order.
    func build(_ entries: [ElementOrder.Ranked], _ order: ElementOrder, _ elements: Elements) {
        self.order = order
        rows = OrderTree()
        firsts = OrderTree()
        numbers = TokenNumbers()
        counts = SectionCounts()
        var found: [ElementOrder.Ranked] = []
        var sections: [Int] = []
        sections.reserveCapacity(entries.count)
        for entry in entries {
            let number = numberOf(elements.answer(entry.token))
            if counts[number] == 0 { found.append(entry) }
            counts.add(1, to: number)
            numbers.set(entry.token, to: number)
            sections.append(number)
        }
        firsts.append(found)
        rows.append(SectionStage.grouped(entries, by: sections, counts))
        oldSectionCount = firsts.count
    }

    /// The elements by section number, within one as they come.
    private static func grouped(
        _ entries: [ElementOrder.Ranked], by sections: [Int], _ counts: SectionCounts
    ) -> [ElementOrder.Ranked] {
        var places: [Int: Int] = [:]
        var grouped = entries
        for (entry, number) in zip(entries, sections) {
            let place = places[number] ?? counts.start(of: number)
            grouped[place] = entry
            places[number] = place + 1
        }
        return grouped
    }

    /// The number of the section that an element belongs to, asked for anew.
    func currentNumber(_ key: ObjectKey) -> Int { numberOf(key) }

    // MARK: Reading

    /// The number of sections. O(1).
    var sectionCount: Int { firsts.count }

    /// The number of the section at an index. O(log n).
    func number(at section: Int) -> Int { numbers[firsts[section].token]! }

    /// The number of the section that a token is in; nil if it is in none. O(1).
    func number(of token: Int64) -> Int? { numbers[token] }

    /// How many rows the section of a number has. O(1).
    func count(ofNumber number: Int) -> Int { counts[number] }

    /// The token of a row of the section of a number. O(log n).
    func token(ofNumber number: Int, row: Int) -> Int64 { rows[start(of: number) + row].token }

    /// Calls `body` with the tokens of a section, in order. O(rows · log n).
    func forEachToken(ofNumber number: Int, _ body: (Int64) -> Void) {
        let start = start(of: number)
        for row in 0..<count(ofNumber: number) { body(rows[start + row].token) }
    }

    /// The index of the section of a number; nil if it has no rows. O(log n).
    func section(ofNumber number: Int, _ elements: Elements, _ snapshot: Snapshot) -> Int? {
        guard count(ofNumber: number) > 0 else { return nil }
        return sectionPlace(number, elements, snapshot).position
    }

    /// Calls `body` with each place of a token. O(log n).
    func forEachPlace(
        of token: Int64, _ elements: Elements, _ snapshot: Snapshot, _ body: (SectionedChange.Place) -> Void
    ) {
        guard let number = numbers[token] else { return }
        let section = sectionPlace(number, elements, snapshot).position
        let start = start(of: number)
        var position = position(of: token, number, elements, snapshot)
        while position < rows.count, rows[position].token == token {
            body(SectionedChange.Place(section: section, row: position - start))
            position += 1
        }
    }

    private func start(of number: Int) -> Int { counts.start(of: number) }

    /// Where the section of a number is, which has rows.
    private func sectionPlace(
        _ number: Int, _ elements: Elements, _ snapshot: Snapshot
    ) -> EditScript.Place {
        let first = rows[start(of: number)]
        let position = firsts.partitionPoint { order.compare($0, first, elements, snapshot) < 0 }
        precondition(firsts[position].token == first.token, "a section is not where it belongs")
        return EditScript.Place(position: position, key: Int64(number))
    }

    /// Where the first of equal tokens is or belongs in the tree of rows, or the place behind the last of them.
    private func position(
        of token: Int64, _ number: Int, _ elements: Elements, _ snapshot: Snapshot, isBehind: Bool = false
    ) -> Int {
        let entry = order.ranked(token, elements, snapshot)
        let start = start(of: number)
        return rows.partitionPoint(in: start..<start + counts[number]) { other in
            let result = order.compare(other, entry, elements, snapshot)
            return result < 0 || (isBehind && result == 0)
        }
    }

    // MARK: Following changes

    /// Takes out elements, within a snapshot.
    func remove(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        if tokens.isEmpty { return }
        let leaving = tokens.map { (number: numbers[$0]!, token: $0) }
        touch(leaving.map { $0.number }, elements, snapshot)
        var places = leaving.map { number, token in
            let position = position(of: token, number, elements, snapshot)
            precondition(rows[position].token == token, "an element is not where it belongs")
            return (number: number, place: PlacedElement(position: position, token: token))
        }
        places.sort { $0.place.position < $1.place.position }
        // An origin that refers to its target several times is there as often, side by side.
        for index in places.indices.dropFirst()
        where places[index].place.position <= places[index - 1].place.position {
            places[index].place.position = places[index - 1].place.position + 1
        }
        var removed: [Int: [EditScript.Place]] = [:]
        var (last, start) = (-1, 0)
        for (number, place) in places {
            if number != last { (last, start) = (number, self.start(of: number)) }
            removed[number, default: []].append(
                EditScript.Place(position: place.position - start, key: elements.key(place.token)))
        }
        for (number, place) in places.reversed() {
            rows.remove(at: place.position)
            numbers.remove(place.token)
            counts.add(-1, to: number)
        }
        for (number, places) in removed {
            edits[number]!.removed = EditScript.merge(edits[number]!.removed, places)
        }
    }

    /// Takes sections out of the order of sections until the change is complete, those that are not out yet.
    private func touch(_ sections: [Int], _ elements: Elements, _ snapshot: Snapshot) {
        var places: [EditScript.Place] = []
        for number in sections where edits[number] == nil {
            edits[number] = SectionEdit(oldCount: counts[number])
            if counts[number] > 0 { places.append(sectionPlace(number, elements, snapshot)) }
        }
        if places.isEmpty { return }
        places.sort { $0.position < $1.position }
        for place in places.reversed() { firsts.remove(at: place.position) }
        removedFirsts = EditScript.merge(removedFirsts, places)
    }

    /// Puts elements in, each into the section that it belongs to now, and completes the change.
    func insert(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        var coming = tokens.map { token in
            let number = numberOf(elements.answer(token))
            return (number: number, entry: order.ranked(token, elements, snapshot))
        }
        touch(coming.map { $0.number }, elements, snapshot)
        coming.sort { a, b in
            if a.number != b.number { return a.number < b.number }
            return order.compare(a.entry, b.entry, elements, snapshot) < 0
        }
        var (last, start) = (-1, 0)
        for (number, entry) in coming {
            if number != last { (last, start) = (number, self.start(of: number)) }
            let token = entry.token
            // What follows is inserted behind, so this position is final.
            let position = position(of: token, number, elements, snapshot, isBehind: true)
            rows.insert(entry, at: position)
            counts.add(1, to: number)
            numbers.set(token, to: number)
            edits[number]!.inserted.append(
                EditScript.Place(position: position - start, key: elements.key(token)))
        }
        finish(elements, snapshot)
    }

    private func finish(_ elements: Elements, _ snapshot: Snapshot) {
        let present = edits.keys.filter { counts[$0] > 0 }
        var entries = present.map { rows[start(of: $0)] }
        entries.sort { order.compare($0, $1, elements, snapshot) < 0 }
        var insertedFirsts: [EditScript.Place] = []
        for entry in entries {
            let position = order.insert(entry, into: &firsts, elements, snapshot)
            insertedFirsts.append(
                EditScript.Place(position: position, key: Int64(numbers[entry.token]!)))
        }
        rows.endEdits()
        firsts.endEdits()
        tell(insertedFirsts)
        vanished += edits.keys.filter { counts[$0] == 0 }
        edits = [:]
        removedFirsts = []
        oldSectionCount = firsts.count
    }

    /// Works out what became of sections and rows.
    private func tell(_ insertedFirsts: [EditScript.Place]) {
        let sections = EditScript(
            removed: removedFirsts, inserted: insertedFirsts, oldCount: oldSectionCount
        ).change()
        change.sectionDeletions = sections.deletions
        change.sectionInsertions = sections.insertions
        let deleted = Set(sections.deletions)
        var now: [ObjectKey: Int] = [:]
        for first in insertedFirsts where now[first.key] == nil { now[first.key] = first.position }
        for first in removedFirsts where !deleted.contains(first.position) {
            let rows = edits[Int(first.key)]!.change()
            change.deletions += rows.deletions.map { .init(section: first.position, row: $0) }
            change.insertions += rows.insertions.map { .init(section: now[first.key]!, row: $0) }
        }
        for section in sections.insertions { insertAll(of: section, count(ofNumber: number(at: section))) }
        for move in sections.moves where edits[number(at: move.to)]?.change().isEmpty ?? true {
            change.intactMoves[move.from] = move.to
        }
        change.deletions.sort()
        change.insertions.sort()
    }

    /// Tells all rows of a section as inserted.
    func insertAll(of section: Int, _ count: Int) {
        change.insertions += (0..<count).map { .init(section: section, row: $0) }
    }

    /// Adds that elements were modified which may have stayed where they are.
    func addModifications(_ tokens: [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        if tokens.isEmpty { return }
        let inserted = Set(change.insertions)
        var movedSections: Set<Int> = []
        for token in tokens {
            forEachPlace(of: token, elements, snapshot) {
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

    /// How the sections differ since this was asked last, and the numbers of those that ran empty, which can be given out
    /// again.
    func takeChange() -> (change: SectionedChange, vanished: [Int]) {
        defer { (change, vanished) = (SectionedChange(), []) }
        return (change, vanished.filter { counts[$0] == 0 })
    }
}
