/// The words that a reader of a store owns, by which cached addresses of rows are known to be good without locks and
/// without reference counts.
///
/// The reader counts the generation up whenever it moves between versions; a transaction on its behalf does so whenever
/// a leaf moves, and keeps the root up to date.
public enum ReaderState {
    /// Counts up whenever cached addresses may be stale.
    @inlinable @inline(__always) public static var generation: Int { 0 }
    /// The number of the open write transaction if values may be stored directly, else 0.
    @inlinable @inline(__always) public static var writer: Int { 1 }
    /// Counts up with every change inside of a write transaction.
    @inlinable @inline(__always) public static var mutations: Int { 2 }
    /// The root of the snapshot that the reader sees, or 0.
    @inlinable @inline(__always) public static var root: Int { 3 }
    /// The number of the one thread on which the reader may be used without asking further, or 0. The engine leaves it to
    /// whoever owns the words.
    @inlinable @inline(__always) public static var thread: Int { 4 }
    /// The number of observed accessors, which may keep values from being stored directly. The engine leaves it to whoever
    /// owns the words.
    @inlinable @inline(__always) public static var observed: Int { 5 }

    /// The number of words.
    public static let wordCount = 6

    /// Calls `body` with the words of a reader that nobody else has.
    static func withWords<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<UInt64>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The function for temporary memory throws errors of any type before Swift 6.2.
        let result = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: wordCount) {
            words -> Swift.Result<Result, Failure> in
            words.initialize(repeating: 0)
            do throws(Failure) {
                return .success(try body(words.baseAddress!))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
