import KivoRealmFiles

/// A bound on how much is read at once. More values than a file of its size can hold are a sign of damage: for example, many
/// references to the same part of the file.
struct WorkLimit {
    private var remaining: Int
    private var remainingBytes: Int

    init(_ view: FileView) {
        remaining = view.elementLimit
        // The file contains each long value once.
        remainingBytes = view.limit
    }

    mutating func spend(_ amount: Int, at ref: Int) throws(RealmFileError) {
        remaining -= amount
        guard remaining >= 0 else { throw tooMuch(ref) }
    }

    /// Accounts for the bytes of a value that the file stores once.
    mutating func spend(bytes: Int, at ref: Int) throws(RealmFileError) {
        remainingBytes -= bytes
        guard remainingBytes >= 0 else { throw tooMuch(ref) }
    }

    private func tooMuch(_ ref: Int) -> RealmFileError {
        .damaged(offset: ref, reason: "there are more values than a file of this size can hold")
    }
}
