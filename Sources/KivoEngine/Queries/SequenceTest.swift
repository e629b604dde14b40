/// A test of a collection.
protocol SequenceTest {
    /// Whether the test reads elements, and not only their number.
    static var readsElements: Bool { get }

    /// Returns whether a collection passes, given the top node of its sequence; nil if it is empty.
    mutating func holds(_ root: UnsafeMutableRawPointer?) -> Bool
}

extension SequenceTest {
    static var readsElements: Bool { true }
}

/// A test whether a collection has an element that passes a test, or one that fails it.
struct ElementTest: SequenceTest {
    private let element: ElementKind
    private let test: ValueTest
    private let words: WordTest
    private let holdsForNull: Bool
    private let wanted: Bool

    /// Creates a test that looks for an element for which the test's result is the wanted one.
    init(_ element: ElementKind, _ test: ValueTest, wanted: Bool) {
        (self.element, self.test, self.wanted) = (element, test, wanted)
        words = WordTest(test)
        holdsForNull = element == .optionalWord && test.holds(.null)
    }

    func holds(_ root: UnsafeMutableRawPointer?) -> Bool {
        guard let root else { return false }
        let node = SequenceNode(base: root)
        // Most collections consist of one leaf.
        if node.isLeaf { return finds(in: node.elements, node.count) }
        var isFound = false
        PersistentSequence(root: root, element: element).forEachRun { elements, range in
            isFound = finds(in: elements, range.count)
            return !isFound
        }
        return isFound
    }

    @inline(__always)
    private func finds(in elements: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        switch (element, words) {
        case (.word, _), (.link, .integers):
            return words.finds(wanted, in: elements.assumingMemoryBound(to: UInt64.self), count: count)
        case (.optionalWord, _):
            let pairs = elements.assumingMemoryBound(to: UInt64.self)
            for index in 0..<count {
                let holds = pairs[index &* 2] == 0 ? holdsForNull : words.holds(pairs[index &* 2 &+ 1])
                if holds == wanted { return true }
            }
            return false
        default: return findsCell(in: elements, count)
        }
    }

    private func findsCell(in elements: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        let stride = element.stride
        for index in 0..<count where test.holds(element.load(elements + index &* stride)) == wanted {
            return true
        }
        return false
    }
}

/// A test whether a collection has a link to one of some rows.
struct LinkedRowTest: SequenceTest {
    let rows: MatchingRows

    func holds(_ root: UnsafeMutableRawPointer?) -> Bool {
        guard let root else { return false }
        return !PersistentSequence(root: root, element: .link).forEachLinkWhile { !rows.contains($0) }
    }
}

/// A test of the number of links to some rows.
struct MatchingCountTest: SequenceTest {
    let rows: MatchingRows
    let test: WordTest

    func holds(_ root: UnsafeMutableRawPointer?) -> Bool {
        var count: UInt64 = 0
        if let root {
            PersistentSequence(root: root, element: .link).forEachLink {
                if rows.contains($0) { count &+= 1 }
            }
        }
        return test.holds(count)
    }
}

/// A test of the number of elements.
struct CountTest: SequenceTest {
    let test: WordTest

    static var readsElements: Bool { false }

    func holds(_ root: UnsafeMutableRawPointer?) -> Bool {
        test.holds(root.map { UInt64(truncatingIfNeeded: SequenceNode(base: $0).total) } ?? 0)
    }
}
