/// Bounds how much is read in one go: more values than a file of its size can hold are damage, as when a part of it is
/// referred to again and again.
struct WorkLimit {
    private var left: Int
    private var bytesLeft: Int

    init(_ view: FileView) {
        left = view.elementLimit
        // Long values are in the file once each.
        bytesLeft = view.limit
    }

    mutating func spend(_ amount: Int, at ref: Int) throws(RealmFileError) {
        left -= amount
        guard left >= 0 else { throw tooMuch(ref) }
    }

    /// Accounts for the bytes of a value which is in the file once.
    mutating func spend(bytes: Int, at ref: Int) throws(RealmFileError) {
        bytesLeft -= bytes
        guard bytesLeft >= 0 else { throw tooMuch(ref) }
    }

    private func tooMuch(_ ref: Int) -> RealmFileError {
        .damaged(offset: ref, reason: "there are more values than a file of this size can hold")
    }
}
