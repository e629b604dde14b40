import KivoEngine

/// Where a file ends for who keeps nobody from writing.
extension JournalLog {
    /// What the process that wrote last has said; nil if nobody has said anything of this file.
    private static func published(of device: any JournalDevice) throws(JournalError) -> PublishedEnd? {
        guard let end = device.sharing?.published() else { return nil }
        do throws(JournalError) {
            return try FileHeader.id(of: device) == end.journal ? end : nil
        } catch .corrupt, .notAJournal, .unsupportedVersion {
            // Who reads the file says so.
            return nil
        }
    }

    /// Where the file ends as far as was published; nil if nothing was.
    static func publishedEnd(of device: any JournalDevice) throws(JournalError) -> Int? {
        try published(of: device)?.end
    }

    /// The number of the last record that was published; 0 if none was.
    static func publishedSequence(of device: any JournalDevice) throws(JournalError) -> UInt64 {
        try published(of: device)?.sequence ?? 0
    }

    /// Where the last record ends that is certain to be durable, for who opens a file for reading only; nil if that is not known,
    /// and all of the file is read.
    ///
    /// What was published is never flushed: after a loss of power it may be behind the records, until somebody opens the file for
    /// writing and publishes its end. So the records behind it count too. While somebody writes, the last of them does not: a
    /// record is durable before the next one begins, and that one may still be taken back.
    static func durableEnd(of device: any JournalDevice) throws -> Int? {
        guard let sharing = device.sharing, let published = sharing.published() else { return nil }
        guard let pages = try? HeaderPages(device, size: device.size()),
            pages.header.id == published.journal
        else { return nil }
        var ends: [Int] = []
        let isQuiet = try sharing.whileNobodyWrites {
            ends = try self.ends(of: device, behind: published)
        }
        if !isQuiet { ends = try self.ends(of: device, behind: published).dropLast() }
        // One that was acknowledged and is not there is damage, which opening finds.
        var end = max(ends.last ?? published.end, Int(clamping: pages.mark.end))
        // The header leads to a checkpoint when that is durable.
        var window = FileWindow(device, size: try device.size(), capacity: 1 << 14)
        for slot in pages.slots where slot.offset & 7 == 0 {
            guard slot.offset >= FileHeader.size, slot.offset < window.size,
                let record = try window.record(at: slot.offset, journal: pages.header.id)
            else { continue }
            end = max(end, slot.offset + record.header.recordSize)
        }
        return end
    }

    /// Where the intact records end that follow what was published.
    private static func ends(
        of device: any JournalDevice, behind published: PublishedEnd
    ) throws(JournalError) -> [Int] {
        let size = try device.size()
        guard published.end >= FileHeader.size, published.end <= size, published.end & 7 == 0 else {
            return []
        }
        var window = FileWindow(device, size: size, capacity: 1 << 14)
        var (end, sequence) = (published.end, published.sequence)
        var ends: [Int] = []
        while let record = try window.record(at: end, journal: published.journal),
            record.header.sequence == sequence + 1
        {
            (end, sequence) = (end + record.header.recordSize, record.header.sequence)
            ends.append(end)
        }
        return ends
    }

    /// Throws if the file holds less than another process has said. That was durable before it was said.
    static func checkContents(of device: any JournalDevice) throws {
        // Before the size: what is published is written by then.
        guard let published = device.sharing?.published() else { return }
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
    /// A device up to the last record that is certain to be durable, beside others that write it.
    package static func beside(_ device: any JournalDevice) throws -> FixedDevice {
        try FixedDevice(device) { try JournalLog.durableEnd(of: device) }
    }

    /// A device up to its last byte that is not zero, while nobody writes it: what is allocated ahead may be written later.
    package static func whole(_ device: any JournalDevice) throws -> FixedDevice {
        try FixedDevice(device) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
            defer { buffer.deallocate() }
            var end = try device.size()
            while end > 0 {
                let start = max(0, end - buffer.count)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - start)])
                guard try device.read(into: part, at: start) == part.count else { break }
                // Word by word: others wait to open the file meanwhile, and most of what is looked at was allocated ahead. The last
                // word of a record is a checksum.
                if !UnsafeRawBufferPointer(part).isZero, let last = part.lastIndex(where: { $0 != 0 }) {
                    return min(
                        try device.size(), max(FileHeader.largestSize, start + (last + 8) / 8 * 8))
                }
                end = start
            }
            return nil
        }
    }
}
