import KivoEngine

/// The header of a journal, of one or two pages. The bytes are drawn in `RecordFormat.swift`.
///
/// The second page is a copy in a block of its own, for when the disk loses the first one. Only one of the two is ever written
/// between two flushes, so that a loss of power leaves the other.
struct FileHeader {
    /// The bytes of a page of the header.
    static let size = 4096
    /// The bytes of both pages. In a file that was begun without the second one, its records begin there.
    static let largestSize = 2 * size
    /// What is written: since 3 there are pages and checkpoints, since 4 records name the journal.
    static let version: UInt32 = 4
    /// The oldest version that is read. A journal of it becomes one of ``version`` with the first page that is written.
    static let oldestVersion: UInt32 = 2

    private static let magic: [UInt8] = [0x4B, 0x49, 0x56, 0x4F, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let checksumOffset = 56
    static let fixedSize = 64
    /// The places of the two copies in each page.
    static let copyOffsets = [0, 2048]

    let id: UInt64
    var version = FileHeader.version
    /// The offset of the first record: the header has one page, or two.
    let recordsOffset: Int
    /// The pages in which a copy is damaged, by their offsets.
    private(set) var damagedPages: [Int] = []
    /// Whether a copy is damaged.
    var isDamaged: Bool { !damagedPages.isEmpty }

    /// The header of a new journal.
    init() {
        id = max(1, StoredRandomness.next() & JournalIdentity.namedBits)
        recordsOffset = FileHeader.largestSize
    }

    /// The header that a journal had which is damaged.
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

    /// Reads the first ``largestSize`` bytes of a file, or all if it has fewer. One of the copies is enough.
    init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        let places = [0, FileHeader.size].flatMap { page in FileHeader.copyOffsets.map { page + $0 } }
        guard let intact = places.first(where: { FileHeader.isIntact(bytes, at: $0) }) else {
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

    /// The identity of the journal on a device; nil if there are zeros in place of a header. One intact copy says it, and others are
    /// not read then.
    static func id(of device: any JournalDevice) throws(JournalError) -> UInt64? {
        var window = FileWindow(device, size: min(try device.size(), fixedSize), capacity: fixedSize)
        let first = try window.bytes(at: 0, count: fixedSize)
        if isIntact(first, at: 0) { return first.number(at: 16) }
        window = FileWindow(device, size: min(try device.size(), largestSize))
        let bytes = try window.bytes(at: 0, count: largestSize)
        return bytes.isZero ? nil : try FileHeader(bytes, of: device).id
    }

    /// Whether bytes are the first page of a header that was not written to its end, and that says of no record.
    ///
    /// A loss of power at the creation of a file may leave them: both pages are written at once, and are durable before a record is.
    static func isBegun(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard size..<largestSize ~= bytes.count,
            let intact = copyOffsets.first(where: { isIntact(bytes, at: $0) }),
            bytes.number(at: intact + 24) == UInt64(largestSize)
        else { return false }
        var start = 0
        for end in copyOffsets + [size] {
            if bytes[min(start, end)..<end].contains(where: { $0 != 0 }) { return false }
            start = end + fixedSize
        }
        return true
    }

    static func isIntact(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard bytes.count >= offset + fixedSize else { return false }
        let copy = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + fixedSize])
        return copy.starts(with: magic) && copy.number(at: checksumOffset) == checksum(copy, at: offset)
    }

    /// Writes the header into ``recordsOffset`` zeros.
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

    /// Writes all copies to a device whose header is of an earlier version, one after the other.
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

    /// The checksum of a copy. Those of the second page have seeds, so that no record of a file without one looks like them.
    private static func checksum(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        Checksum.of(
            UnsafeRawBufferPointer(rebasing: bytes[..<checksumOffset]),
            seed: offset < size ? 0 : UInt64(offset))
    }
}
