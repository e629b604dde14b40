#if os(Windows)
import Foundation
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

#if os(Windows)

/// The bytes of a file on disk, mapped for reading through Foundation.
///
/// Owns the mapping, which ends with it.
struct FileMapping: ~Copyable {
    let bytes: UnsafeRawBufferPointer
    /// The owner of `bytes`, which keeps them in place.
    private let data: NSData

    init(path: String) throws(RealmFileError) {
        let data = try FileMapping.data(of: path)
        guard data.length > 0 else { throw .empty }
        self.data = data
        bytes = UnsafeRawBufferPointer(start: data.bytes, count: data.length)
    }

    private static func data(of path: String) throws(RealmFileError) -> NSData {
        do {
            return try NSData(contentsOfFile: path, options: .mappedIfSafe)
        } catch CocoaError.fileReadNoSuchFile {
            throw .notFound
        } catch {
            throw .permissionDenied
        }
    }
}

#else

/// The bytes of a file on disk, mapped for reading.
///
/// Owns the mapping, which ends with it.
struct FileMapping: ~Copyable {
    let bytes: UnsafeRawBufferPointer

    init(path: String) throws(RealmFileError) {
        // Without O_NONBLOCK, opening a pipe would wait until another process opens its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileMapping.failure("opening the file") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileMapping.failure("asking for the size") }
        guard mode_t(truncatingIfNeeded: status.st_mode) & S_IFMT == S_IFREG else { throw .permissionDenied }
        guard let count = Int(exactly: status.st_size) else {
            throw .io(errno: EFBIG, operation: "mapping the file")
        }
        guard count > 0 else { throw .empty }
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw FileMapping.failure("mapping the file")
        }
        bytes = UnsafeRawBufferPointer(start: start, count: count)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count)
    }

    private static func failure(_ operation: String) -> RealmFileError {
        switch errno {
        case ENOENT, ENOTDIR: .notFound
        case EACCES, EPERM, EISDIR, ENXIO: .permissionDenied
        default: .io(errno: errno, operation: operation)
        }
    }
}

#endif
