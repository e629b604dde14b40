/// An owner of the bytes of a file, mapped or copied. They stay in place and unchanged until the owner is released.
///
/// All reading goes through its `view`, within `withExtendedLifetime` of the file.
///
/// The bytes are only read, and both properties are constants, so that it can be used from any thread.
final class FileBytes: @unchecked Sendable {
    private let memory: Memory
    let bytes: UnsafeRawBufferPointer

    private enum Memory: ~Copyable {
        case mapped(FileMapping)
        case copied
    }

    init(path: String) throws(RealmFileError) {
        let mapping = try FileMapping(path: path)
        bytes = mapping.bytes
        memory = .mapped(mapping)
    }

    init(copying source: [UInt8]) throws(RealmFileError) {
        guard !source.isEmpty else { throw .empty }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 8)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(copy)
        memory = .copied
    }

    deinit {
        switch memory {
        case .mapped: break
        case .copied: bytes.deallocate()
        }
    }
}
