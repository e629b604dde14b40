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

    package init() {}

    deinit { buffer.deallocate() }

    /// Returns the bytes of a page, as long as its header says. Returns nil if the file ends within it, or if it is too long to be
    /// read in advance.
    ///
    /// - Parameter read: Fills a buffer with the bytes at an offset of the file, and returns their number.
    package func page<Failure: Error>(
        at offset: Int, of file: AnyObject,
        _ read: (UnsafeMutableRawBufferPointer, Int) throws(Failure) -> Int
    ) throws(Failure) -> UnsafeRawBufferPointer? {
        let isSameFile = self.file == ObjectIdentifier(file)
        if isSameFile, let page = pageInBuffer(offset) { return page }
        let isNear = isSameFile && offset >= start && offset <= start + 2 * count
        length = isNear ? min(length * 2, PageWindow.largest) : PageWindow.least
        self.file = nil
        while true {
            (start, count) = (offset, 0)
            count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), offset)
            if let page = pageInBuffer(offset) {
                self.file = ObjectIdentifier(file)
                return page
            }
            if count < length || length == PageWindow.largest { return nil }
            length = PageWindow.largest
        }
    }

    private func pageInBuffer(_ offset: Int) -> UnsafeRawBufferPointer? {
        let position = offset - start
        guard position >= 0, count - position >= PageLayout.headerSize else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: buffer[position..<count])
        guard let length = PageLayout.length(rest), length <= rest.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: rest[..<length])
    }
}

/// The page of a leaf that is not in memory, valid until its ``PageWindow`` reads another one.
package struct LeafPage {
    let bytes: UnsafeRawBufferPointer
    let expected: PageExpectation
    let catalog: Catalog

    /// Creates a page whose checksum was verified.
    package init(_ bytes: UnsafeRawBufferPointer, _ expected: PageExpectation, _ catalog: Catalog) {
        self.bytes = bytes
        self.expected = expected
        self.catalog = catalog
    }
}
