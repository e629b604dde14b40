import Foundation

extension Realm {
    /// What data, files and other processes can make go wrong. After an error the data is as it was before.
    ///
    /// Errors can be matched by code: `catch Realm.Error.fileNotFound`.
    public struct Error: Swift.Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
        /// What kind of error it is. The numbers are those of the established engine.
        public enum Code: Int, Sendable {
            case fail = 1
            case fileAccess = 2
            case filePermissionDenied = 3
            case fileExists = 4
            case fileNotFound = 5
            case fileFormatUpgradeRequired = 6
            case incompatibleLockFile = 8
            case addressSpaceExhausted = 9
            case schemaMismatch = 10
            case alreadyOpen = 12
            case invalidInput = 13
            case outOfDiskSpace = 14
            case unsupportedFileFormatVersion = 16
            case fileOperationFailed = 19
            case invalidDatabase = 20
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

        public static let fail = Code.fail
        public static let fileAccess = Code.fileAccess
        public static let filePermissionDenied = Code.filePermissionDenied
        public static let fileExists = Code.fileExists
        public static let fileNotFound = Code.fileNotFound
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        public static let incompatibleLockFile = Code.incompatibleLockFile
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        public static let schemaMismatch = Code.schemaMismatch
        public static let alreadyOpen = Code.alreadyOpen
        public static let invalidInput = Code.invalidInput
        public static let outOfDiskSpace = Code.outOfDiskSpace
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        public static let fileOperationFailed = Code.fileOperationFailed
        public static let invalidDatabase = Code.invalidDatabase
    }
}

/// Whether an error is of a code, for `catch Realm.Error.fileNotFound`.
public func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
}
