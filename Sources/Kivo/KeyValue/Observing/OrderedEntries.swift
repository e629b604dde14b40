/// Elements in the order in which they came, each of which can be taken out by its number. The first one takes no
/// allocation. Adding is O(1), taking out O(log n), amortised.
struct OrderedEntries<Element> {
    fileprivate struct Entry {
        let number: Int
        /// Nil once it was taken out: the place stays until most of them are empty.
        var element: Element?
    }

    fileprivate var first: Element?
    private var firstNumber = 0
    fileprivate var others: ContiguousArray<Entry> = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element, if there is exactly one and it lies in front.
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

    /// Takes the element of a number out; nil if it is not here.
    mutating func remove(_ number: Int) -> Element? {
        if firstNumber == number, first != nil {
            count -= 1
            return first.take()
        }
        var (low, high) = (0, others.count)
        while low < high {
            let middle = (low + high) / 2
            if others[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < others.count, others[low].number == number, let element = others[low].element.take()
        else { return nil }
        count -= 1
        if others.count > 2 * count + 8 { others.removeAll { $0.element == nil } }
        return element
    }

    /// Calls `body` with each element in order. What it does to these entries shows in the next call only.
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

extension OrderedEntries<Observations.Recipient> {
    /// Calls `body` with the observation of each recipient in order. What it does to these entries shows in the next call
    /// only.
    @inline(__always)
    func forEachObservation(_ body: (Observation) -> Void) {
        if let observation = first?.observation { body(observation) }
        if others.isEmpty { return }
        others.withUnsafeBufferPointer { entries in
            for index in entries.indices {
                // The entries hold it, and are held meanwhile: counting references would cost as much as the call.
                entries[index].element?.unretained._withUnsafeGuaranteedRef(body)
            }
        }
    }
}
