#if os(Windows)

import Foundation

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

#endif
