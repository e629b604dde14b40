/// The pages of a journal's header together: each statement is taken from the page that says most.
///
/// A copy may say less than the other, never what is wrong: the records that it says were acknowledged were, and the checkpoints to
/// which it leads stay where they are. So a stale copy needs no sign.
struct HeaderPages {
    /// The header itself.
    let header: FileHeader
    /// The mark, which the first page alone has.
    let mark: AcknowledgedMark
    /// The slots of all pages, the newest first.
    let slots: [CheckpointSlot]

    /// Reads the pages of a device, of which only so many bytes are looked at.
    init(_ device: any JournalDevice, size: Int) throws(JournalError) {
        var window = FileWindow(device, size: min(size, FileHeader.largestSize))
        let bytes = try window.bytes(at: 0, count: FileHeader.largestSize)
        self.init(bytes, try FileHeader(bytes, of: device))
    }

    /// The pages of a header that was read.
    init(_ bytes: UnsafeRawBufferPointer, _ header: FileHeader) {
        self.header = header
        // Of a damaged file there may be less.
        let pages = header.pages.filter { $0 + FileHeader.size <= bytes.count }
        mark = pages.isEmpty ? AcknowledgedMark() : AcknowledgedMark(bytes, journal: header.id)
        slots = pages.flatMap { CheckpointSlot.all(bytes, journal: header.id, page: $0) }
            .sorted { $0.sequence > $1.sequence }
    }

    /// Writes the damaged pages again.
    func repair(_ device: any JournalDevice) throws(JournalError) {
        for page in header.damagedPages {
            try header.write(to: device, page: page)
            if let slot = slots.first { try slot.write(to: device, journal: header.id, page: page) }
            try device.synchronize()
        }
    }
}
