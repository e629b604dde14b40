import Foundation
import KivoJournal

extension Realm {
    /// An error that data, files or other processes can cause. After an error the data is unchanged.
    ///
    /// Errors can be matched by code: `catch Realm.Error.fileNotFound`.
    public struct Error: Swift.Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
        /// The kind of an error. The numbers are those of the established engine.
        public enum Code: Int, Sendable {
            /// A failure that has no other code: a log of another kind failed, or did not answer.
            case fail = 1
            /// The system denied an operation on the file, or the file was deleted, moved or replaced while it was open.
            case fileAccess = 2
            /// The process has no permission to open or write the file, or its folder.
            case filePermissionDenied = 3
            /// A file that was to be created exists already.
            case fileExists = 4
            /// The file, or the folder to create it in, does not exist.
            case fileNotFound = 5
            /// The file has an older format.
            case fileFormatUpgradeRequired = 6
            /// Another version holds the file. Kivo never throws this error.
            case incompatibleLockFile = 8
            /// There is no address space left. Kivo never throws this error.
            case addressSpaceExhausted = 9
            /// The declaration of a class differs from the file's, or the file has a higher schema version.
            case schemaMismatch = 10
            /// The file is open in another process, or in this process with a different read permission.
            case alreadyOpen = 12
            /// A value is invalid, such as a duplicate primary key, or a URL that is no file URL.
            case invalidInput = 13
            /// The disk or the quota is full.
            case outOfDiskSpace = 14
            /// The file belongs to another session of a server. Kivo never throws this error.
            case incompatibleSession = 15
            /// The file was written by a later version.
            case unsupportedFileFormatVersion = 16
            /// Several processes sync the file. Kivo never throws this error.
            case multipleSyncAgents = 17
            /// A subscription was rejected. Kivo never throws this error.
            case subscriptionFailed = 18
            /// An operation on the file failed. Kivo never throws this error.
            case fileOperationFailed = 19
            /// The file has another format, or is damaged.
            case invalidDatabase = 20
            /// The histories of two files do not fit together. Kivo never throws this error.
            case incompatibleHistories = 21
            /// An object is outside of all subscriptions. Kivo never throws this error.
            case noSubscriptionForWrite = 22
            /// Another writer has committed to the same log first. Nothing of the write was carried out, and it may be tried
            /// again. Only with a ``Realm/Configuration/commitLog`` that does not exclude other writers.
            case conflictingWrite = 1001
            /// Another process or thread was writing for longer than ``Realm/Configuration/lockTimeout``. Nothing of the write
            /// was carried out, and it may be tried again.
            case lockTimeout = 1010
            /// A log did not say until ``Realm/Configuration/commitTimeout`` whether the write was carried out. The realm shows
            /// it once it turns out that it was. ``Realm/wasCarriedOut(_:)`` finds it out; trying again before may do twice what
            /// is to be done once.
            case unknownOutcome = 1011
            /// A log could not be reached, or takes no commits. Nothing of the write was carried out.
            case logUnavailable = 1012
            /// The log was replaced by another, or restored from an older backup.
            case otherLog = 1013
            /// The commit is larger than its log takes. Nothing of the write was carried out.
            case commitTooLarge = 1014
            /// A log does not let the program in, or not do what it asked for: a password has changed, or a right is missing.
            /// Nothing of the write was carried out.
            case logAccessDenied = 1015
        }

        /// The kind of the error.
        public let code: Code
        /// The file, or nil if the error is not about one.
        public let fileURL: URL?
        /// A sentence that describes the error.
        public let message: String
        /// The commit of an unknown outcome; nil for other errors.
        package var unknown: UnknownAppend?

