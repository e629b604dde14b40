import Foundation
import Kivo

// What a file synchroniser knows of each file.

final class SyncedFile: Object {
    // MARK: Identity
    @Persisted(primaryKey: true) var id = UUID().uuidString
    @Persisted(indexed: true) var path = ""
    @Persisted var name = ""
    @Persisted var fileExtension = ""
    @Persisted var mimeType = ""
    @Persisted(indexed: true) var contentHash = ""
    @Persisted var remoteIdentifier = ""
    @Persisted var remoteRevision: String?
    @Persisted var deviceName = ""
    @Persisted var ownerName = ""
    @Persisted var lastEditor: String?

    // MARK: Numbers

    @Persisted var size: Int64 = 0
    @Persisted var remoteSize: Int64 = 0
    @Persisted var blockCount = 0
    @Persisted var blocksDone = 0
    @Persisted var version = 0
    @Persisted var remoteVersion = 0
    @Persisted var inode: Int64?
    @Persisted var permissions: Int16 = 0o644
    @Persisted var userNumber = 0
    @Persisted var groupNumber = 0
    @Persisted var uploadRate: Float = 0
    @Persisted var downloadRate: Float = 0
    @Persisted var progress: Double = 0.0
    @Persisted var price: Decimal128 = 0

    // MARK: States

    @Persisted var isDirectory = false
    @Persisted var isHidden = false
    @Persisted var isSymbolicLink = false
    @Persisted var isPinned = false
    @Persisted var isShared = false
    @Persisted(indexed: true) var isDeleted = false
    @Persisted var isDownloaded = false
    @Persisted var isUploading = false
    @Persisted var hasConflict = false
    @Persisted var isReadOnly = false
    @Persisted var isTrusted: Bool?

    // MARK: Dates

    @Persisted var createdAt = Date()
    @Persisted(indexed: true) var modifiedAt = Date()
    @Persisted var syncedAt: Date?
    @Persisted var accessedAt: Date?
    @Persisted var deletedAt: Date?
    @Persisted var sharedAt: Date?
    @Persisted public private(set) var pinnedAt: Date? = nil
    @Persisted public private(set) var lockedAt: Date? = nil

    // MARK: Content

    @Persisted var thumbnail: Data?
    @Persisted var bookmark: Data? = nil
    @Persisted var parent: SyncedFolder?
    @Persisted var blocks: List<SyncedBlock>
    @Persisted var labels: MutableSet<String>
    @Persisted var attributes: Map<String, String?>
    @Persisted var history: List<Date>
    @Persisted var conflicts: List<SyncedFile>

    /// The last part of the path.
    var lastComponent: String { path.split(separator: "/").last.map(String.init) ?? "" }

    func lock(at date: Date = Date()) {
        lockedAt = date
        pinnedAt = nil
        inode = inode.map { $0 + 1 } ?? 1
    }
}

final class SyncedFolder: Object {
    @Persisted(primaryKey: true) var path = ""
    @Persisted(originProperty: "parent") var files: LinkingObjects<SyncedFile>
}

final class SyncedBlock: EmbeddedObject {
    @Persisted var offset: Int64 = 0
    @Persisted var checksum = Data()
}

extension Realm {
    func conflicts(in folder: SyncedFolder) -> Results<SyncedFile> {
        objects(SyncedFile.self)
            .filter("parent == %@ AND hasConflict == %@", folder, NSNumber(value: true))
            .sorted(by: [SortDescriptor(keyPath: "modifiedAt", ascending: false)])
    }

    func trusted() -> [SyncedFile] {
        objects(SyncedFile.self).filter { file in file.isTrusted == true }
    }
}

/// The transfer that a progress bar observes.
public class Transfer: KeyValueObservable {
    @Observed public var bytesDone: Int64 = 0
    @Observed public var bytesTotal: Int64 = 0
    @Observed public var failure: Error? = nil
    public var share: Double {
        bytesTotal == 0 ? 0 : Double(bytesDone) / Double(bytesTotal)
    }

    public class func computedProperties() -> [String: AnyKeyPath] { ["share": \Transfer.share] }

    public init() {
        bytesTotal = 1
    }

    public convenience init(total: Int64) {
        self.init()
        bytesTotal = total
    }

    public class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "share" ? ["bytesDone", "bytesTotal"] : []
    }
}
