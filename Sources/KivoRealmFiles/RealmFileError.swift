/// Why a Realm file, or a part of it, could not be read.
///
/// Reading never changes a file, so whatever is thrown, it is as it was.
public enum RealmFileError: Error, Equatable, Sendable {
    /// There is no such file.
    case notFound
    /// The file may not be opened, or it is a folder, a pipe or another thing that is not a file.
    case permissionDenied
    /// The system refused an operation for another reason, with this error number.
    case io(errno: Int32, operation: String)
    /// The file has no bytes: a Realm which nothing has been written to yet.
    case empty
    /// The file ends before what it says it holds, at a byte offset.
    case truncated(offset: Int, reason: String)
    /// The bytes are of another format.
    case notARealm(offset: Int, reason: String)
    /// The file is, as far as this can be told without the key, an encrypted Realm file.
    case encrypted
    /// The file has a format version which is not read: the number, and where it stands.
    case unsupportedVersion(Int, offset: Int)
    /// The header says that the Realm has no tables, but also names an earlier version of it that has some: its
    /// flags are damaged, or it was emptied.
    case emptyOrDamaged(offset: Int, reason: String)
    /// A part of the file makes no sense, at a byte offset, as the reason says in words.
    case damaged(offset: Int, reason: String)

    /// The format versions which are read.
    public static let readableVersions: Set<Int> = [10, 11, 20, 21, 22, 23, 24]

    /// The byte offset in the file where reading failed, nil for errors of the system.
    public var offset: Int? {
        switch self {
        case .notFound, .permissionDenied, .io: nil
        case .empty: 0
        // Where the letters of the format stand in a file which is not encrypted.
        case .encrypted: FileHeader.magicOffset
        case .truncated(let offset, _), .notARealm(let offset, _), .unsupportedVersion(_, let offset),
            .emptyOrDamaged(let offset, _), .damaged(let offset, _):
            offset
        }
    }
}

extension RealmFileError: CustomStringConvertible {
    /// The error in words.
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
        case .emptyOrDamaged(let offset, let reason):
            "the Realm is empty or its header is damaged (byte \(offset)): \(reason)"
        case .damaged(let offset, let reason): "the file is damaged at byte \(offset): \(reason)"
        }
    }
}
