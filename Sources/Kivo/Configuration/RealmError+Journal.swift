import Foundation
import KivoEngine
import KivoJournal
import KivoLog

extension Realm.Error {
    /// Creates the public error for an error of the journal.
    init(_ error: JournalError, _ url: URL?) {
        let code: Code =
            switch error {
            case .exists: .fileExists
            case .notFound: .fileNotFound
            case .permissionDenied: .filePermissionDenied
            case .noSpace, .quotaExceeded, .tooLarge: .outOfDiskSpace
            case .notAJournal, .corrupt: .invalidDatabase
            case .unsupportedVersion(let version):
                version < JournalError.currentVersion
                    ? .fileFormatUpgradeRequired : .unsupportedFileFormatVersion
            case .alreadyOpen: .alreadyOpen
            case .migrated: .schemaMismatch
            case .timedOut: .lockTimeout
            case .displaced, .refused, .io: .fileAccess
            }
        let reason =
            switch error {
            case .notAJournal where url.map(RealmEngineFile.isOne) ?? false: RealmEngineFile.advice
            case .alreadyOpen:
                url.map(Realm.isOpenInThisProcess) ?? false
                    ? "the file is open in this process: release its realms first"
                    : "the file is open in another process"
            default: error.description
            }
        self.init(code, "Realm file '\(url?.path ?? "?")': \(reason).", fileURL: url)
    }

    /// Creates the public error for an error of the journal on opening a file. The sentences are those of the established engine
    /// if it has the same error.
    init(opening url: URL, _ error: JournalError) {
        func failure(_ code: Code, _ reason: String) -> Realm.Error {
            Realm.Error(code, "Failed to open Realm file at path '\(url.path)': \(reason)", fileURL: url)
        }
        switch error {
        case .notFound:
            let folder = FileAttributes(url.deletingLastPathComponent())
            self =
                folder.kind.map { $0 != .typeDirectory } ?? false
                ? failure(.fileOperationFailed, "parent path is not a directory")
                : failure(.fileNotFound, "No such file or directory")
        case .permissionDenied:
            self = failure(
                .filePermissionDenied,
                "Permission denied. Please use a path where your app has read-write permissions.")
        case .notAJournal where !RealmEngineFile.isOne(url):
            let file = FileAttributes(url)
            self =
                file.kind.map { $0 != .typeRegular } ?? false
                ? failure(.fileAccess, "it is a folder, a device or a pipe, and no file.")
                : file.kind != nil && file.size < JournalError.leastFileSize
                    ? failure(
                        .invalidDatabase,
                        "file is non-empty but too small (\(file.size) bytes) to be a valid Realm.")
                    : failure(.invalidDatabase, "\(error).")
        default: self.init(error, url)
        }
    }

    /// Creates the public error for an error of a log.
    init(_ error: CommitLogError) {
        let code: Code =
            switch error {
            case .conflict, .fenced: .conflictingWrite
            case .unavailable: .logUnavailable
            case .accessDenied: .logAccessDenied
            case .outcomeUnknown: .unknownOutcome
            case .otherLog: .otherLog
            case .tooLarge: .commitTooLarge
            case .corrupt, .gap: .invalidDatabase
            case .removed, .foreignCheckpoint: .fail
            }
        self.init(code, "\(error).")
    }

    /// Creates the public error for an append of an unknown outcome.
    init(_ unknown: UnknownAppend) {
        let reason = unknown.reason.map { " (\($0))" } ?? ""
        self.init(.unknownOutcome, "\(CommitLogError.outcomeUnknown)\(reason).")
        self.unknown = unknown
    }

    /// Returns the public error for any error of opening or committing.
    static func wrapping(
        _ error: any Swift.Error, _ url: URL?, isOpening: Bool = false
    ) -> any Swift.Error {
        switch error {
        case let error as JournalError where isOpening && url != nil: Realm.Error(opening: url!, error)
        case let error as JournalError: Realm.Error(error, url)
        case let error as UnknownAppend: Realm.Error(error)
        case let error as PageTooLarge:
            Realm.Error(.fileOperationFailed, "The file was not written: \(error).", fileURL: url)
        case let error as CommitLogError: Realm.Error(error)
        case let error as SharedClassName: Realm.Error(.schemaMismatch, error.description, fileURL: url)
        case let error as SchemaMismatch: Realm.Error(.schemaMismatch, error.description, fileURL: url)
        case let error as SchemaVersionError: Realm.Error(.schemaMismatch, error.description, fileURL: url)
        default: error
        }
    }
}

extension Realm {
    /// Returns whether there is a realm of a file in this process.
    fileprivate static func isOpenInThisProcess(_ url: URL) -> Bool {
        StoreEntry.of(Configuration(fileURL: url).identity).current != nil
    }
}

/// The file at the target of a URL.
private struct FileAttributes {
    /// The file's type; nil if there is no file.
    let kind: FileAttributeType?
    let size: Int

    init(_ url: URL) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        kind = attributes?[.type] as? FileAttributeType
        size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
