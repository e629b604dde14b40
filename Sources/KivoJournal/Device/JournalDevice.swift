/// The device that stores a journal's bytes: a file, or its substitute in tests.
///
/// A journal makes one call at a time, from any thread, except ``checkName()`` and ``read(into:at:)``, which it may call
/// during others. Offsets and counts are in bytes.
package protocol JournalDevice: AnyObject, Sendable {
    /// The number of bytes that the device holds.
    func size() throws(JournalError) -> Int

    /// Reads from `offset` until the buffer is full or the device ends, and returns the number of bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int

    /// Returns the first range from `offset` on that may contain nonzero bytes, or nil if there is none. All bytes before it are zeros.
    func contents(from offset: Int) throws(JournalError) -> Range<Int>?

    /// Writes all bytes at `offset`, which is at most the end of the device; the device grows. May have written some bytes when
    /// it throws.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError)

    /// Returns when everything that was written, and the size, are durable after a loss of power.
    func synchronize() throws(JournalError)

    /// Removes all bytes from `size` on. `size` is at most the present size.
    func truncate(to size: Int) throws(JournalError)

    /// Throws ``JournalError/displaced`` if the device's name now leads to another device, or to none.
    func checkName() throws(JournalError)

    /// The name of the device, for messages.
    var name: String { get }

    /// The lock and notifications of the processes that have the device open; nil if no other process can have it open.
    var sharing: (any JournalSharing)? { get }

    /// Calls `body` while no other process has the device open. Returns false, and does not call `body`, if one has.
    func whileAlone(_ body: () throws(JournalError) -> Void) throws(JournalError) -> Bool

    /// Opens the device to which the name leads now; returns nil if there is none.
    func reopened() throws(JournalError) -> (any JournalDevice)?

    /// Creates an empty device that can replace this one; returns nil if this one cannot be replaced.
    func makeReplacement() throws(JournalError) -> (any JournalDevice)?

    /// Replaces this device with one that ``makeReplacement()`` created, so that the name leads to the other one, also after a
    /// loss of power. The contents of the other device are already durable. If it throws, either device may be in place.
    func replace(by device: any JournalDevice) throws(JournalError)

    /// Returns when the device's name durably leads to it, also after a loss of power. The process that put the device in its
    /// place may have ended before that.
    func synchronizeName() throws(JournalError)

    /// Discards a device that ``makeReplacement()`` created and that was not put in place.
    func discard(_ device: any JournalDevice)

    /// Closes the device; all other calls throw afterwards. Harmless when repeated.
    func close()
}

extension JournalDevice {
    /// The default is everything to the end of the device.
    package func contents(from offset: Int) throws(JournalError) -> Range<Int>? {
        let size = try size()
        return offset < size ? offset..<size : nil
    }

    /// Does nothing: the device has no name.
    package func checkName() throws(JournalError) {}

    /// The text for a device without a name.
    package var name: String { "of no name" }

    /// The default is nil: no other process has the device open.
    package var sharing: (any JournalSharing)? { nil }

    /// Calls `body`: no other process has the device open.
    package func whileAlone(_ body: () throws(JournalError) -> Void) throws(JournalError) -> Bool {
        try body()
        return true
    }

    /// Returns nil: the device has no name.
    package func reopened() throws(JournalError) -> (any JournalDevice)? { nil }

    /// Returns nil: the device cannot be replaced.
    package func makeReplacement() throws(JournalError) -> (any JournalDevice)? { nil }

    /// Throws ``JournalError/permissionDenied``: there is no replacement.
    package func replace(by device: any JournalDevice) throws(JournalError) { throw .permissionDenied }

    /// Does nothing: the device has no name.
    package func synchronizeName() throws(JournalError) {}

    /// Closes the replacement.
    package func discard(_ device: any JournalDevice) { device.close() }
}
