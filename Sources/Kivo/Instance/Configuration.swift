import Foundation
import KivoEngine
import KivoJournal
import KivoLog

extension Realm {
    /// What it takes to open a realm.
    public struct Configuration: Sendable, CustomStringConvertible {
        private enum Location: Sendable, Equatable {
            case file(URL)
            case memory(String)
            case log(CommitLogSource)
        }

        private var location: Location

        /// The file, by a URL of a local file. Setting it makes the realm file-backed; nil for a realm in memory.
        public var fileURL: URL? {
            get { if case .file(let url) = location { url } else { nil } }
            set { if let newValue { location = .file(newValue) } }
        }

        /// The identifier of a realm in memory, which lives as long as an instance of it is open and is shared by all
        /// that open the same identifier; nil for a file. Setting it makes the realm one in memory.
        public var inMemoryIdentifier: String? {
            get { if case .memory(let identifier) = location { identifier } else { nil } }
            set { if let newValue { location = .memory(newValue) } }
        }

        /// Where commits are kept instead of in a file: a log of another kind, such as one over a replicated service. Nil for a file
        /// or memory. Setting it takes their place. See `CommitLog` of the product `KivoLog`.
        public var commitLog: CommitLogSource? {
            get { if case .log(let source) = location { source } else { nil } }
            set { if let newValue { location = .log(newValue) } }
        }

        /// Whether the file is opened for reading only: such a realm takes no writes and no observers.
        public var readOnly: Bool

        /// The version of the classes' declarations, which the file keeps.
        ///
        /// A file of a higher version is refused, and so is a second opening of a file or identifier with another version
        /// while it is open. A file of a lower version is brought to the classes as they are now when it is opened for
        /// writing, and takes this version; see ``migrationBlock``.
        public var schemaVersion: UInt64

        /// Says what becomes of the data of a file with a lower ``schemaVersion``; nil if nothing has to be done beyond what
        /// happens by itself.
        ///
        /// By itself, new properties get the default of their type, removed ones go, and so do the values of those whose type
        /// has changed; nil becomes the default where a property cannot be nil any more. See ``Migration``.
        public var migrationBlock: MigrationBlock?

        /// Whether a file whose ``schemaVersion`` is another than the program's, or whose classes differ, is deleted with all
        /// that it holds and begun anew. Traps in opening if the realm is ``readOnly``.
        public var deleteRealmIfMigrationNeeded: Bool

        /// The classes that the realm may hold; nil for all that the program uses.
        public var objectTypes: [ObjectBase.Type]?

        /// No key: files are not encrypted, and opening with a key throws ``Realm/Error/Code/invalidInput`` instead of writing in
        /// the clear what is meant to be secret. See <doc:Encryption> for what to do instead.
        public var encryptionKey: Data?

        /// Asked when the file is opened by the first instance, whether it is to be made small again: with the bytes of the file,
        /// and those of what is live in it. The file is rewritten before the instance is there; as long as that is not done, and
        /// if it cannot be done, the file is what it was. Not asked for a realm that is only read, or is in memory.
        ///
        /// Working out the bytes reads all that is live. A file that is written to is made small now and then in any case:
        /// see <doc:LookingAfterFiles>.
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

        /// A file that is copied when ``fileURL`` does not exist, so that the realm begins with what it holds; nil for an empty
        /// realm.
        public var seedFilePath: URL?

        /// How far the newest version may be ahead of the oldest that somebody still reads, before writes are refused with
        /// ``Realm/Error/Code/fail``: what is frozen and never let go of, or a thread that never refreshes, is found by it. Nil,
        /// the default, for as many as there come to be.
        public var maximumNumberOfActiveVersions: UInt?

        /// How long a write, or opening the file, waits for another process that is writing, or for another thread of this one, in
        /// seconds. After that it throws ``Realm/Error/Code/lockTimeout``, by an error that names the other process where the
        /// system tells it. Nil, the default, for as long as it takes.
        ///
        /// A wait of more than five seconds is logged as a warning in any case: see ``Logger``. `beginWrite()`, which does not
        /// throw, waits for other threads as long as it takes; what keeps it from the file is thrown by `commitWrite()`.
        public var lockTimeout: TimeInterval?

        /// Told when opening the file had to put something right: the remains of a commit that a crash cut short were
        /// dropped, or a damaged copy of the file's header was replaced. Called once, by the thread that opened the file,
        /// before the initializer of the realm returns; nil to be told nothing. The same is
        /// logged as a warning: see ``Logger``.
        public var recoveryHandler: (@Sendable (Recovery) -> Void)?

        /// Whether opening reads all of the file and checks it, as ``Realm/verify(fileURL:)`` does: a damaged file is refused with
        /// ``Realm/Error/Code/invalidDatabase`` then, by an error that names the offset and the reason. Otherwise what opening
        /// reads is checked by opening, and the rest when it is first read, which traps if it is damaged. O(bytes of the file).
        public var verifiesOnOpening = false

        /// How many seconds closing the file may take.
        ///
        /// With the checkpoint of closing, the next process opens the file at once. The last release of the realm in a process waits
        /// for it as long as this says. So does the end of the program, for the files that are still open. Whatever is not done in that
        /// time, the next opening does.
        ///
        /// With 0 there is no checkpoint of closing, and a release never waits: for code that must not block.
        public var closingTimeLimit: TimeInterval = 5

        /// The limit as a number of seconds that every clock can count.
        var closingSeconds: Double { closingTimeLimit > 0 ? min(closingTimeLimit, 1e6) : 0 }

        /// Makes the device of the journal, where a test puts its own.
        package var makeDevice: (@Sendable (String, Bool) throws -> any JournalDevice)?

        /// Keeps realms of the same file apart that do not say the same here, as if they were in processes of their own: a test
        /// has several in one.
        package var separation: String?

        /// When checkpoints are made: tests have it more often.
        package var checkpoints = CheckpointPolicy()

        /// A configuration. Without a file or identifier it is the default file.
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

        /// The configuration with the absolute URL of its file. Throws if that names no file of this machine, or what is asked for
        /// cannot be done.
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

        /// The configuration in words.
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
    /// Whether two configurations open the same data in the same way. Blocks are not compared.
    public static func == (a: Realm.Configuration, b: Realm.Configuration) -> Bool {
        a.location == b.location && a.readOnly == b.readOnly && a.schemaVersion == b.schemaVersion
            && a.encryptionKey == b.encryptionKey && a.seedFilePath == b.seedFilePath
            && a.maximumNumberOfActiveVersions == b.maximumNumberOfActiveVersions
            && a.lockTimeout == b.lockTimeout
            && a.deleteRealmIfMigrationNeeded == b.deleteRealmIfMigrationNeeded
            && a.objectTypes.map { $0.map(ObjectIdentifier.init) }
                == b.objectTypes.map { $0.map(ObjectIdentifier.init) }
    }
}
