import RealmFileBuilding

extension AdoptedFile {
    static let fileSync = AdoptedFile(
        name: "FileSync", schemaVersion: 1,
        classes: [
            FileClass(
                "SyncedFile", primaryKey: "id", fileProperties,
                [
                    file(
                        "a", path: "/docs/plan.txt",
                        [
                            "remoteRevision": .string("r17"), "lastEditor": .string("Ann"),
                            "inode": .int(1 << 60), "isTrusted": .bool(true),
                            "syncedAt": .date(1_650_000_000, 0), "accessedAt": .date(1_650_000_001, 0),
                            "deletedAt": .date(1_650_000_002, 0), "sharedAt": .date(1_650_000_003, 0),
                            "pinnedAt": .date(1_650_000_004, 0), "lockedAt": .date(1_650_000_005, 0),
                            "thumbnail": .data([0xFF, 0xD8]), "bookmark": .data([9]), "parent": .object(0),
                            "blocks": .list([.object(1), .object(0)]),
                            "labels": .list([.string("red"), .string("urgent")]),
                            "attributes": .dictionary(["mime": .string("text/plain"), "owner": .null]),
                            "history": .list([.date(1_650_000_000, 0), .date(1_640_000_000, 0)]),
                            "conflicts": .list([.object(1), .object(1)]),
                        ]),
                    file("b", path: "/docs/plan (Ann).txt", ["parent": .object(0), "inode": .int(0)]),
                    file("c", path: "/new", ["isTrusted": .bool(false)]),
                ]),
            FileClass(
                "SyncedFolder", primaryKey: "path", [.init("path", .string)],
                [["path": .string("/docs")], ["path": .string("/")]]),
            FileClass(
                "SyncedBlock", isEmbedded: true, [.init("offset", .int), .init("checksum", .data)],
                [
                    ["offset": .int(4096), "checksum": .data([UInt8](repeating: 7, count: 32))],
                    ["offset": .int(0), "checksum": .data([])],
                ]),
        ])

    private static let fileProperties: [FileClass.Property] = {
        var properties: [FileClass.Property] = [
            .init("id", .string), .init("path", .string, isIndexed: true),
        ]
        for name in ["name", "fileExtension", "mimeType"] { properties.append(.init(name, .string)) }
        properties += [
            .init("contentHash", .string, isIndexed: true), .init("remoteIdentifier", .string),
            .init("remoteRevision", .string, isOptional: true), .init("deviceName", .string),
            .init("ownerName", .string), .init("lastEditor", .string, isOptional: true),
        ]
        for name in integers.prefix(6) { properties.append(.init(name, .int)) }
        properties.append(.init("inode", .int, isOptional: true))
        for name in integers.dropFirst(6) { properties.append(.init(name, .int)) }
        properties += [
            .init("uploadRate", .float), .init("downloadRate", .float), .init("progress", .double),
            .init("price", .decimal),
        ]
        for name in flags { properties.append(.init(name, .bool, isIndexed: name == "isDeleted")) }
        properties += [
            .init("isTrusted", .bool, isOptional: true), .init("createdAt", .date),
            .init("modifiedAt", .date, isIndexed: true),
        ]
        for name in ["syncedAt", "accessedAt", "deletedAt", "sharedAt", "pinnedAt", "lockedAt"] {
            properties.append(.init(name, .date, isOptional: true))
        }
        return properties + [
            .init("thumbnail", .data, isOptional: true), .init("bookmark", .data, isOptional: true),
            .init("parent", to: "SyncedFolder"), .init("blocks", to: "SyncedBlock", .list),
            .init("labels", .string, .set), .init("attributes", .string, isOptional: true, .dictionary),
            .init("history", .date, .list), .init("conflicts", to: "SyncedFile", .list),
        ]
    }()

    private static let integers = [
        "size", "remoteSize", "blockCount", "blocksDone", "version", "remoteVersion", "permissions",
        "userNumber", "groupNumber",
    ]
    private static let flags = [
        "isDirectory", "isHidden", "isSymbolicLink", "isPinned", "isShared", "isDeleted", "isDownloaded",
        "isUploading", "hasConflict", "isReadOnly",
    ]

    /// A file with values of its own in what every file has.
    private static func file(_ id: String, path: String, _ others: [String: FileValue]) -> [String: FileValue]
    {
        let seed = Int64(id.utf8.first!)
        var values: [String: FileValue] = [
            "id": .string(id), "path": .string(path), "name": .string("name \(id)"),
            "fileExtension": .string(path.contains(".") ? "txt" : ""), "mimeType": .string("text/plain"),
            "contentHash": .string("sha256 of \(path)"), "remoteIdentifier": .string("remote \(id)"),
            "deviceName": .string("Ann's laptop"), "ownerName": .string("Ann"),
            "uploadRate": .float(Float(seed) / 3), "downloadRate": .float(0),
            "progress": .double(Double(seed) / 100), "price": .decimal(UInt64(seed), fraction: 2),
            "createdAt": .date(1_500_000_000 + seed, 0), "modifiedAt": .date(1_600_000_000 + seed, 0),
        ]
        for (place, name) in integers.enumerated() { values[name] = .int(seed * Int64(place + 1)) }
        for (place, name) in flags.enumerated() { values[name] = .bool((Int(seed) >> (place % 4)) & 1 == 1) }
        return values.merging(others) { $1 }
    }
}
