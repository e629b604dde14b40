/// An array that only grows and nearly always has one element, which takes no allocation.
struct SmallArray<Element> {
    private var first: Element?
    private var others: ContiguousArray<Element> = []

    var count: Int { first == nil ? 0 : others.count + 1 }

    var indices: Range<Int> { 0..<count }

    @inline(__always)
    subscript(index: Int) -> Element {
        _read { if index == 0 { yield first.unsafelyUnwrapped } else { yield others[index - 1] } }
        _modify { if index == 0 { yield &first! } else { yield &others[index - 1] } }
    }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }
}
