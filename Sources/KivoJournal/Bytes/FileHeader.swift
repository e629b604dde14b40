import KivoEngine

/// The header of a journal, of one or two pages. The bytes are drawn in `RecordFormat.swift`.
///
/// The second page is a copy in a block of its own, in case the disk loses the first one. Once the file is created, only one of
/// the two is written between two flushes, so that a loss of power leaves the other intact.
struct FileHeader {
    /// The size of a page of the header, in bytes.
    static let size = 4096
    /// The size of both pages, in bytes. In a file that was created with one page, the records begin where the second would be.
    static let largestSize = 2 * size
    /// The version that is written. Pages and checkpoints exist since version 3; records name the journal since version 4; words in
    /// pages are packed since version 5; rows whose primary keys ascend are not in an index since version 6; commits have stamps since
    /// version 7.
    static let version: UInt32 = 7
    /// The oldest version that is read. The first page that is written turns such a journal into one of ``version``: in place if no
    /// other process has the file open, else as a new file that replaces it.
    static let oldestVersion: UInt32 = 2

    private static let magic: [UInt8] = [0x4B, 0x49, 0x56, 0x4F, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let checksumOffset = 56
    static let fixedSize = 64
    /// The offsets of the two copies in each page.
    static let copyOffsets = [0, 2048]

    let id: UInt64
    var version = FileHeader.version
    /// The offset of the first record. It depends on whether the header has one page or two.
    let recordsOffset: Int
    /// The offsets of the pages in which a copy is damaged.
    private(set) var damagedPages: [Int] = []
    /// Whether a copy is damaged.
    var isDamaged: Bool { !damagedPages.isEmpty }

    /// Creates the header of a new journal.
    init() {
        id = max(1, StoredRandomness.next() & JournalIdentity.namedBits)
        recordsOffset = FileHeader.largestSize
    }

    /// Creates the header that a journal must have had whose header is damaged.
    ///
    /// - Parameter record: The offset of the first intact record.
    init(id: UInt64, record: Int) {
        self.id = id
        recordsOffset = record < FileHeader.largestSize ? FileHeader.size : FileHeader.largestSize
        damagedPages = pages
    }

    /// Whether records name the journal.
    var namesJournal: Bool { version >= 4 }

    /// The offsets of the header's pages.
    var pages: [Int] { recordsOffset == FileHeader.size ? [0] : [0, FileHeader.size] }

    /// Reads the header from the first ``largestSize`` bytes of a file, or from all if it has fewer. One intact copy is enough.
    init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        let offsets = [0, FileHeader.size].flatMap { page in FileHeader.copyOffsets.map { page + $0 } }
        guard let intact = offsets.first(where: { FileHeader.isIntact(bytes, at: $0) }) else {
            guard bytes.starts(with: FileHeader.magic) else { throw .notAJournal }
            throw bytes.count < FileHeader.fixedSize
                ? .corrupt(offset: bytes.count, reason: "the file ends within its header")
                : .corrupt(offset: 0, reason: "the checksum of the file's header is wrong")
        }
        let versionAndFlags = bytes.number(at: intact + 8)
        let version = UInt32(truncatingIfNeeded: versionAndFlags)
        guard versionAndFlags >> 32 == 0, (FileHeader.oldestVersion...FileHeader.version).contains(version)
        else { throw .unsupportedVersion(Int(version)) }
        self.version = version
        switch bytes.number(at: intact + 24) {
        case 0: recordsOffset = FileHeader.size
        case UInt64(FileHeader.largestSize): recordsOffset = FileHeader.largestSize
        default: throw .unsupportedVersion(Int(version))
        }
        guard bytes.count >= recordsOffset else {
            throw .corrupt(offset: bytes.count, reason: "the file ends within its header")
        }
        id = bytes.number(at: intact + 16)
        let content = bytes[intact..<intact + FileHeader.checksumOffset]
        damagedPages = pages.filter { page in
            FileHeader.copyOffsets.contains { copy in
                let start = page + copy
                return !FileHeader.isIntact(bytes, at: start)
                    || !bytes[start..<start + FileHeader.checksumOffset].elementsEqual(content)
            }
        }
    }

    /// Returns the identity of the journal on a device; nil if there are zeros in place of a header. If the first copy is intact,
    /// the others are not read.
    static func id(of device: any JournalDevice) throws(JournalError) -> UInt64? {
        var window = FileWindow(device, size: min(try device.size(), fixedSize), capacity: fixedSize)
        let first = try window.bytes(at: 0, count: fixedSize)
        if isIntact(first, at: 0) { return first.number(at: 16) }
        return try HeaderPages.read(device) { bytes throws(JournalError) in
            bytes.isZero ? nil : try FileHeader(bytes, of: device).id
        }
    }

