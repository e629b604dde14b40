/// Bounds how much is read in one go: more values than a file of its size can hold are damage, as when a part of it is
/// referred to again and again.
struct WorkLimit {
    private var left: Int

    init(_ view: FileView) { left = view.elementLimit }

    mutating func spend(_ amount: Int, at ref: Int) throws(RealmFileError) {
        left -= amount
        guard left >= 0 else {
            throw .damaged(offset: ref, reason: "there are more values than a file of this size can hold")
        }
    }
}
