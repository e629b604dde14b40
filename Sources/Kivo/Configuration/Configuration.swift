import Foundation
import KivoEngine
import KivoJournal
import KivoLog

extension Realm {
    /// The settings by which a realm is opened.
    public struct Configuration: Sendable, CustomStringConvertible {
        private enum Location: Sendable, Equatable {
            case file(URL)
            case memory(String)
            case log(CommitLogSource)
        }

        private var location: Location

        /// The URL of the local file, or nil if the realm is not in a file. Setting a URL makes the realm file-backed.
        public var fileURL: URL? {
            get { if case .file(let url) = location { url } else { nil } }
            set { if let newValue { location = .file(newValue) } }
        }

        /// The identifier of a realm in memory, or nil for any other realm. Setting an identifier makes the realm one in memory.
        ///
        /// The data lives as long as an instance of the identifier is open, and is shared by all that open the same identifier.
        public var inMemoryIdentifier: String? {
            get { if case .memory(let identifier) = location { identifier } else { nil } }
            set { if let newValue { location = .memory(newValue) } }
        }

        /// The source of a log that keeps the commits instead of a file, or nil for a realm in a file or in memory.
        ///
        /// The log may be one over a replicated service, for example. Setting a source replaces the file or identifier. See
        /// `CommitLog` of the product `KivoLog`.
        public var commitLog: CommitLogSource? {
            get { if case .log(let source) = location { source } else { nil } }
            set { if let newValue { location = .log(newValue) } }
        }

        /// A Boolean value that indicates whether the realm is opened for reading only. Such a realm takes no writes.
        ///
        /// That of a file never changes, and takes no observers. That of a ``commitLog`` follows the commits of others, and is
        /// observed like any other.
        public var readOnly: Bool

        /// Whether what is read never changes.
        var isUnchanging: Bool { readOnly && commitLog == nil }

        /// The version of the classes' declarations, which is stored in the file.
        ///
        /// Opening throws ``Realm/Error/Code/schemaMismatch`` if the file has a higher version, or if the same file or identifier
        /// is open with another version. A file of a lower version is migrated to the current classes when it is opened for
        /// writing, and takes this version; see ``migrationBlock``.
        public var schemaVersion: UInt64

        /// The closure that migrates the data of a file with a lower ``schemaVersion``, or nil if the automatic migration is
        /// enough.
        ///
        /// Automatically, new properties get the default of their type. Removed properties are dropped, and so are the values of
        /// properties whose type has changed. Nil becomes the default where a property can no longer be nil. See ``Migration``.
        public var migrationBlock: MigrationBlock?

        /// A Boolean value that indicates whether a file is deleted, with all its data, and created again if a migration would be
        /// needed: its ``schemaVersion`` is not the program's, or its classes differ.
        ///
        /// - Precondition: The realm is not ``readOnly`` if this is true; opening traps otherwise.
        public var deleteRealmIfMigrationNeeded: Bool

        /// The classes that the realm may hold, or nil for all classes that the program uses.
        public var objectTypes: [ObjectBase.Type]?

        /// The encryption key, which must be nil: files are not encrypted.
        ///
        /// Opening with a key throws ``Realm/Error/Code/invalidInput``, instead of writing unencrypted what is meant to be
        /// secret. See <doc:Encryption> for alternatives.
        public var encryptionKey: Data?

        /// The closure that decides, when the first instance opens the file, whether the file is compacted. It receives the size
        /// of the file and the size of its live data, in bytes.
        ///
        /// The file is rewritten before the instance is created. Until that is complete, and if it fails, the file is unchanged.
        /// The closure is not called for a realm that is read-only or in memory.
        ///
        /// Computing the size of the live data reads all of it. A file that is written to is compacted from time to time in any
        /// case: see <doc:LookingAfterFiles>.
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

        /// A file that is copied if ``fileURL`` does not exist, so that the realm begins with its contents; nil for an empty
        /// realm.
        public var seedFilePath: URL?

        /// The maximum number of versions from the oldest that is still read to the newest, or nil, the default, for no limit.
        ///
        /// Writes throw ``Realm/Error/Code/fail`` if there are more. The limit helps to find frozen realms and objects that are
        /// never released, and threads that never refresh.
        public var maximumNumberOfActiveVersions: UInt?

        /// The maximum time, in seconds, that a write, or opening the file, waits for another writer; nil, the default, for no
        /// limit.
        ///
        /// The other writer is another process, or another thread of this one. After the wait, ``Realm/Error/Code/lockTimeout``
        /// is thrown, by an error that names the other process if the system reports it.
        ///
        /// A wait of more than five seconds is logged as a warning in any case: see ``Logger``. `beginWrite()`, which does not
        /// throw, waits for other threads without a limit. If it cannot lock the file, `commitWrite()` throws the error.
        public var lockTimeout: TimeInterval?

