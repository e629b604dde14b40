/// A value that one thread at a time reads or changes. For state of classes and of the program.
package final class Locked<Value>: @unchecked Sendable {
    // Proof of `Sendable`: only `withLock` accesses the value, while it holds the lock. Its callers let no reference escape that
    // another thread may change.
    private let lock = PlainLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try lock.withLock { () throws(Failure) in try body(&value) }
    }
}
