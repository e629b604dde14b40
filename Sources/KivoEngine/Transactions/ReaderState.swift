/// The words of memory that a reader of a store owns. They show, without locks and reference counts, whether cached addresses of
/// rows are valid.
///
/// The reader increments the generation when it moves between versions. A transaction does so on its behalf when a leaf moves,
/// and keeps the root up to date.
public enum ReaderState {
    /// The index of the generation, which is incremented when cached addresses may become stale.
    @inlinable @inline(__always) public static var generation: Int { 0 }
    /// The index of the number of the open write transaction; the number is 0 if values may not be stored directly.
    @inlinable @inline(__always) public static var writer: Int { 1 }
    /// The index of a counter that is incremented on every change inside a write transaction.
    @inlinable @inline(__always) public static var mutations: Int { 2 }
    /// The index of the root of the reader's snapshot, or 0.
    @inlinable @inline(__always) public static var root: Int { 3 }
    /// The index of the number of the only thread on which the reader may be used without further checks, or 0. The owner of the
    /// words maintains it, not the engine.
    @inlinable @inline(__always) public static var thread: Int { 4 }
    /// The index of the number of observed accessors, which may prevent direct stores of values. The owner of the words maintains
    /// it, not the engine.
    @inlinable @inline(__always) public static var observed: Int { 5 }

    /// The number of words.
    public static let wordCount = 6

    /// Calls `body` with the words of a new, unshared reader.
    static func withWords<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<UInt64>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Before Swift 6.2, the function for temporary memory throws untyped errors.
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
