/// How the values of a column are stored.
struct ColumnLayout {
    /// Where the column's leaf is in a cluster, and its entries in the arrays of the table.
    let leafIndex: Int
    let element: ElementKind
    var collection: RealmFile.CollectionKind?
    /// The keys of a dictionary are integers, not strings.
    var hasIntKeys = false
    /// The key of the table which links lead to.
    var target: UInt32?

    /// That of the elements of a collection in a value of any type.
    static let mixed = ColumnLayout(leafIndex: 0, element: .mixed)
    /// Collections in values of any type are in no more of each other; the SDKs allow 100.
    private static let deepest = 128

    /// Throws unless a collection, found at `root`, is no deeper in others than they can be.
    static func check(level: Int, of root: Int64) throws(RealmFileError) {
        guard level <= deepest else {
            throw .damaged(
                offset: Int(truncatingIfNeeded: root), reason: "collections are too deep in each other")
        }
    }
}

/// What the 63 bits of a column's key say about it.
struct ColumnKey {
    let bits: Int64

    var leafIndex: Int { Int(bits & 0xFFFF) }
    var type: Int { Int(bits >> 16 & 0x3F) }
    var attributes: ColumnAttributes { ColumnAttributes(rawValue: Int(bits >> 22 & 0xFF)) }
}

/// What a column has besides its type.
struct ColumnAttributes: OptionSet {
    let rawValue: Int

    static let nullable = ColumnAttributes(rawValue: 16)
    static let list = ColumnAttributes(rawValue: 32)
    static let dictionary = ColumnAttributes(rawValue: 64)
    static let set = ColumnAttributes(rawValue: 128)
    static let fullText = ColumnAttributes(rawValue: 256)
}