        /// The maximum time, in seconds, that a write waits for the answer of a ``commitLog``.
        ///
        /// A log on another machine may be unreachable, or its answers may get lost. After this time the write throws
        /// ``Realm/Error/Code/logUnavailable`` if nothing was carried out, and ``Realm/Error/Code/unknownOutcome`` if that cannot
        /// be said yet. Reading never waits for a log.
        public var commitTimeout: TimeInterval = 10

        /// The number of bytes of the file's data that stay in memory for the next reading; nil, the default, for no limit.
        ///
        /// What was read from the file, and what a checkpoint has written to it, is let go beyond this limit, the longest unused first,
        /// and read again when it is needed. With 0, what was read is let go at the next opportunity.
        ///
        /// The limit excludes one transaction, and what was written and is in no checkpoint yet: a checkpoint is made when that amounts
        /// to a quarter of the limit, and writes wait for its end when it amounts to a half (but at least 16 and 32 MB). It also
        /// excludes what is needed by realms that have not been refreshed, by frozen objects and by ``Realm/Version``. See
        /// ``Realm/memoryUse`` and <doc:Performance>.
        ///
        /// The first realm of the file that a process opens sets it. A realm in memory ignores it.
        public var cacheSize: Int?

        /// The part of its past that the file keeps when it is compacted; nil, the default, for what the file says, which is at first
        /// ``History/forConsumers``.
        ///
        /// The file stores the setting, so that every program keeps what one of them has asked for. The first realm of the file that a
        /// process opens sets it. A realm in memory ignores it, and so does a ``commitLog``. A copy of the file keeps nothing. See
        /// <doc:History> and <doc:Consumers>.
        public var history: History?

        /// The past that a file keeps.
        public enum History: Sendable, Hashable {
            /// No changes, not even for consumers, which miss those that they had not read when the file is compacted.
            case nothing
            /// The changes that consumers have not acknowledged: see ``DurableConsumer``.
            case forConsumers
            /// The last commits (also those by which consumers acknowledge), each by itself, and what consumers have not acknowledged.
            case commits(Int)
            /// The commits of the last days, each by itself, and what consumers have not acknowledged.
            case days(Int)
        }

        /// The recorder of what happens in the realm, or nil, the default.
        ///
        /// It writes a capsule: a copy of the data as they are at first, then each commit of all threads and processes, and when which
        /// realm instance told its observers of changes. With `KivoTesting`, a test repeats that: its observers receive the same changes,
        /// composed in the same way. See <doc:WhyWasICalled>.
        ///
        ///     configuration.recorder = .folder(FileManager.default.temporaryDirectory.appendingPathComponent("capsules"))
        ///
        /// A capsule contains the data of the realm, unencrypted. It is written on a queue of its own. A commit waits for it if 64 MB have
        /// not been written yet, and so does the release of the last realm, up to ``closingTimeLimit``. What was not written when a program
        /// crashes is missing at its end. If writing fails, the recording ends with a message of the log.
        ///
        /// The first realm of the data that a process opens sets it. A file that is opened for reading only is not recorded.
        public var recorder: Recorder?

        /// The closure that is called if opening the file had to repair something, or nil.
        ///
        /// A repair drops the remains of a commit that a crash cut short, or replaces a damaged copy of the file's header. The
        /// closure is called once, by the thread that opened the file, before the initializer of the realm returns. The same
        /// information is logged as a warning: see ``Logger``.
        public var recoveryHandler: (@Sendable (Recovery) -> Void)?

        /// A Boolean value that indicates whether opening reads and checks all of the file, as ``Realm/verify(fileURL:indexes:)`` does.
        ///
        /// If the file is damaged, opening then throws ``Realm/Error/Code/invalidDatabase``, by an error that names the offset
        /// and the reason. Otherwise opening checks what it reads. The rest is checked when it is first read, which traps if it
        /// is damaged.
        ///
        /// - Complexity: O(bytes of the file) for opening.
        public var verifiesOnOpening = false

        /// The maximum number of seconds that closing the file takes.
        ///
        /// With the closing checkpoint, the next process opens the file at once. The last release of the realm in a process waits
        /// for the checkpoint up to this limit. So does the end of the program, for the files that are still open. The next
        /// opening does the work that was not done in that time.
        ///
        /// With 0 there is no closing checkpoint, and a release never waits: for code that must not block.
        public var closingTimeLimit: TimeInterval = 5

        /// The limit in seconds, bounded so that every clock can represent it.
        var closingSeconds: Double { closingTimeLimit > 0 ? min(closingTimeLimit, 1e6) : 0 }

