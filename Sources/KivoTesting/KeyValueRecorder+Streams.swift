import Kivo

extension KeyValueRecorder {
    /// Waits for the next change of an asynchronous sequence of changes and records it.
    ///
    ///     var changes = download.changes(of: \.fraction).makeAsyncIterator()
    ///     await recorder.record(next: &changes, as: "fraction")
    ///
    /// - Parameters:
    ///   - iterator: an iteration of `changes(of:options:)`.
    ///   - name: the key path of the recorded change.
    ///   - isolation: the caller's isolation.
    /// - Returns: whether there was a change; false at the end of the sequence, when nothing is recorded.
    @discardableResult
    public func record<Value>(
        next iterator: inout KeyValueStream<KeyValueObservedChange<Value>>.Iterator, as name: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        guard let change = await iterator.next(isolation: isolation) else { return false }
        append(name, change)
        return true
    }

    /// Waits for the next value of an asynchronous sequence of values and records it, as a setting to it.
    ///
    /// - Parameters:
    ///   - iterator: an iteration of `values(of:)`.
    ///   - name: the key path of the recorded change.
    ///   - isolation: the caller's isolation.
    /// - Returns: whether there was a value; false at the end of the sequence, when nothing is recorded.
    @discardableResult
    public func record<Value>(
        next iterator: inout KeyValueStream<Value>.Iterator, as name: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        guard let value = await iterator.next(isolation: isolation) else { return false }
        append(KeyValueChange(name, .setting, new: Self.kept(value)))
        return true
    }
}
