/// A leaf of dates, with separate seconds and nanoseconds.
package struct DateLeaf {
    private let seconds: NullableIntegers
    private let nanoseconds: IntegerArray
    /// The offset of the node, for errors.
    private let ref: Int

    init(_ node: Node, _ view: FileView) throws(RealmFileError) {
        ref = node.ref
        let refs = try node.references("dates")
        guard refs.count == 2 else { throw node.damaged("a leaf of dates has \(refs.count) parts, not 2") }
        seconds = try NullableIntegers(view.node(at: refs.slot(0).ref))
        nanoseconds = try view.node(at: refs.slot(1).ref).integers("nanoseconds")
        guard nanoseconds.count == seconds.count else {
            throw node.damaged("\(seconds.count) dates have \(nanoseconds.count) nanoseconds")
        }
    }

    var count: Int { seconds.count }

    func value(at index: Int) throws(RealmFileError) -> RawValue {
        guard let seconds = seconds[index] else { return .null }
        return .date(try RealmFile.Timestamp(seconds: seconds, nanoseconds: nanoseconds[index], ref: ref))
    }
}

/// Integers that can be null. The first element of the node is the number that represents null in it.
package struct NullableIntegers {
    private let elements: IntegerArray
    private let null: Int64

    init(_ node: Node) throws(RealmFileError) {
        elements = try node.integers("integers")
        guard elements.count > 0 else { throw node.damaged("the number which means null is missing") }
        null = elements[0]
    }

    var count: Int { elements.count - 1 }

    subscript(index: Int) -> Int64? {
        let value = elements[index + 1]
        return value == null ? nil : value
    }
}