    /// Returns the version of the journal on a device, which another program may have raised since this one opened it; returns nil if
    /// the header is damaged. Reads 16 bytes, unless the version is a later one than this program knows.
    ///
    /// - Throws: ``JournalError/unsupportedVersion(_:)``; any error of the device.
    static func version(of device: any JournalDevice) throws(JournalError) -> UInt32? {
        var words: (UInt64, UInt64) = (0, 0)
        _ = try withUnsafeMutableBytes(of: &words) { bytes throws(JournalError) in
            try device.read(into: bytes, at: 0)
        }
        let word = UInt64(littleEndian: words.1)
        if word <= UInt64(FileHeader.version) { return UInt32(word) }
        do {
            // The number of a damaged copy says nothing.
            return try HeaderPages.read(device) { bytes throws(JournalError) in try FileHeader(bytes).version
            }
        } catch .corrupt, .notAJournal {
            return nil
        }
    }

    /// Whether bytes are all of a file whose header was not written completely, and that refers to no record.
    ///
    /// A loss of power while a file is created may leave any sectors of a new header, and one that is written in part. Both pages are
    /// written at once, and are durable before any record. Without the place of the mark, a file that was cut off cannot be told from
    /// a new one.
    static func isBegun(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard AcknowledgedMark.offset + fixedSize...largestSize ~= bytes.count else { return false }
        var (hasCopy, position) = (false, 0)
        for start in [0, size].flatMap({ page in copyOffsets.map { page + $0 } }) where start < bytes.count {
            if bytes[position..<start].contains(where: { $0 != 0 }) { return false }
            position = min(start + fixedSize, bytes.count)
            let copy = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
            if copy.isZero { continue }
            if isIntact(bytes, at: start) {
                // With one intact copy, a file of both pages is a journal.
                guard bytes.count < largestSize, copy.number(at: 24) == UInt64(largestSize) else {
                    return false
                }
            } else {
                // A copy that was written in part lacks its last byte. The byte may be 0 in a whole copy, too.
                guard copy.count < fixedSize || copy[fixedSize - 1] == 0,
                    copy.starts(with: magic.prefix(copy.count - copy.trailingZeroCount))
                else { return false }
            }
            hasCopy = true
        }
        return hasCopy && !bytes[position...].contains { $0 != 0 }
    }

    static func isIntact(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard bytes.count >= offset + fixedSize else { return false }
        let copy = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + fixedSize])
        return copy.starts(with: magic) && copy.number(at: checksumOffset) == checksum(copy, at: offset)
    }

    /// Writes the header into a buffer of ``recordsOffset`` zeros.
    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        for page in pages {
            for copy in FileHeader.copyOffsets {
                encodeCopy(
                    into: UnsafeMutableRawBufferPointer(rebasing: bytes[(page + copy)...]), at: page + copy)
            }
        }
    }

    private func encodeCopy(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        bytes.copyBytes(from: FileHeader.magic)
        bytes.store(UInt64(version), at: 8)
        bytes.store(id, at: 16)
        bytes.store(recordsOffset == FileHeader.size ? 0 : UInt64(recordsOffset), at: 24)
        bytes.store(
            FileHeader.checksum(UnsafeRawBufferPointer(bytes), at: offset), at: FileHeader.checksumOffset)
    }

    /// Writes all copies, one after the other, to a device whose header is of an earlier version.
    func write(to device: any JournalDevice) throws(JournalError) {
        for page in pages { try write(to: device, page: page) }
    }

    /// Writes both copies of a page, one after the other.
    func write(to device: any JournalDevice, page: Int) throws(JournalError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: FileHeader.fixedSize, alignment: 16)
        defer { bytes.deallocate() }
        for copy in FileHeader.copyOffsets {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            encodeCopy(into: bytes, at: page + copy)
            try device.write(UnsafeRawBufferPointer(bytes), at: page + copy)
            try device.synchronize()
        }
    }

    /// Returns the checksum of a copy. Copies in the second page have seeds, so that no record of a file without that page looks
    /// like one.
    private static func checksum(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        Checksum.of(
            UnsafeRawBufferPointer(rebasing: bytes[..<checksumOffset]),
            seed: offset < size ? 0 : UInt64(offset))
    }
}

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

extension UnsafeRawBufferPointer {
    /// The number of zeros behind the last other byte.
    fileprivate var trailingZeroCount: Int { count - (lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0) }
}
