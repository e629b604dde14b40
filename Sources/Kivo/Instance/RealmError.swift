import Foundation

extension Realm {
    /// What data, files and other processes can make go wrong. After an error the data is as it was before.
    ///
    /// Errors can be matched by code: `catch Realm.Error.fileNotFound`.
    public struct Error: Swift.Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
        /// What kind of error it is. The numbers are those of the established engine.
        public enum Code: Int, Sendable {
            /// Something that no other code names: a log of another kind failed, or gave no answer.
            case fail = 1
            /// The system refused an operation on the file, or the file was deleted, moved or replaced while it was open.
            case fileAccess = 2
            /// The file, or its folder, may not be opened or written.
            case filePermissionDenied = 3
            /// A file that was to be made exists already.
            case fileExists = 4
            /// The file, or the folder to create it in, does not exist.
            case fileNotFound = 5
            /// The file is of an older format.
            case fileFormatUpgradeRequired = 6
            /// Another version holds the file. Not produced.
            case incompatibleLockFile = 8
            /// There is no address space left. Not produced.
            case addressSpaceExhausted = 9
            /// A class is declared otherwise than the file has it, or the file has a higher schema version.
            case schemaMismatch = 10
            /// The file is open in another process, or in this one for reading only (or for writing, if that is asked for).
            case alreadyOpen = 12
            /// A value cannot be used, such as a duplicate primary key, or a URL that is not of a file.
            case invalidInput = 13
            /// The disk or the quota is full.
            case outOfDiskSpace = 14
            /// The file belongs to another session of a server. Not produced.
            case incompatibleSession = 15
            /// The file was written by a later version.
            case unsupportedFileFormatVersion = 16
            /// Several processes sync the file. Not produced.
            case multipleSyncAgents = 17
            /// A subscription was refused. Not produced.
            case subscriptionFailed = 18
            /// An operation on the file failed. Not produced.
            case fileOperationFailed = 19
            /// The file is of another format, or damaged.
            case invalidDatabase = 20
            /// The histories of two files do not fit together. Not produced.
            case incompatibleHistories = 21
            /// An object is outside of all subscriptions. Not produced.
            case noSubscriptionForWrite = 22
            /// Somebody else has committed to the same log first: nothing of the write was carried out, and it may be tried again.
            /// Only with a ``Realm/Configuration/commitLog`` that keeps nobody from writing.
            case conflictingWrite = 1001
            /// Another process or thread was writing for longer than ``Realm/Configuration/lockTimeout``: nothing of the write was
            /// carried out, and it may be tried again.
            case lockTimeout = 1010
        }

        /// What kind of error it is.
        public let code: Code
        /// The file, if it is about one.
        public let fileURL: URL?
        /// What happened, in a sentence.
        public let message: String

        /// An error of a kind, in words.
        public init(_ code: Code, _ message: String, fileURL: URL? = nil) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
        }

        /// What happened, in a sentence.
        public var description: String { "Realm.Error.\(code): \(message)" }
        /// What happened, in a sentence.
        public var errorDescription: String? { message }

        /// What an operation fails with that says no more than that it failed. Not produced.
        public static let callFailed = Realm.Error(.fail, "The call failed.")

        /// For `catch Realm.Error.fail`.
        public static let fail = Code.fail
        /// For `catch Realm.Error.fileAccess`.
        public static let fileAccess = Code.fileAccess
        /// For `catch Realm.Error.filePermissionDenied`.
        public static let filePermissionDenied = Code.filePermissionDenied
        /// For `catch Realm.Error.fileExists`.
        public static let fileExists = Code.fileExists
        /// For `catch Realm.Error.fileNotFound`.
        public static let fileNotFound = Code.fileNotFound
        /// For `catch Realm.Error.fileFormatUpgradeRequired`.
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        /// For `catch Realm.Error.incompatibleLockFile`.
        public static let incompatibleLockFile = Code.incompatibleLockFile
        /// For `catch Realm.Error.addressSpaceExhausted`.
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        /// For `catch Realm.Error.schemaMismatch`.
        public static let schemaMismatch = Code.schemaMismatch
        /// For `catch Realm.Error.alreadyOpen`.
        public static let alreadyOpen = Code.alreadyOpen
        /// For `catch Realm.Error.invalidInput`.
        public static let invalidInput = Code.invalidInput
        /// For `catch Realm.Error.outOfDiskSpace`.
        public static let outOfDiskSpace = Code.outOfDiskSpace
        /// For `catch Realm.Error.unsupportedFileFormatVersion`.
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        /// For `catch Realm.Error.fileOperationFailed`.
        public static let fileOperationFailed = Code.fileOperationFailed
        /// For `catch Realm.Error.invalidDatabase`.
        public static let invalidDatabase = Code.invalidDatabase
        /// For `catch Realm.Error.incompatibleSession`.
        public static let incompatibleSession = Code.incompatibleSession
        /// For `catch Realm.Error.multipleSyncAgents`.
        public static let multipleSyncAgents = Code.multipleSyncAgents
        /// For `catch Realm.Error.subscriptionFailed`.
        public static let subscriptionFailed = Code.subscriptionFailed
        /// For `catch Realm.Error.incompatibleHistories`.
        public static let incompatibleHistories = Code.incompatibleHistories
        /// For `catch Realm.Error.noSubscriptionForWrite`.
        public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
        /// For `catch Realm.Error.conflictingWrite`.
        public static let conflictingWrite = Code.conflictingWrite
        /// For `catch Realm.Error.lockTimeout`.
        public static let lockTimeout = Code.lockTimeout
    }
}

extension Realm.Error: CustomNSError {
    /// `"io.realm"`, as with the established engine.
    public static var errorDomain: String { "io.realm" }
    /// The number of the ``code``.
    public var errorCode: Int { code.rawValue }
    /// The message, and the path of the file if it is about one.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let fileURL { info[NSFilePathErrorKey] = fileURL.path }
        return info
    }
}

/// Whether an error is of a code, for `catch Realm.Error.fileNotFound`.
public func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
}
