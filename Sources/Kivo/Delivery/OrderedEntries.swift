/// Elements in the order of their insertion, each of which can be removed by its number. The first element needs no allocation.
/// Insertion is O(1), removal O(log n), amortised.
struct OrderedEntries<Element> {
    struct Entry {
        let number: Int
        /// The element, or nil after its removal. The entry stays until most entries are empty.
        var element: Element?
    }

    private(set) var first: Element?
    private var firstNumber = 0
    private(set) var others: ContiguousArray<Entry> = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element, if there is exactly one and it is stored as `first`.
    @inline(__always)
    var single: Element? { count == 1 ? first : nil }

    /// Adds an element with a number above those of all others.
    mutating func append(_ element: Element, number: Int) {
        if count == 0 {
            if !others.isEmpty { others.removeAll() }
            (first, firstNumber) = (element, number)
        } else {
            others.append(Entry(number: number, element: element))
        }
        count += 1
    }

    /// Removes and returns the element of a number. Returns nil if there is none.
    mutating func remove(_ number: Int) -> Element? {
        if firstNumber == number, first != nil {
            count -= 1
            return first.take()
        }
        let index = others.partitionPoint { $0.number < number }
        guard index < others.count, others[index].number == number,
            let element = others[index].element.take()
        else { return nil }
        count -= 1
        if others.count > 2 * count + 8 { others.removeAll { $0.element == nil } }
        return element
    }

    /// Calls `body` with each element in order. Changes that `body` makes to these entries show only in the next call.
    @inline(__always)
    func forEach(_ body: (Element) -> Void) {
        if let first { body(first) }
        if others.isEmpty { return }
        others.withUnsafeBufferPointer { entries in
            for index in entries.indices { if let element = entries[index].element { body(element) } }
        }
    }

    func contains(where isMatch: (Element) -> Bool) -> Bool {
        if let first, isMatch(first) { return true }
        return others.contains { $0.element.map(isMatch) ?? false }
    }

    /// The last element that passes a test. O(n).
    func last(where isMatch: (Element) -> Bool) -> Element? {
        for entry in others.reversed() { if let element = entry.element, isMatch(element) { return element } }
        return first.flatMap { isMatch($0) ? $0 : nil }
    }

    /// The elements in order. O(n).
    var all: [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        forEach { all.append($0) }
        return all
    }
}
