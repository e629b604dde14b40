/// Where a journal's bytes go: a file, or what a test puts in its place.
///
/// A journal makes one call at a time, from any thread, except ``checkPlace()``, which it may call during others. Offsets and
/// counts are in bytes.
public protocol JournalDevice: AnyObject, Sendable {
    /// The number of bytes that the device holds.
    func size() throws(JournalError) -> Int

    /// Reads from `offset` until the buffer is full or the device ends, and returns the number of bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int

    /// Writes all bytes at `offset`, at most at the end of the device, which grows. May have written some
    /// when it throws.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError)

    /// Returns when everything that was written, and the size, would survive a loss of power.
    func synchronize() throws(JournalError)

    /// Drops all bytes from `size` on. `size` is at most the present size.
    func truncate(to size: Int) throws(JournalError)

    /// Throws ``JournalError/displaced`` if whoever opens the device by its name finds another one, or none.
    func checkPlace() throws(JournalError)

    /// Gives the device back; all other calls throw afterwards. Harmless when repeated.
    func close()
}

extension JournalDevice {
    /// Does nothing: the device has no name.
    public func checkPlace() throws(JournalError) {}
}
