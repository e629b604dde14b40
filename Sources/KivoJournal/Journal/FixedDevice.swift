import KivoEngine

/// A device as it was at a moment: its header, and the bytes up to an end behind which others only append. It can be read more
/// than once while another process writes the device, or replaces its file.
package final class FixedDevice: JournalDevice {
    private let base: any JournalDevice
    private let header: [UInt8]
    private let end: Int

    /// - Parameter end: A closure that returns the end of the device; nil for the current end. It is called after the header was
    ///   read, which may therefore say less than the device holds, but not more.
    package init(_ base: any JournalDevice, upTo end: () throws -> Int?) throws {
        self.base = base
        header = try HeaderPages.read(base) { bytes in
            // Records are left out, because others may be writing them.
            Array(bytes.prefix((try? FileHeader(bytes))?.recordsOffset ?? FileHeader.size))
        }
        let size = try base.size()
        self.end = min(size, try end() ?? size)
    }

    package var name: String { base.name }

    package func size() throws(JournalError) -> Int { end }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int
    {
        let wanted = min(buffer.count, max(0, end - offset))
        guard wanted > 0 else { return 0 }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        let count = try base.read(into: part, at: offset)
        if offset < header.count {
            let known = header[offset..<min(header.count, offset + count)]
            UnsafeMutableRawBufferPointer(rebasing: part[..<known.count]).copyBytes(from: known)
        }
        return count
    }

    package func contents(from offset: Int) throws(JournalError) -> Range<Int>? {
        guard offset < end else { return nil }
        if offset < header.count { return offset..<header.count }
        guard let contents = try base.contents(from: offset), contents.lowerBound < end else { return nil }
        return contents.clamped(to: offset..<end)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        throw .permissionDenied
    }

    package func synchronize() throws(JournalError) {}

    package func truncate(to size: Int) throws(JournalError) { throw .permissionDenied }

    package func close() {}
}
