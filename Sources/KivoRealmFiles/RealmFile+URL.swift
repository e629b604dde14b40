#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RealmFile {
    /// Opens the file at a URL.
    ///
    /// - Throws: ``RealmFileError`` if there is no such file, or it is not one that can be read.
    public convenience init(url: URL) throws(RealmFileError) {
        guard url.isFileURL else { throw .notFound }
        try self.init(path: url.path)
    }
}
