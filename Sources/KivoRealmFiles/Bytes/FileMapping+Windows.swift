#if os(Windows)

import Foundation

/// The bytes of a file on disk, mapped to be read only, through Foundation.
///
/// Owns the mapping, which goes with it.
struct FileMapping: ~Copyable {
    let bytes: UnsafeRawBufferPointer
    /// Keeps `bytes` where they are.
    private let data: NSData

    init(path: String) throws(RealmFileError) {
        do {
            data = try NSData(contentsOfFile: path, options: .mappedIfSafe)
        } catch CocoaError.fileReadNoSuchFile {
            throw .notFound
        } catch {
            throw .permissionDenied
        }
        guard data.length > 0 else { throw .empty }
        bytes = UnsafeRawBufferPointer(start: data.bytes, count: data.length)
    }
}

#endif
