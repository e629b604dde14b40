/// A part of a file that was read in advance, for pages that are read one after the other.
///
/// As long as the next page is near the last one, each read is twice as long as the one before. Owns the memory, which is valid
/// until the next page is read. Not thread-safe.
package final class PageWindow {
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: PageWindow.largest, alignment: 16)
    private var file: ObjectIdentifier?
    private var start = 0
    private var count = 0
    private var length = PageWindow.least

    private static let least = 1 << 14
    private static let largest = 1 << 18

    /// Creates a window on no file.
    package init() {}

    deinit { buffer.deallocate() }

    /// Returns the bytes of a page. Returns nil if the file ends within it, or if it is too long to be read in advance.
    ///
    /// - Parameters:
    ///   - header: The number of bytes from which `length` returns the length of the page; nil if there is no page.
    ///   - read: Fills a buffer with the bytes at an offset of the file, and returns their number.
    package func page<Failure: Error>(
        at offset: Int, of file: AnyObject, header: Int, length: (UnsafeRawBufferPointer) -> Int?,
        _ read: (UnsafeMutableRawBufferPointer, Int) throws(Failure) -> Int
    ) throws(Failure) -> UnsafeRawBufferPointer? {
        guard let start = try bytes(at: offset, header, of: file, read), let length = length(start) else {
            return nil
        }
        return try bytes(at: offset, length, of: file, read)
    }

    private func bytes<Failure: Error>(
        at offset: Int, _ needed: Int, of file: AnyObject,
        _ read: (UnsafeMutableRawBufferPointer, Int) throws(Failure) -> Int
    ) throws(Failure) -> UnsafeRawBufferPointer? {
        let isSameFile = self.file == ObjectIdentifier(file)
        if !isSameFile || offset < start || start + count - offset < needed {
            guard needed <= PageWindow.largest else { return nil }
            let isNear = isSameFile && offset >= start && offset <= start + 2 * count
            length = isNear ? min(length * 2, PageWindow.largest) : PageWindow.least
            (self.file, start, count) = (nil, offset, 0)
            let size = max(length, needed)
            count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), offset)
            self.file = ObjectIdentifier(file)
            guard count >= needed else { return nil }
        }
        return UnsafeRawBufferPointer(rebasing: buffer[(offset - start)..<(offset - start + needed)])
    }
}
