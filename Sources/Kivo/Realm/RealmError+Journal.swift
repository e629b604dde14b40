import Foundation
import KivoEngine
import KivoJournal
import KivoLog

extension Realm.Error {
    /// What an error of the journal means to who uses a realm.
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
            case .displaced, .io: .fileAccess
            }
        let isOfEngine = error == .notAJournal && url.map(RealmEngineFile.isOne) ?? false
        let reason = isOfEngine ? RealmEngineFile.advice : error.description
        self.init(code, "Realm file '\(url?.path ?? "?")': \(reason).", fileURL: url)
    }

    /// Any error of opening or committing, as who uses a realm gets it.
    static func wrapping(_ error: any Swift.Error, _ url: URL?) -> any Swift.Error {
        switch error {
        case let error as JournalError: Realm.Error(error, url)
        case CommitLogError.conflict:
            Realm.Error(.conflictingWrite, "\(CommitLogError.conflict).", fileURL: url)
        case let error as CommitLogError: Realm.Error(.fail, "\(error).", fileURL: url)
        case let error as SharedClassName: Realm.Error(.schemaMismatch, error.description, fileURL: url)
        case let error as SchemaMismatch: Realm.Error(.schemaMismatch, error.description, fileURL: url)
        case let error as SchemaVersionError: Realm.Error(.schemaMismatch, error.description, fileURL: url)
        default: error
        }
    }
}
