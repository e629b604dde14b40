/// A persistent sequence: the elements of a list, a set, or the keys or values of a map, in one version.
///
/// Structurally shared with other versions; edits are O(log n) and copy each node once per transaction.
///
/// An unowned view: valid while the version is pinned, or, in a write transaction, until its next change.
@usableFromInline package struct PersistentSequence {
    /// The top node; nil for an empty sequence.
    @usableFromInline package internal(set) var root: UnsafeMutableRawPointer?
    /// The kind of the elements.
    @usableFromInline package let element: ElementKind

    init(root: UnsafeMutableRawPointer?, element: ElementKind) {
        self.root = root
        self.element = element
    }

    /// Returns a sequence without elements.
    @usableFromInline package static func empty(_ element: ElementKind) -> PersistentSequence {
        PersistentSequence(root: nil, element: element)
    }

    /// The root, as it is stored in a column.
    @usableFromInline package var word: UInt64 { UInt64(UInt(bitPattern: root)) }

    /// The number of elements. O(1).
    @usableFromInline package var count: Int { root.map { SequenceNode(base: $0).total } ?? 0 }

    /// Returns the run of elements in the leaf that contains a position: the address of its first element and the positions that
    /// it covers.
    @usableFromInline package func run(containing position: Int) -> (
        elements: UnsafeMutableRawPointer, range: Range<Int>
    ) {
        guard let root, position >= 0, position < count else {
            fatalError("position \(position) is outside of a sequence of \(count) elements")
        }
        var node = SequenceNode(base: root)
        var start = 0
        while !node.isLeaf {
            let (index, offset) = node.child(containing: position - start)
            start += offset
            node = node.child(index)
        }
        return (node.elements, start..<start + node.count)
    }

    /// Returns the address of an element. O(log n).
    @usableFromInline package func pointer(at position: Int) -> UnsafeMutableRawPointer {
        let (elements, range) = run(containing: position)
        return elements + (position - range.lowerBound) * element.stride
    }

    /// Returns the element at a position. O(log n).
    @usableFromInline package func cell(at position: Int) -> Cell { element.load(pointer(at: position)) }

    /// Calls `body` with each run of elements in order until it returns false.
    @usableFromInline package func forEachRun(
        _ body: (_ elements: UnsafeMutableRawPointer, _ range: Range<Int>) -> Bool
    ) {
        forEachRun(in: 0..<count, body)
    }

    /// Calls `body` with each run of the elements at some positions, in order until it returns false. O(log n), and O(1) for each run.
    func forEachRun(
        in positions: Range<Int>, _ body: (_ elements: UnsafeMutableRawPointer, _ range: Range<Int>) -> Bool
    ) {
        guard let root, !positions.isEmpty else { return }
        _ = forEachRun(SequenceNode(base: root), 0, positions, body)
    }

    private func forEachRun(
        _ node: SequenceNode, _ start: Int, _ positions: Range<Int>,
        _ body: (UnsafeMutableRawPointer, Range<Int>) -> Bool
    ) -> Bool {
        if node.isLeaf {
            let range = positions.clamped(to: start..<start + node.count)
            return body(node.elements + (range.lowerBound - start) * element.stride, range)
        }
        var start = start
        for index in 0..<node.count where start < positions.upperBound {
            let end = start + node.totals[index]
            if end > positions.lowerBound, !forEachRun(node.child(index), start, positions, body) {
                return false
            }
            start = end
        }
        return true
    }

    /// Calls `body` with each element in order.
    @usableFromInline package func forEach(_ body: (Cell) -> Void) {
        forEachRun { elements, range in
            for index in 0..<range.count { body(element.load(elements + index * element.stride)) }
            return true
        }
    }

    /// Returns whether the elements are some cells, in their order.
    package func consists(of cells: [Cell]) -> Bool {
        guard cells.count == count else { return false }
        var isEqual = true
        forEachRun { elements, range in
            for index in 0..<range.count where isEqual {
                isEqual = cells[range.lowerBound + index] == element.load(elements + index * element.stride)
            }
            return isEqual
        }
        return isEqual
    }

    /// Calls `body` with each link in order.
    @usableFromInline package func forEachLink(_ body: (ObjectKey) -> Void) {
        forEachRun { elements, range in
            let keys = elements.assumingMemoryBound(to: ObjectKey.self)
            for index in 0..<range.count { body(keys[index]) }
            return true
        }
    }

    /// Calls `body` with each link in order until it returns false. Returns false if `body` returned false.
    @discardableResult
    @usableFromInline package func forEachLinkWhile(_ body: (ObjectKey) -> Bool) -> Bool {
        var continues = true
        forEachRun { elements, range in
            let keys = elements.assumingMemoryBound(to: ObjectKey.self)
            for index in 0..<range.count where continues { continues = body(keys[index]) }
            return continues
        }
        return continues
    }

    /// Calls `body` with each row to which an any value links, in order.
    @usableFromInline package func forEachAnyLink(_ body: (RowID) -> Void) {
        forEachRun { elements, range in
            for index in 0..<range.count {
                if let row = AnySlot(elements + index * ElementKind.any.stride, 0).link { body(row) }
            }
            return true
        }
    }

    /// Returns the ascending positions at which any values link to given rows of a table. O(n).
    ///
    /// - Parameter limit: the maximum number of positions; the search ends when it is reached.
    func positions(of keys: Set<ObjectKey>, _ table: TableID, limit: Int = .max) -> [Int] {
        var (positions, position): ([Int], Int) = ([], 0)
        guard let first = keys.min(), let last = keys.max() else { return [] }
        forEachRun { elements, range in
            for index in 0..<range.count {
                // Most keys are outside this range and need not be hashed.
                if let row = AnySlot(elements + index * ElementKind.any.stride, 0).link, row.key >= first,
                    row.key <= last, row.table == table, first == last || keys.contains(row.key)
                {
                    positions.append(position)
                    if positions.count == limit { return false }
                }
                position += 1
            }
            return true
        }
        return positions
    }

    /// Returns the rows to which the any values in a range of positions link.
    func anyLinks(in range: Range<Int>) -> [RowID] {
        range.compactMap { AnySlot(pointer(at: $0), 0).link }
    }

    /// The links in order. O(n).
    @usableFromInline package var links: [ObjectKey] {
        var links: [ObjectKey] = []
        links.reserveCapacity(count)
        forEachLink { links.append($0) }
        return links
    }

    /// Returns the links in a range of positions. O(elements + log n).
    func links(in range: Range<Int>) -> [ObjectKey] {
        var links: [ObjectKey] = []
        links.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let (elements, positions) = run(containing: position)
            let part = positions.clamped(to: range)
            let keys =
                elements.assumingMemoryBound(to: ObjectKey.self) + (part.lowerBound - positions.lowerBound)
            links.append(contentsOf: UnsafeBufferPointer(start: keys, count: part.count))
            position = positions.upperBound
        }
        return links
    }

    /// Returns the position of the first element that equals a value, or nil if there is none. Numbers among any values equal
    /// those of other types. O(n).
    @usableFromInline package func firstIndex(of cell: Cell) -> Int? {
        var match: Int?
        if element == .any {
            forEachRun { elements, range in
                for index in 0..<range.count
                where AnyOrder.compare(element.load(elements + index * element.stride), cell) == 0 {
                    match = range.lowerBound + index
                    return false
                }
                return true
            }
            return match
        }
        forEachRun { elements, range in
            for index in 0..<range.count where element.load(elements + index * element.stride) == cell {
                match = range.lowerBound + index
                return false
            }
            return true
        }
        return match
    }

    /// Returns the first position in an ascending sequence whose element is not below `cell`, and whether that element is equal.
    /// O(log n): one descent, in which the first elements of the children separate them.
    @usableFromInline package func lowerBound(_ cell: Cell) -> (position: Int, isEqual: Bool) {
        if element == .link, case .link(let key) = cell {
            return lowerBound({ $0.load(as: ObjectKey.self) < key }, { $0.load(as: ObjectKey.self) == key })
        }
        if element == .string, case .string(let text) = cell {
            return lowerBound(
                { ColumnValues.optionalString($0, 0)?.precedesByBytes(text) ?? true },
                { ColumnValues.optionalString($0, 0).map { !text.precedesByBytes($0) } ?? false })
        }
        if element == .word, case .word(let word) = cell {
            return lowerBound(
                { $0.load(as: Int64.self) < Int64(bitPattern: word) },
                { $0.load(as: UInt64.self) == word })
        }
        // `==` is not used, because it treats strings of different bytes as equal if they are canonically equivalent.
        return lowerBound(
            { element.load($0).isOrderedBefore(cell) }, { !cell.isOrderedBefore(element.load($0)) })
    }

    @inline(__always)
    private func lowerBound(
        _ isBelow: (UnsafeMutableRawPointer) -> Bool, _ isEqual: (UnsafeMutableRawPointer) -> Bool
    ) -> (position: Int, isEqual: Bool) {
        guard let root else { return (0, false) }
        var (node, start) = (SequenceNode(base: root), 0)
        // The first element of the next leaf, which is not below, because the search went into the leaf before it.
        var next: UnsafeMutableRawPointer?
        while !node.isLeaf {
            var (low, high) = (1, node.count)
            while low < high {
                let middle = (low + high) / 2
                let first = node.child(middle).firstElement
                if isBelow(first) { low = middle + 1 } else { (high, next) = (middle, first) }
            }
            for index in 0..<(low - 1) { start += node.totals[index] }
            node = node.child(low - 1)
        }
        var (low, high) = (0, node.count)
        while low < high {
            let middle = (low + high) / 2
            if isBelow(node.elements + middle * element.stride) { low = middle + 1 } else { high = middle }
        }
        let found = low < node.count ? node.elements + low * element.stride : next
        return (start + low, found.map(isEqual) ?? false)
    }

    /// Returns the number of occurrences of a link in an ascending sequence of links. O(log n).
    func count(of key: ObjectKey) -> Int {
        lowerBound(.link(key + 1)).position - lowerBound(.link(key)).position
    }

    /// Calls `body` with every block of the sequence.
    ///
    /// - Parameter isLoaded: whether nodes that are not in memory are skipped.
    func forEachBlock(isLoaded: Bool = false, _ body: (UnsafeMutableRawPointer) -> Void) {
        if let root { PersistentSequence.forEachBlock(SequenceNode(base: root), isLoaded, body) }
    }

    private static func forEachBlock(
        _ node: SequenceNode, _ isLoaded: Bool, _ body: (UnsafeMutableRawPointer) -> Void
    ) {
        if !node.isLeaf {
            for index in 0..<node.count {
                if !isLoaded {
                    forEachBlock(node.child(index), isLoaded, body)
                } else if let child = NodeSlot.loadedNode(node.children + index) {
                    forEachBlock(SequenceNode(base: child), isLoaded, body)
                }
            }
        }
        body(node.base)
    }

    /// Checks counts and levels of all nodes. O(n).
    @usableFromInline package func checkInvariants() {
        #if DEBUG
        guard let root else { return }
        _ = PersistentSequence.check(SequenceNode(base: root))
        #endif
    }

    #if DEBUG
    private static func check(_ node: SequenceNode) -> Int {
        precondition(node.count > 0, "an empty node is taken out")
        precondition(node.count <= node.capacity, "a node overflows")
        if node.isLeaf {
            precondition(node.total == node.count, "a leaf's total is its count")
            return node.count
        }
        var sum = 0
        for index in 0..<node.count {
            precondition(node.child(index).level == node.level - 1, "levels go down by one")
            precondition(check(node.child(index)) == node.totals[index], "a child's total is wrong")
            sum += node.totals[index]
        }
        precondition(sum == node.total, "an inner node's total is the sum of its children's")
        return sum
    }
    #endif
}

extension PersistentSequence {
    /// Returns whether the elements in a range, and the two next to it, are strictly ascending. O(count · log n).
    @usableFromInline package func isAscending(around range: Range<Int>) -> Bool {
        let last = min(range.upperBound, count - 1)
        var position = max(range.lowerBound - 1, 0)
        guard position < last else { return true }
        var cell = self.cell(at: position)
        while position < last {
            position += 1
            let next = self.cell(at: position)
            if !cell.isOrderedBefore(next) { return false }
            cell = next
        }
        return true
    }
}

extension Array<Cell> {
    /// Returns the cells in the form of a sorted sequence: ascending, and each once.
    package func sortedAndUnique() -> [Cell] {
        var unique: [Cell] = []
        for cell in sorted(by: { $0.isOrderedBefore($1) })
        where unique.last.map({ $0.isOrderedBefore(cell) }) ?? true { unique.append(cell) }
        return unique
    }
}
