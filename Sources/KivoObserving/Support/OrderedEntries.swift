/// Elements in the order of their insertion, each of which can be removed by its number. The first element needs no allocation.
/// Insertion is O(1), removal O(log n), amortised.
@usableFromInline
package struct OrderedEntries<Element> {
    @usableFromInline
    package struct Entry {
        @usableFromInline package let number: Int
        /// The element, or nil after its removal. The entry stays until most entries are empty.
        @usableFromInline package var element: Element?

        @inlinable
        init(number: Int, element: Element?) { (self.number, self.element) = (number, element) }
    }

    @usableFromInline package internal(set) var others: ContiguousArray<Entry> = []
    @usableFromInline var firstNumber = 0
    @usableFromInline package internal(set) var first: Element?
    /// The number of elements, of half a word so that other fields fit beside it.
    @usableFromInline var length: Int32 = 0

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { Int(length) }

    @inlinable
    package var isEmpty: Bool { length == 0 }

    /// The element, if there is exactly one and it is stored as `first`.
    @inlinable @inline(__always)
    package var single: Element? { length == 1 ? first : nil }

    /// Adds an element with a number above those of all others.
    @inlinable
    package mutating func append(_ element: Element, number: Int) {
        if length == 0 {
            if !others.isEmpty { others.removeAll() }
            (first, firstNumber) = (element, number)
        } else {
            others.append(Entry(number: number, element: element))
        }
        length += 1
    }

    /// Returns the index of a number among the others, or nil if there is none.
    @inlinable
    func index(_ number: Int) -> Int? {
        var (low, high) = (0, others.count)
        while low < high {
            let middle = (low + high) / 2
            if others[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < others.count && others[low].number == number ? low : nil
    }

    /// Returns the element of a number, or nil if there is none. O(log n).
    @inlinable
    package func element(_ number: Int) -> Element? {
        if firstNumber == number, let first { return first }
        return index(number).flatMap { others[$0].element }
    }

    /// Removes and returns the element of a number. Returns nil if there is none.
    @inlinable
    package mutating func remove(_ number: Int) -> Element? {
        if firstNumber == number, first != nil {
            length -= 1
            return first.take()
        }
        guard let index = index(number), let element = others[index].element.take() else { return nil }
        length -= 1
        if others.count > 2 * count + 8 { others.removeAll { $0.element == nil } }
        return element
    }

    /// Calls `body` with each element in order. Changes that `body` makes to these entries show only in the next call.
    @inlinable @inline(__always)
    package func forEach(_ body: (Element) -> Void) {
        if let first { body(first) }
        if others.isEmpty { return }
        others.withUnsafeBufferPointer { entries in
            for index in entries.indices { if let element = entries[index].element { body(element) } }
        }
    }

    @inlinable
    package func contains(where isMatch: (Element) -> Bool) -> Bool {
        if let first, isMatch(first) { return true }
        return others.contains { $0.element.map(isMatch) ?? false }
    }

    /// The last element that passes a test. O(n).
    @inlinable
    package func last(where isMatch: (Element) -> Bool) -> Element? {
        for entry in others.reversed() { if let element = entry.element, isMatch(element) { return element } }
        return first.flatMap { isMatch($0) ? $0 : nil }
    }

    /// The elements in order. O(n).
    @inlinable
    package var all: [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        forEach { all.append($0) }
        return all
    }
}
