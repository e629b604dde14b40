/// The storage of a column's values.
package struct ColumnLayout {
    /// The index of the column's leaf in a cluster, and of its entries in the arrays of the table.
    let leafIndex: Int
    package let element: ElementKind
    package var collection: RealmFile.CollectionKind?
    /// Whether the keys of a dictionary are integers instead of strings.
    package var hasIntKeys = false
    /// The key of the table to which links lead.
    var target: UInt32?

    /// The layout of the elements of a collection in a value of any type.
    package static let mixed = ColumnLayout(leafIndex: 0, element: .mixed)
    /// The maximum depth of nested collections in values of any type. The SDKs allow 100.
    private static let deepest = 128

    /// Throws if a collection at `root` is nested too deeply.
    package static func check(level: Int, of root: Int64) throws(RealmFileError) {
        guard level <= deepest else {
            throw .damaged(
                offset: Int(truncatingIfNeeded: root), reason: "collections are too deep in each other")
        }
    }
}

/// The parts of a column's key of 63 bits.
struct ColumnKey {
    let bits: Int64

    var leafIndex: Int { Int(bits & 0xFFFF) }
    var type: Int { Int(bits >> 16 & 0x3F) }
    var attributes: ColumnAttributes { ColumnAttributes(rawValue: Int(bits >> 22 & 0xFF)) }
}

/// The attributes of a column besides its type.
struct ColumnAttributes: OptionSet {
    let rawValue: Int

    static let nullable = ColumnAttributes(rawValue: 16)
    static let list = ColumnAttributes(rawValue: 32)
    static let dictionary = ColumnAttributes(rawValue: 64)
    static let set = ColumnAttributes(rawValue: 128)
    static let fullText = ColumnAttributes(rawValue: 256)
}
