/// The 24 bytes at the start of a file, with the current one of two snapshots and its offset.
struct FileHeader {
    static let size = 24
    static let magicOffset = 16
    private static let footerSize = 16
    private static let magic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]
    private static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8

    /// The current one of the header's two slots: 0 or 1.
    let slot: Int
    /// Whether the top reference is at the end of the file, which was written front to back.
    let isStreaming: Bool
    let version: Int
    /// The offset of the current snapshot; 0 if there is none.
    let top: UInt64
    /// The offset of `top` itself.
    let topOffset: Int

    init(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
        guard bytes.count > 0 else { throw .empty }
        guard bytes.count >= FileHeader.size else {
            throw .truncated(offset: bytes.count, reason: "the header has 24 bytes")
        }
        guard bytes[FileHeader.magicOffset..<20].elementsEqual(FileHeader.magic) else {
            if FileHeader.looksEncrypted(bytes) { throw .encrypted }
            throw .notARealm(offset: FileHeader.magicOffset, reason: "the letters of the format are missing")
        }
        guard bytes.count % 8 == 0 else {
            throw .truncated(offset: bytes.count, reason: "the size is not a multiple of 8")
        }
        slot = Int(bytes[23] & 1)
        let ref = FileHeader.word(bytes, at: 8 * slot)
        let other = FileHeader.word(bytes, at: 8 * (1 - slot))
        version = Int(bytes[20 + slot])
        isStreaming = slot == 0 && ref == .max
        if isStreaming {
            let footer = bytes.count - FileHeader.footerSize
            guard footer >= FileHeader.size, FileHeader.word(bytes, at: footer + 8) == FileHeader.footerCookie
            else {
                throw .truncated(
                    offset: bytes.count, reason: "the end of a file written front to back is missing")
            }
            top = FileHeader.word(bytes, at: footer)
            topOffset = footer
        } else {
            top = ref
            topOffset = 8 * slot
        }
        if top == 0, !isStreaming, other != 0 {
            throw .emptyOrDamaged(
                offset: 23, reason: "the current snapshot has no tables, but there is an earlier one")
        }
        // A realm to which nothing was written may not have a version yet.
        guard RealmFileError.readableVersions.contains(version) || top == 0 && version == 0 else {
            throw .unsupportedVersion(version, offset: 20 + slot)
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether the file begins like an encrypted one, with a page that has a write counter and a hash for each following page.
    /// This is uncertain without the key.
    private static func looksEncrypted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 8192, bytes.count % 4096 == 0 else { return false }
        let writes = UInt32(truncatingIfNeeded: word(bytes, at: 0))
        guard (1...100_000).contains(writes) else { return false }
        // Images and fonts begin with small numbers as well, but not with 28 bytes that nearly all differ.
        return Set(bytes[4..<32]).count >= 16
    }
}
