#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RealmFile {
    /// Opens the file at a URL.
    ///
    /// - Throws: ``RealmFileError`` if the file does not exist or cannot be read.
    public convenience init(url: URL) throws(RealmFileError) {
        guard url.isFileURL else { throw .notFound }
        try self.init(path: url.path)
    }
}
