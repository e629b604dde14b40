import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport
import RealmFileBuilding
import XCTest

/// The files that the users of the five applications have come into the adopted models, value by value, and are observed there.
final class AdoptedFilesTests: XCTestCase {
    private let types: [String: [AdoptedClass]] = [
        "Podcasts": [.init(Podcast.self), .init(Episode.self), .init(embedded: Chapter.self)],
        "Chat": [
            .init(ChatMember.self), .init(ChatRoom.self), .init(ChatMessage.self),
            .init(embedded: ChatReaction.self),
        ],
        "FileSync": [
            .init(SyncedFile.self), .init(SyncedFolder.self), .init(embedded: SyncedBlock.self),
        ],
        "Health": [.init(DiaryEntry.self), .init(embedded: Measured.self), .init(Diary.self)],
        "Shop": [
            .init(Shop.Product.self), .init(Shop.Customer.self), .init(embedded: Shop.Address.self),
            .init(NumberedObject.self), .init(Order.self), .init(OrderLine.self),
        ],
    ]

    private func realm(_ file: AdoptedFile, _ name: String = #function) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "adopted \(file.name) \(name)", objectTypes: types[file.name]?.map(\.type)
            ))
    }

    private func imported(_ file: AdoptedFile, _ name: String = #function) throws -> Realm {
        let realm = try realm(file, name)
        try realm.importObjects(fromRealmFile: file.url())
        return realm
    }

    func testTheFilesAreWhatTheyAreMadeOf() throws {
        for file in AdoptedFile.all {
            XCTAssertEqual(try Data(contentsOf: file.url()), Data(file.bytes), file.name)
            let read = try RealmFile(url: file.url())
            XCTAssertEqual(try read.schemaVersion(), UInt64(file.schemaVersion), file.name)
            for type in file.classes {
                let table = try XCTUnwrap(read.table(forClass: type.name), type.name)
                XCTAssertEqual(table.count, type.objects.count, type.name)
                XCTAssertEqual(table.properties.map(\.name), type.properties.map(\.name), type.name)
                XCTAssertEqual(table.primaryKey?.name, type.primaryKey, type.name)
                XCTAssertEqual(
                    table.properties.filter { $0.isIndexed && $0.name != type.primaryKey }.map(\.name),
                    type.properties.filter(\.isIndexed).map(\.name), type.name)
            }
        }
    }

    /// The backlinks in the files agree with the links, so that a reader of the files may rely on them.
    func testInverseLinksAreInTheFiles() throws {
        let chat = try RealmFile(url: AdoptedFile.chat.url())
        let ann = try XCTUnwrap(chat.table(forClass: "ChatMember")?.object(at: 2))
        var origins: [String] = []
        try ann.forEachInverseLink { origin, _ in origins.append("\(origin.key)") }
        // A member of room 0, the sender of message 2, and a reader of message 0.
        XCTAssertEqual(origins, ["0", "2", "0"])
    }

    func testEveryValueComesAlong() throws {
        for file in AdoptedFile.all {
            let realm = try realm(file)
            let report = try realm.importObjects(fromRealmFile: file.url())
            XCTAssertEqual(report.issueCount, 0, "\(report)")
            XCTAssertEqual(report.unusedProperties.count, 0, "\(report)")
            XCTAssertEqual(report.missingProperties.count, 0, "\(report)")
            XCTAssertEqual(report.skippedClasses.count, 0, "\(report)")
            XCTAssertEqual(report.insertedCount, file.classes.reduce(0) { $0 + $1.objects.count })
            var values = ImportedValues(realm, types[file.name]!, file.classes)
            values.compare()
            let least = file.classes.reduce(0) { $0 + $1.objects.count * $1.properties.count / 2 }
            XCTAssertGreaterThan(values.count, least, file.name)
        }
    }

    func testPodcastsAreObserved() throws {
        let realm = try imported(.podcasts)
        let tides = try XCTUnwrap(
            realm.object(ofType: Podcast.self, forPrimaryKey: "https://example.org/tides.xml"))
        XCTAssertEqual(tides.unheard, 2)
        XCTAssertEqual(tides.episodes[2].podcasts.map(\.title), ["Ebb und Flut"])
        var heard: [String] = []
        let token = PodcastLibrary(realm: realm).watch(tides) { heard.append($0) }
        let loved = realm.objects(Episode.self).filter("rating >= 4").observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                heard.append("\(deletions) \(insertions) \(modifications)")
            }
        }
        realm.refresh()
        try realm.write {
            tides.title = "Tides"
            tides.episodes[2].rate(4)
        }
        realm.refresh()
        XCTAssertEqual(heard, ["title", "[] [1] []"])
        token.invalidate()
        loved.invalidate()
    }

    func testChatIsObserved() throws {
        let realm = try imported(.chat)
        let store = ChatStore(realm: realm)
        let room = try XCTUnwrap(realm.object(ofType: ChatRoom.self, forPrimaryKey: 7))
        let (zoe, bob) = (room.members[1], room.members[2])
        XCTAssertEqual(bob.rooms.first?.name, "Kitchen")
        XCTAssertEqual(store.unread(by: zoe, in: room).map(\.text), ["Yes, at five"])
        XCTAssertEqual(room.messages[2].kind, .removed)
        XCTAssertTrue(room.messages[2].answerTo!.isSameObject(as: room.messages[2]))
        var heard: [String] = []
        let token = room.messages.observe(keyPaths: [\ChatMessage.sender?.nickname]) { change in
            if case .update(_, _, _, let modifications) = change { heard.append("\(modifications)") }
        }
        let observation = bob.observe(\.nickname, options: [.old, .new]) { _, change in
            heard.append("\(change.oldValue!) \(change.newValue!)")
        }
        realm.refresh()
        try realm.write { bob.nickname = "Robert" }
        realm.refresh()
        XCTAssertEqual(heard, ["Bob Robert", "[1]"])
        token.invalidate()
        observation.invalidate()
    }

    func testFileSyncIsObserved() throws {
        let realm = try imported(.fileSync)
        let folder = try XCTUnwrap(realm.object(ofType: SyncedFolder.self, forPrimaryKey: "/docs"))
        XCTAssertEqual(folder.files.count, 2)
        var heard: [String] = []
        let token = realm.conflicts(in: folder).observe { change in
            if case .update(let files, let deletions, let insertions, _) = change {
                heard.append("\(Array(files.map(\.id))) \(deletions) \(insertions)")
            }
        }
        realm.refresh()
        let before = Array(realm.conflicts(in: folder).map(\.id))
        try realm.write { for file in folder.files { file.hasConflict.toggle() } }
        realm.refresh()
        let after = Array(realm.conflicts(in: folder).map(\.id))
        XCTAssertEqual(Set(before + after), ["a", "b"])
        XCTAssertEqual(
            heard, ["\(after) \(Array(before.indices)) \(Array(after.indices))"])
        token.invalidate()
    }

    func testHealthIsObserved() throws {
        let realm = try imported(.health)
        let diary = try XCTUnwrap(realm.objects(Diary.self).first)
        XCTAssertEqual(diary.entries[11].diaries.map(\.name).sorted(), ["Mine", "Shared"])
        var heard: [String] = []
        let token = realm.objects(DiaryEntry.self).where { $0.mood == .good }.observe { change in
            if case .update(_, let deletions, let insertions, _) = change {
                heard.append("\(deletions) \(insertions)")
            }
        }
        realm.refresh()
        try realm.write {
            diary.entries[0].mood = .good
            diary.entries[2].mood = .bad
        }
        realm.refresh()
        XCTAssertEqual(heard, ["[0] [0]"])
        token.invalidate()
    }

    func testShopIsObserved() throws {
        let realm = try imported(.shop)
        XCTAssertEqual(cheap(realm, below: 10, named: nil).map(\.name), ["Tea"])
        XCTAssertEqual(discounts(realm), [0.15])
        let order = try XCTUnwrap(realm.object(ofType: Order.self, forPrimaryKey: 100))
        XCTAssertEqual(order.total, try Decimal128(string: "26.99"))
        let customer = try XCTUnwrap(
            realm.object(ofType: Shop.Customer.self, forPrimaryKey: "ann@example.org"))
        var heard: [String] = []
        let token = customer.orders.observe { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                heard.append("\(deletions) \(insertions) \(modifications)")
            }
        }
        realm.refresh()
        try realm.write {
            order.status = .sent
            customer.orders.append(try XCTUnwrap(realm.object(ofType: Order.self, forPrimaryKey: 102)))
        }
        realm.refresh()
        XCTAssertEqual(heard, ["[] [2] [1]"])
        token.invalidate()
    }

    /// The first start of the new version brings the data along, later ones find it, and the old file stays as it was.
    func testFirstStart() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let old = folder.appendingPathComponent("default.realm")
        try FileManager.default.copyItem(at: AdoptedFile.podcasts.url(), to: old)
        let before = try Data(contentsOf: old)
        let types: [ObjectBase.Type] = [Podcast.self, Episode.self, Chapter.self]
        try {
            let (realm, report) = try openRealm(in: folder, types)
            XCTAssertEqual(report?.insertedCount, 9)
            XCTAssertEqual(PodcastLibrary(realm: realm).loved().map(\.title), ["Spring tide"])
            try realm.write { realm.objects(Episode.self).first?.rating = 1 }
        }()
        let (realm, report) = try openRealm(in: folder, types)
        XCTAssertNil(report)
        XCTAssertEqual(realm.objects(Podcast.self).count, 3)
        XCTAssertEqual(PodcastLibrary(realm: realm).loved().count, 0)
        XCTAssertEqual(try Data(contentsOf: old), before)
    }

    func testTheArticleShowsThatStart() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let article = tests.deletingLastPathComponent().appendingPathComponent(
            "Sources/KivoRealmImport/KivoRealmImport.docc/MovingAnApplicationsData.md")
        let program = tests.appendingPathComponent("KivoAdoptedTests/FirstStart.swift")
        let text = try String(contentsOf: article, encoding: .utf8)
        let running = try String(contentsOf: program, encoding: .utf8)
        XCTAssert(text.contains("```swift\n\(running)```"))
    }
}
