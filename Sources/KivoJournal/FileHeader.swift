/// The header of a journal. The bytes are drawn in `RecordFormat.swift`.
struct FileHeader {
    /// The bytes that the header and what is reserved for it take; the first record follows.
    static let size = 4096
    /// What is written: since 3 there are pages and checkpoints, since 4 records name the journal.
    static let version: UInt32 = 4
    /// The oldest version that is read. A journal of it becomes one of ``version`` with the first page that is written.
    static let oldestVersion: UInt32 = 2

    private static let magic: [UInt8] = [0x4B, 0x49, 0x56, 0x4F, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let checksumOffset = 56
    static let fixedSize = 64
    static let copyOffset = 2048

    let id: UInt64
    var version = FileHeader.version
    /// Whether one of the two copies is damaged.
    var isDamaged = false

    /// The header of a new journal.
    init() { id = UInt64.random(in: 1...JournalIdentity.namedBits) }

    /// The header that a journal had which is damaged.
    init(id: UInt64) {
        self.id = id
        isDamaged = true
    }

    /// Whether records name the journal.
    var namesJournal: Bool { version >= 4 }

    /// Reads the first ``size`` bytes of a file, or all if it has fewer. One of the two copies is enough.
    init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        let places = [0, FileHeader.copyOffset]
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
        guard bytes.count >= FileHeader.size else {
            throw .corrupt(offset: bytes.count, reason: "the file ends within its header")
        }
        id = bytes.number(at: intact + 16)
        let isSame = bytes[0..<FileHeader.fixedSize].elementsEqual(
            bytes[FileHeader.copyOffset..<FileHeader.copyOffset + FileHeader.fixedSize])
        isDamaged = !isSame
    }

    static func isIntact(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard bytes.count >= offset + fixedSize else { return false }
        let copy = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + fixedSize])
        return copy.starts(with: magic) && copy.number(at: checksumOffset) == checksum(copy)
    }

    /// Writes the header into ``size`` zeros.
    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        encodeCopy(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<FileHeader.fixedSize]))
        encodeCopy(into: UnsafeMutableRawBufferPointer(rebasing: bytes[FileHeader.copyOffset...]))
    }

    private func encodeCopy(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.copyBytes(from: FileHeader.magic)
        bytes.store(UInt64(version), at: 8)
        bytes.store(id, at: 16)
        bytes.store(FileHeader.checksum(UnsafeRawBufferPointer(bytes)), at: FileHeader.checksumOffset)
    }

    /// Writes both copies to a device whose header is damaged or of an earlier version, one after the other.
    func repair(_ device: any JournalDevice) throws(JournalError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: FileHeader.fixedSize, alignment: 16)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        encodeCopy(into: bytes)
        for offset in [0, FileHeader.copyOffset] {
            try device.write(UnsafeRawBufferPointer(bytes), at: offset)
            try device.synchronize()
        }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<checksumOffset]), seed: 0)
    }
}
