extension RealmFile {
    /// A point in time: whole seconds since 1970 in UTC, and nanoseconds.
    ///
    /// Both have the same sign. Their sum can be further away than a `Date` is exact for.
    public struct Timestamp: Hashable, Sendable {
        /// Seconds since 1970.
        public let seconds: Int64
        /// −999 999 999 to 999 999 999.
        public let nanoseconds: Int32

        init(seconds: Int64, nanoseconds: Int64, ref: Int) throws(RealmFileError) {
            guard (-999_999_999...999_999_999).contains(nanoseconds) else {
                throw .damaged(offset: ref, reason: "\(nanoseconds) nanoseconds are more than a second")
            }
            self.seconds = seconds
            self.nanoseconds = Int32(nanoseconds)
        }
    }
}
