import Foundation
import RealmSwift

// What a file synchroniser knows of each file.

@objc(SyncedFile)
final class SyncedFile: Object {
    // MARK: Identity
    @objc dynamic var id = UUID().uuidString
    @objc dynamic var path = ""
    @objc dynamic var name = ""
    @objc dynamic var fileExtension = ""
    @objc dynamic var mimeType = ""
    @objc dynamic var contentHash = ""
    @objc dynamic var remoteIdentifier = ""
    @objc dynamic var remoteRevision: String?
    @objc dynamic var deviceName = ""
    @objc dynamic var ownerName = ""
    @objc dynamic var lastEditor: String?

    // MARK: Numbers

    @objc dynamic var size: Int64 = 0
    @objc dynamic var remoteSize: Int64 = 0
    @objc dynamic var blockCount = 0
    @objc dynamic var blocksDone = 0
    @objc dynamic var version = 0
    @objc dynamic var remoteVersion = 0
    let inode = RealmOptional<Int64>()
    @objc dynamic var permissions: Int16 = 0o644
    @objc dynamic var userNumber = 0
    @objc dynamic var groupNumber = 0
    @objc dynamic var uploadRate: Float = 0, downloadRate: Float = 0
    @objc dynamic var progress: Double = 0.0
    @objc dynamic var price: Decimal128 = 0

    // MARK: States

    @objc dynamic var isDirectory = false
    @objc dynamic var isHidden = false
    @objc dynamic var isSymbolicLink = false
    @objc dynamic var isPinned = false
    @objc dynamic var isShared = false
    @objc dynamic var isDeleted = false
    @objc dynamic var isDownloaded = false
    @objc dynamic var isUploading = false
    @objc dynamic var hasConflict = false
    @objc dynamic var isReadOnly = false
    let isTrusted = RealmOptional<Bool>()

    // MARK: Dates

    @objc dynamic var createdAt = Date()
    @objc dynamic var modifiedAt = Date()
    @objc dynamic var syncedAt: Date?
    @objc dynamic var accessedAt: Date?
    @objc dynamic var deletedAt: Date?
    @objc dynamic var sharedAt: Date?
    @objc dynamic public private(set) var pinnedAt: Date? = nil
    @objc dynamic public private(set) var lockedAt: Date? = nil

    // MARK: Content

    @objc dynamic var thumbnail: Data?
    @objc dynamic var bookmark: NSData? = nil
    @objc dynamic var parent: SyncedFolder?
    let blocks = List<SyncedBlock>()
    let labels = MutableSet<String>()
    let attributes = Map<String, String?>()
    let history = List<Date>()
    let conflicts = List<SyncedFile>()

    /// The last part of the path.
    var lastComponent: String { path.split(separator: "/").last.map(String.init) ?? "" }

    override class func primaryKey() -> String? { "id" }

    override class func indexedProperties() -> [String] {
        ["path", "contentHash", "isDeleted", "modifiedAt"]
    }

    func lock(at date: Date = Date()) {
        lockedAt = date
        pinnedAt = nil
        inode.value = inode.value.map { $0 + 1 } ?? 1
    }
}

final class SyncedFolder: Object {
    @objc dynamic var path = ""
    let files = LinkingObjects(fromType: SyncedFile.self, property: "parent")
    override class func primaryKey() -> String? { "path" }
}

final class SyncedBlock: EmbeddedObject {
    @objc dynamic var offset: Int64 = 0
    @objc dynamic var checksum = Data()
}

extension Realm {
    func conflicts(in folder: SyncedFolder) -> Results<SyncedFile> {
        objects(SyncedFile.self)
            .filter(NSPredicate(format: "parent == %@ AND hasConflict == %@", folder, NSNumber(value: true)))
            .sorted(by: [SortDescriptor(keyPath: #keyPath(SyncedFile.modifiedAt), ascending: false)])
    }

    func trusted() -> [SyncedFile] {
        objects(SyncedFile.self).filter { file in file.isTrusted.value == true }
    }
}

/// The transfer that a progress bar observes.
@objcMembers
public class Transfer: NSObject {
    public dynamic var bytesDone: Int64 = 0
    public dynamic var bytesTotal: Int64 = 0
    public dynamic var failure: Error?
    public dynamic var share: Double {
        bytesTotal == 0 ? 0 : Double(bytesDone) / Double(bytesTotal)
    }

    public override init() {
        bytesTotal = 1
        super.init()
    }

    public convenience init(total: Int64) {
        self.init()
        bytesTotal = total
    }

    public class override func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "share" ? ["bytesDone", "bytesTotal"] : []
    }
}