        /// The closure that makes the device of the journal in place of a file, or nil. Tests and tools set their own.
        package var makeDevice: (@Sendable (String, Bool) throws -> any JournalDevice)?

        /// A name that separates realms of the same file if it differs, as if they were in different processes. Tests have
        /// several such realms in one process.
        package var separation: String?

        /// The policy by which checkpoints are made; tests have them made more often.
        package var checkpoints = CheckpointPolicy()

        /// Creates a configuration. Without a file or identifier it is of the default file.
        public init(
            fileURL: URL? = nil, inMemoryIdentifier: String? = nil, encryptionKey: Data? = nil,
            readOnly: Bool = false, schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
            deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
        ) {
            if let inMemoryIdentifier {
                location = .memory(inMemoryIdentifier)
            } else {
                location = .file(fileURL ?? FileLocation.standard)
            }
            self.encryptionKey = encryptionKey
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.seedFilePath = seedFilePath
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.objectTypes = objectTypes
        }

        private static let standard = Lock(Configuration())

        /// The configuration of `Realm()`; process-wide and thread-safe.
        public static var defaultConfiguration: Configuration {
            get { standard.withLock { $0 } }
            set { standard.withLock { $0 = newValue } }
        }

        /// Returns the configuration with the absolute URL of its file.
        ///
        /// - Throws: ``Realm/Error/Code/invalidInput`` if the URL names no file of this machine, or if there is an
        ///   `encryptionKey`.
        func resolved() throws(Realm.Error) -> Configuration {
            if encryptionKey != nil {
                throw Realm.Error(
                    .invalidInput,
                    """
                    Kivo does not encrypt files, and refuses the 'encryptionKey' instead of ignoring it: leave it out, and have the \
                    system protect the file, or encrypt what is secret before it is stored.
                    """, fileURL: fileURL)
            }
            guard case .file(let url) = location else { return self }
            var resolved = self
            resolved.location = .file(try FileLocation.resolve(url))
            return resolved
        }

        /// A textual description of the configuration.
        public var description: String {
            """
            Realm.Configuration {
            \tfileURL = \(fileURL?.path ?? "nil");
            \tinMemoryIdentifier = \(inMemoryIdentifier ?? "nil");
            \treadOnly = \(readOnly);
            \tschemaVersion = \(schemaVersion);
            \tmigrationBlock = \(migrationBlock == nil ? "nil" : "set");
            \tdeleteRealmIfMigrationNeeded = \(deleteRealmIfMigrationNeeded);
            }
            """
        }
    }
}

extension Realm.Configuration: Equatable {
    /// Returns a Boolean value that indicates whether two configurations open the same data in the same way. Blocks are not
    /// compared.
    public static func == (a: Realm.Configuration, b: Realm.Configuration) -> Bool {
        a.location == b.location && a.readOnly == b.readOnly && a.schemaVersion == b.schemaVersion
            && a.encryptionKey == b.encryptionKey && a.seedFilePath == b.seedFilePath
            && a.maximumNumberOfActiveVersions == b.maximumNumberOfActiveVersions
            && a.cacheSize == b.cacheSize && a.lockTimeout == b.lockTimeout
            && a.commitTimeout == b.commitTimeout
            && a.deleteRealmIfMigrationNeeded == b.deleteRealmIfMigrationNeeded
            && a.objectTypes.map { $0.map(ObjectIdentifier.init) }
                == b.objectTypes.map { $0.map(ObjectIdentifier.init) }
    }
}

/// The source of a realm's log: see ``Realm/Configuration/commitLog``.
///
///     let shared = MemoryLog()
///     var configuration = Realm.Configuration()
///     configuration.commitLog = CommitLogSource(identifier: "orders") { MemoryLog(sharing: shared) }
///
/// Realms of one identifier share one store in a process. The store opens the log once, and closes it when the last realm is
/// released.
public struct CommitLogSource: Sendable {
    /// The identifier, which distinguishes the log from others in this process.
    public let identifier: String
    /// The closure that opens the log. The thread that opens the first realm calls it; opening throws the error that it throws.
    public let open: @Sendable () throws -> any CommitLog

    /// Creates a source from an identifier and a closure that opens the log.
    public init(identifier: String, open: @escaping @Sendable () throws -> any CommitLog) {
        (self.identifier, self.open) = (identifier, open)
    }
}

extension CommitLogSource: Equatable {
    /// Returns a Boolean value that indicates whether two sources have the same identifier, and so the same log.
    public static func == (a: CommitLogSource, b: CommitLogSource) -> Bool { a.identifier == b.identifier }
}
