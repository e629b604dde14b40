/// The combined pages of a journal's header. Each statement is taken from the page that says most.
///
/// A stale copy may say less than the other, but nothing wrong: the records that it says were acknowledged were, and the
/// checkpoints to which it leads stay where they are. So it needs no sign that it is stale.
struct HeaderPages {
    let header: FileHeader
    /// The mark, which only the first page has.
    let mark: AcknowledgedMark
    /// The slots of all pages, newest first.
    let slots: [CheckpointSlot]

    /// Reads the pages of a device from its first `size` bytes.
    init(_ device: any JournalDevice, size: Int) throws(JournalError) {
        self = try HeaderPages.read(device, size: size) { bytes throws(JournalError) in
            HeaderPages(bytes, try FileHeader(bytes, of: device))
        }
    }

    /// Calls `body` with the bytes of a device that its header can occupy, or with all bytes if there are fewer.
    ///
    /// - Parameter size: The size of the device; nil if it is not known yet.
    static func read<Result>(
        _ device: any JournalDevice, size: Int? = nil,
        _ body: (UnsafeRawBufferPointer) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        let known = if let size { size } else { try device.size() }
        var window = FileWindow(device, size: min(known, FileHeader.largestSize))
        return try body(try window.bytes(at: 0, count: FileHeader.largestSize))
    }

    /// Combines the pages of a header that was read.
    init(_ bytes: UnsafeRawBufferPointer, _ header: FileHeader) {
        self.header = header
        // A damaged file may be shorter than its header.
        let pages = header.pages.filter { $0 + FileHeader.size <= bytes.count }
        mark = pages.isEmpty ? AcknowledgedMark() : AcknowledgedMark(bytes, journal: header.id)
        slots = pages.flatMap { CheckpointSlot.all(bytes, journal: header.id, page: $0) }
            .sorted { $0.sequence > $1.sequence }
    }

    /// Rewrites the damaged pages.
    func repair(_ device: any JournalDevice) throws(JournalError) {
        for page in header.damagedPages {
            try header.write(to: device, page: page)
            if let slot = slots.first { try slot.write(to: device, journal: header.id, page: page) }
            try device.synchronize()
        }
    }
}
