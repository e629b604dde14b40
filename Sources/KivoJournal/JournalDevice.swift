/// Where a journal's bytes go: a file, or what a test puts in its place.
///
/// A journal makes one call at a time, from any thread, except ``checkPlace()`` and ``read(into:at:)``, which it may call
/// during others. Offsets and counts are in bytes.
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

    /// What the device is called, for messages.
    var name: String { get }

    /// How the processes that have the device open keep apart; nil if there can be no others.
    var sharing: (any JournalSharing)? { get }

    /// Opens what the device's name leads to now; nil if there is no such thing.
    func reopened() throws(JournalError) -> (any JournalDevice)?

    /// Makes an empty device that can take this one's place; nil if there is no such thing.
    func makeReplacement() throws(JournalError) -> (any JournalDevice)?

    /// Puts a device that ``makeReplacement()`` made in this one's place, so that whoever opens it by its name finds the other,
    /// also after a loss of power. What was written to the other is durable by then. If it throws, either is in place.
    func replace(by device: any JournalDevice) throws(JournalError)

    /// Returns when whoever opens the device by its name finds it also after a loss of power. Somebody may have put it in its
    /// place, and not have come to that.
    func synchronizePlace() throws(JournalError)

    /// Gives up a device that ``makeReplacement()`` made and that was not put in place.
    func discard(_ device: any JournalDevice)

    /// Gives the device back; all other calls throw afterwards. Harmless when repeated.
    func close()
}

extension JournalDevice {
    /// Does nothing: the device has no name.
    public func checkPlace() throws(JournalError) {}

    /// A device without a name.
    public var name: String { "of no name" }

    /// Nil: nobody else has the device.
    public var sharing: (any JournalSharing)? { nil }

    /// Nil: the device has no name.
    public func reopened() throws(JournalError) -> (any JournalDevice)? { nil }

    /// Nil: nothing can take the device's place.
    public func makeReplacement() throws(JournalError) -> (any JournalDevice)? { nil }

    /// Throws: there is no replacement.
    public func replace(by device: any JournalDevice) throws(JournalError) { throw .permissionDenied }

    /// Does nothing: the device has no name.
    public func synchronizePlace() throws(JournalError) {}

    /// Closes the replacement.
    public func discard(_ device: any JournalDevice) { device.close() }
}
