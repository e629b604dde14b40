import KivoRealmFiles

/// Bounds how much an import writes: more values than a file of its size can hold are damage, as when a part of it is referred to
/// again and again.
struct ImportLimit {
    /// A list of a thousand zeros takes nine bytes, and each of them may be a link that is listed once more where it leads to.
    private static let valuesPerByte = 256

    private var values: Int
    /// What texts and data can take, which are in the file once each.
    private var bytes: Int

    init(_ file: RealmFile) {
        values = 4096 + ImportLimit.valuesPerByte * min(file.byteCount, Int.max >> 10)
        bytes = file.byteCount
    }

    /// Accounts for a value.
    ///
    /// - Parameter isShared: Whether equal texts of the property are in the file once.
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
