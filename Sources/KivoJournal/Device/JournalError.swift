/// The reason why a journal could not be opened, read or written.
///
/// Whichever error is thrown, the records that were in the file stay unchanged.
package enum JournalError: Error, Equatable, Sendable {
    /// The file to create already exists.
    case exists
    /// The file, or the folder in which to create it, does not exist.
    case notFound
    /// The file may not be opened or written: its permissions, a read-only volume or a read-only journal.
    case permissionDenied
    /// The disk is full.
    case noSpace
    /// The disk has space, but the user's quota is used up.
    case quotaExceeded
    /// The file would exceed a size limit of the file system or of the process.
    case tooLarge
    /// The bytes are of another format.
    case notAJournal
    /// The file was written in a format version, or with format flags, that this code does not know.
    case unsupportedVersion(Int)
    /// The file is damaged before its end, at a byte offset. The reason is a text.
    case corrupt(offset: Int, reason: String)
    /// Another process, or another device of this one, has the file open.
    case alreadyOpen
    /// The file was deleted, moved or replaced since it was opened. Anything written to it would be lost.
    case displaced
    /// Another process has migrated the file, which this one has open, to this schema version.
    case migrated(schemaVersion: UInt64)
    /// Another process has kept the file locked for longer than the timeout of a write; its process number, if the system reports
    /// it.
    case timedOut(holder: Int32?)
    /// The file cannot be used, for a reason given as text.
    case refused(String)
    /// The system refused an operation for another reason, with this error number.
    case io(errno: Int32, operation: String)

    /// A Boolean value that indicates whether there is no space for the write: on the disk, in the quota, or within a size limit.
    package var isNoSpace: Bool { self == .noSpace || self == .quotaExceeded || self == .tooLarge }

    /// A Boolean value that indicates whether the error is about the contents of the file, rather than access to it or its version.
    package var isDamage: Bool {
        switch self {
        case .corrupt, .notAJournal: true
        case .exists, .notFound, .permissionDenied, .noSpace, .quotaExceeded, .tooLarge, .unsupportedVersion,
            .alreadyOpen, .displaced, .migrated, .timedOut, .refused, .io:
            false
        }
    }

    /// The format version that is read and written.
    package static let currentVersion = Int(FileHeader.version)

    /// The minimal size of a file in bytes, unless it is empty.
    package static let leastFileSize = FileHeader.size

    /// The offset of the first record of a new file.
    package static let recordsOffset = FileHeader.largestSize

    /// Returns the error for a record that passed its checksum but has invalid contents.
    static func senseless(_ what: String) -> JournalError {
        .corrupt(offset: 0, reason: "a commit makes no sense: \(what)")
    }
}

extension JournalError: CustomStringConvertible {
    /// The description of the error.
    package var description: String {
        switch self {
        case .exists: "the file exists already"
        case .notFound: "the file or its folder does not exist"
        case .permissionDenied: "the file may not be opened or written"
        case .noSpace: "there is no space left on the disk"
        case .quotaExceeded: "the user's quota of space on the disk is used up"
        case .tooLarge: "the file may not become larger: the file system or the process has a limit"
        case .notAJournal: "the file is not a Kivo journal"
        case .unsupportedVersion(let version):
            version < JournalError.currentVersion
                ? "the file has the earlier format version \(version), which this version of Kivo does not read"
                : "the file has format version \(version) or flags that this version of Kivo cannot read"
        case .corrupt(let offset, let reason): "the file is damaged at byte \(offset): \(reason)"
        case .alreadyOpen: "the file is already open elsewhere"
        case .displaced: "the file was deleted, moved or replaced since it was opened"
        case .migrated(let version):
            """
            another process has migrated the file to schema version \(version): close the realm, and open it again with the \
            classes of that version
            """
        case .timedOut(let holder):
            """
            \(holder.map { "process \($0)" } ?? "another process") has been writing the file for longer than a write is to wait
            """
        case .refused(let reason): reason
        case .io(let errno, let operation): "\(operation) failed: \(systemErrorText(errno)) (error \(errno))"
        }
    }
}
