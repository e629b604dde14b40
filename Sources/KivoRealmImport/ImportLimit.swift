import KivoRealmFiles

/// A bound on how much an import writes. More values than a file of its size can hold are a sign of damage: for example, many
/// references to the same part of the file.
struct ImportLimit {
    /// The largest number of values per byte. A list of a thousand zeros takes nine bytes, and each zero may be a link that is
    /// listed once more at its target.
    private static let valuesPerByte = 256

    private var values: Int
    /// The number of bytes that texts and data may still take. Each of them is in the file once.
    private var bytes: Int

    init(_ file: RealmFile) {
        values = 4096 + ImportLimit.valuesPerByte * min(file.byteCount, Int.max >> 10)
        bytes = file.byteCount
    }

    /// Accounts for a value.
    ///
    /// - Parameter isShared: Whether the file stores equal texts of the property only once.
    mutating func spend(_ value: RealmFile.Value, isShared: Bool) throws(RealmFileError) {
        let count =
            switch value {
            case .string(let text): text.utf8.count
            case .malformedString(let bytes), .data(let bytes): bytes.count
            default: 0
            }
        try spend(count, isShared: isShared)
    }

    /// Accounts for a dictionary's key.
    mutating func spend(_ key: RealmFile.Dictionary.Key) throws(RealmFileError) {
        switch key {
        case .string(let text): try spend(text.utf8.count, isShared: false)
        case .malformedString(let bytes): try spend(bytes.count, isShared: false)
        case .int: try spend(0, isShared: false)
        }
    }

    private mutating func spend(_ count: Int, isShared: Bool) throws(RealmFileError) {
        values -= isShared ? 1 + count / ImportLimit.valuesPerByte : 1
        if !isShared { bytes -= count }
        guard values >= 0, bytes >= 0 else {
            throw .damaged(offset: 0, reason: "there are more values than a file of this size can hold")
        }
    }
}
