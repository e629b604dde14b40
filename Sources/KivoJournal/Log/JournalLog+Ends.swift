import KivoEngine

/// The end of a file, for readers that do not prevent others from writing.
extension JournalLog {
    /// Returns the end that the last writing process published; nil if no process published one for this file.
    static func published(of device: any JournalDevice) throws(JournalError) -> PublishedEnd? {
        guard let end = device.sharing?.published() else { return nil }
        do throws(JournalError) {
            return try FileHeader.id(of: device) == end.journal ? end : nil
        } catch .corrupt, .notAJournal, .unsupportedVersion {
            // Reading the file reports the error.
            return nil
        }
    }

    /// Returns the end of the last record that is certain to be durable, for opening a file for reading only. Returns nil if it
    /// is unknown; the whole file is then read.
    ///
    /// The published end is never flushed. After a loss of power it may be behind the records, until a process opens the file for
    /// writing and publishes the end again. So the records after the published end count too, except the last one while a process
    /// writes. A record is durable before the next one begins, but the last one may still be taken back.
    static func durableEnd(of device: any JournalDevice) throws -> Int? {
        guard let sharing = device.sharing, let published = sharing.published() else { return nil }
        guard let pages = try? HeaderPages(device, size: device.size()),
            pages.header.id == published.journal
        else { return nil }
        var ends: [Int] = []
        let isQuiet = try sharing.whileNobodyWrites {
            ends = try self.ends(of: device, after: published)
        }
        if !isQuiet { ends = try self.ends(of: device, after: published).dropLast() }
        // A record that was acknowledged but is missing is damage, which opening detects.
        var end = max(ends.last ?? published.end, Int(clamping: pages.mark.end))
        // The header refers to a checkpoint only once the checkpoint is durable.
        var window = FileWindow(device, size: try device.size(), capacity: 1 << 14)
        for slot in pages.slots where slot.offset & 7 == 0 {
            guard slot.offset >= FileHeader.size, slot.offset < window.size,
                let record = try window.record(at: slot.offset, journal: pages.header.id)
            else { continue }
            end = max(end, record.end)
        }
        return end
    }

    /// Returns the ends of the intact records after the published end.
    private static func ends(
        of device: any JournalDevice, after published: PublishedEnd
    ) throws(JournalError) -> [Int] {
        let size = try device.size()
        guard published.end >= FileHeader.size, published.end <= size, published.end & 7 == 0 else {
            return []
        }
        let position = LogPosition(
            end: published.end, sequence: published.sequence, journal: published.journal)
        var records = RecordCursor(device, from: position, size: size)
        var ends: [Int] = []
        while let record = try records.next() { ends.append(record.end) }
        return ends
    }

    /// Throws if the file is empty although another process has published records: they were durable before they were published.
    ///
    /// - Parameter published: What was published before the call. The records are written by then.
    static func checkContents(of device: any JournalDevice, _ published: PublishedEnd?) throws {
        guard let published else { return }
        let size = try device.size()
        if try Journal.isUnused(device, size: size) {
            throw JournalError.corrupt(
                offset: 0,
                reason: """
                    the file has no contents, but \(published.sequence) records were acknowledged: it was cut off. To begin anew, \
                    delete it with 'Realm.deleteFiles(for:)'
                    """)
        }
    }
}

extension FixedDevice {
    /// Returns the part of a device up to the last record that is certain to be durable, while other processes may write to it.
    package static func beside(_ device: any JournalDevice) throws -> FixedDevice {
        try FixedDevice(device) { try JournalLog.durableEnd(of: device) }
    }

    /// Returns the part of a device up to its last nonzero byte, while no process writes to it: space that is allocated ahead may
    /// be written later.
    package static func whole(_ device: any JournalDevice) throws -> FixedDevice {
        try FixedDevice(device) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
            defer { buffer.deallocate() }
            var parts: [Range<Int>] = []
            while let part = try device.contents(from: parts.last?.upperBound ?? 0) { parts.append(part) }
            for part in parts.reversed() {
                var end = part.upperBound
                while end > part.lowerBound {
                    let start = max(part.lowerBound, end - buffer.count)
                    let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - start)])
                    guard try device.read(into: bytes, at: start) == bytes.count else { return nil }
                    // Word by word, because others wait to open the file meanwhile, and most of the scanned bytes were allocated
                    // ahead. The last word of a record is a checksum.
                    if !UnsafeRawBufferPointer(bytes).isZero, let last = bytes.lastIndex(where: { $0 != 0 }) {
                        return min(
                            try device.size(), max(FileHeader.largestSize, start + (last + 8) / 8 * 8))
                    }
                    end = start
                }
            }
            return nil
        }
    }
}
