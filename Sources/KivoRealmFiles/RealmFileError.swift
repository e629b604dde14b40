/// The reason why a realm file, or a part of it, could not be read.
///
/// Reading never changes a file: it is the same after any error.
public enum RealmFileError: Error, Equatable, Sendable {
    /// The file does not exist.
    case notFound
    /// The file may not be opened, or it is a folder, a pipe or another object that is not a regular file.
    case permissionDenied
    /// The system reported another error, with this error number.
    case io(errno: Int32, operation: String)
    /// The file has no bytes: nothing has been written to the realm yet.
    case empty
    /// The file ends before its announced contents, at a byte offset.
    case truncated(offset: Int, reason: String)
    /// The bytes are of another format.
    case notARealm(offset: Int, reason: String)
    /// The file is probably an encrypted realm file. This is uncertain without the key.
    case encrypted
    /// The file has a format version that cannot be read: the number, and its offset.
    case unsupportedVersion(Int, offset: Int)
    /// The header says that the realm has no tables, but also refers to an earlier version of it that has some. Either its flags
    /// are damaged, or the realm was emptied.
    case emptyOrDamaged(offset: Int, reason: String)
    /// A part of the file is invalid, at a byte offset, for a reason.
    case damaged(offset: Int, reason: String)

    /// The format versions that can be read.
    public static let readableVersions: Set<Int> = [10, 11, 20, 21, 22, 23, 24]

    /// The byte offset in the file where reading failed, or nil for errors of the system.
    public var offset: Int? {
        switch self {
        case .notFound, .permissionDenied, .io: nil
        case .empty: 0
        // The offset of the format's letters in a file that is not encrypted.
        case .encrypted: FileHeader.magicOffset
        case .truncated(let offset, _), .notARealm(let offset, _), .unsupportedVersion(_, let offset),
            .emptyOrDamaged(let offset, _), .damaged(let offset, _):
            offset
        }
    }
}

extension RealmFileError: CustomStringConvertible {
    /// A description of the error.
    public var description: String {
        switch self {
        case .notFound: "the file does not exist"
        case .permissionDenied: "the file may not be opened, or is not a regular file"
        case .io(let errno, let operation): "\(operation) failed (error \(errno))"
        case .empty: "the file is empty: nothing has been written to this Realm"
        case .truncated(let offset, let reason): "the file is cut off at byte \(offset): \(reason)"
        case .notARealm(let offset, let reason): "the file is not a Realm file (byte \(offset)): \(reason)"
        case .encrypted: "the file is probably an encrypted Realm file (or not a Realm file at all)"
        case .unsupportedVersion(let version, _):
            "the file has format version \(version); versions 10, 11 and 20 to 24 are read"
                + (version < 10
                    ? ". Realm before 5.0 wrote it: open it once with realm-swift 5.0 to 10.48, which convert it"
                    : "")
        case .emptyOrDamaged(let offset, let reason):
            "the Realm is empty or its header is damaged (byte \(offset)): \(reason)"
        case .damaged(let offset, let reason): "the file is damaged at byte \(offset): \(reason)"
        }
    }
}