        /// Creates an error from a code and a message.
        public init(_ code: Code, _ message: String, fileURL: URL? = nil) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
        }

        /// The code and the message.
        public var description: String { "Realm.Error.\(code): \(message)" }
        /// The message.
        public var errorDescription: String? { message }

        /// An unspecified failure. Kivo never throws this error.
        public static let callFailed = Realm.Error(.fail, "The call failed.")

        /// The code to match with `catch Realm.Error.fail`.
        public static let fail = Code.fail
        /// The code to match with `catch Realm.Error.fileAccess`.
        public static let fileAccess = Code.fileAccess
        /// The code to match with `catch Realm.Error.filePermissionDenied`.
        public static let filePermissionDenied = Code.filePermissionDenied
        /// The code to match with `catch Realm.Error.fileExists`.
        public static let fileExists = Code.fileExists
        /// The code to match with `catch Realm.Error.fileNotFound`.
        public static let fileNotFound = Code.fileNotFound
        /// The code to match with `catch Realm.Error.fileFormatUpgradeRequired`.
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        /// The code to match with `catch Realm.Error.incompatibleLockFile`.
        public static let incompatibleLockFile = Code.incompatibleLockFile
        /// The code to match with `catch Realm.Error.addressSpaceExhausted`.
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        /// The code to match with `catch Realm.Error.schemaMismatch`.
        public static let schemaMismatch = Code.schemaMismatch
        /// The code to match with `catch Realm.Error.alreadyOpen`.
        public static let alreadyOpen = Code.alreadyOpen
        /// The code to match with `catch Realm.Error.invalidInput`.
        public static let invalidInput = Code.invalidInput
        /// The code to match with `catch Realm.Error.outOfDiskSpace`.
        public static let outOfDiskSpace = Code.outOfDiskSpace
        /// The code to match with `catch Realm.Error.unsupportedFileFormatVersion`.
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        /// The code to match with `catch Realm.Error.fileOperationFailed`.
        public static let fileOperationFailed = Code.fileOperationFailed
        /// The code to match with `catch Realm.Error.invalidDatabase`.
        public static let invalidDatabase = Code.invalidDatabase
        /// The code to match with `catch Realm.Error.incompatibleSession`.
        public static let incompatibleSession = Code.incompatibleSession
        /// The code to match with `catch Realm.Error.multipleSyncAgents`.
        public static let multipleSyncAgents = Code.multipleSyncAgents
        /// The code to match with `catch Realm.Error.subscriptionFailed`.
        public static let subscriptionFailed = Code.subscriptionFailed
        /// The code to match with `catch Realm.Error.incompatibleHistories`.
        public static let incompatibleHistories = Code.incompatibleHistories
        /// The code to match with `catch Realm.Error.noSubscriptionForWrite`.
        public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
        /// The code to match with `catch Realm.Error.conflictingWrite`.
        public static let conflictingWrite = Code.conflictingWrite
        /// The code to match with `catch Realm.Error.lockTimeout`.
        public static let lockTimeout = Code.lockTimeout
        /// The code to match with `catch Realm.Error.unknownOutcome`.
        public static let unknownOutcome = Code.unknownOutcome
        /// The code to match with `catch Realm.Error.logUnavailable`.
        public static let logUnavailable = Code.logUnavailable
        /// The code to match with `catch Realm.Error.otherLog`.
        public static let otherLog = Code.otherLog
        /// The code to match with `catch Realm.Error.commitTooLarge`.
        public static let commitTooLarge = Code.commitTooLarge
        /// The code to match with `catch Realm.Error.logAccessDenied`.
        public static let logAccessDenied = Code.logAccessDenied
    }
}

extension Realm.Error: CustomNSError {
    /// The domain `"io.realm"`, as with the established engine.
    public static var errorDomain: String { "io.realm" }
    /// The number of the ``code``.
    public var errorCode: Int { code.rawValue }
    /// The message, and the path of the file if the error is about one.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let fileURL { info[NSFilePathErrorKey] = fileURL.path }
        return info
    }
}

extension Realm.Error {
    /// Creates an error from a code and the user info of an `NSError`.
    ///
    ///     throw Realm.Error(.fail)
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - userInfo: The message under `NSLocalizedDescriptionKey`, the path of the file under `NSFilePathErrorKey`; other keys
    ///     are ignored.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(
            code, userInfo[NSLocalizedDescriptionKey] as? String ?? "An error of kind '\(code)' occurred.",
            fileURL: (userInfo[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) })
    }

    /// The message, and the path of the file if the error is about one, under the keys of `NSError`.
    public var userInfo: [String: Any] { errorUserInfo }
}

/// Returns a Boolean value that indicates whether an error has a code, for `catch Realm.Error.fileNotFound`.
public func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
}
