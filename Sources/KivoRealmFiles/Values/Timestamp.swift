extension RealmFile {
    /// A point in time: whole seconds since 1970 in UTC, and nanoseconds.
    ///
    /// Both have the same sign. The time can be further away than `Date` can represent exactly.
    public struct Timestamp: Hashable, Sendable {
        /// The seconds since 1970.
        public let seconds: Int64
        /// The nanoseconds, from −999 999 999 to 999 999 999.
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
