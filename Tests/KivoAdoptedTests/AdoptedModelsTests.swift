import Foundation
import Kivo
import XCTest

/// The models in this target are what `kivo-adopt` makes of sources for realm-swift and Cocoa: they build, and do what they
/// did.
final class AdoptedModelsTests: XCTestCase {
    private func realm(_ types: [ObjectBase.Type], _ name: String = #function) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: "adopted \(name)", objectTypes: types))
    }

    func testPodcasts() throws {
        let realm = try realm([Podcast.self, Episode.self, Chapter.self])
        let episode = Episode(title: "One", length: 60)
        try realm.write {
            let podcast = realm.create(
                Podcast.self, value: ["feed": "https://a.b", "title": "B", "tags": ["x"]])
            podcast.episodes.append(episode)
            podcast.episodes.append(objectsIn: [Episode(title: "Two", length: 30)])
            episode.rate(5)
            episode.chapter = Chapter(value: ["title": "Intro"])
            realm.create(Podcast.self, value: ["feed": "https://c.d", "title": "A"])
        }
        let library = PodcastLibrary(realm: realm)
        let recent = library.recent(since: Date(timeIntervalSinceNow: -3600))
        XCTAssertEqual(recent.map(\.title), ["A", "B"])
        XCTAssertEqual(recent[1].unheard, 2)
        XCTAssertEqual(library.loved().map(\.title), ["One"])
        XCTAssertEqual(episode.podcasts.first?.feed, "https://a.b")
        XCTAssertEqual(realm.object(ofType: Podcast.self, forPrimaryKey: "https://a.b")?.tags.first, "x")
        XCTAssertEqual(Podcast.indexedProperties(), ["title"])
        try realm.write { episode.state = .done }
        XCTAssertEqual(recent[1].unheard, 1)
    }

    func testPodcastPlayerIsObserved() {
        let player = PodcastPlayer()
        var heard: [String] = []
        let playing = player.observe(\.isPlaying, options: [.old, .new]) { _, change in
            heard.append("\(change.oldValue!) \(change.newValue!)")
        }
        let summary = player.observe(\.summary, options: .new) { _, change in
            heard.append(change.newValue!)
        }
        player.toggle()
        player.queue.append("One")
        player.rate = 2
        XCTAssertEqual(heard, ["false true", "1 at 1.0x", "1 at 2.0x"])
        XCTAssertEqual(player.value(forKey: "summary") as? String, "1 at 2.0x")
        playing.invalidate()
        summary.invalidate()
    }

    func testChat() throws {
        let realm = try realm([ChatMember.self, ChatRoom.self, ChatMessage.self, ChatReaction.self])
        let (ann, bob) = (ChatMember(value: ["id": "a", "nickname": "Ann"]), ChatMember(value: ["id": "b"]))
        let room = ChatRoom(value: ["id": 1, "name": "Hall", "members": [ann, bob]])
        room.name = "Kitchen"
        XCTAssertEqual(room.renamings, 1)
        let message = ChatMessage(value: ["text": "Hello", "sender": ann])
        message.payload = .string("x")
        XCTAssertEqual(message.kind, .text)
        try realm.write {
            realm.add(room)
            room.messages.append(message)
            room.settings["colour"] = "blue"
            message.edits = 3
            ann.score = 1.5
        }
        let store = ChatStore(realm: realm)
        XCTAssertEqual(store.unread(by: bob, in: room).map(\.text), ["Hello"])
        XCTAssertEqual(store.unread(by: ann, in: room).count, 0)
        XCTAssertEqual(store.edited(), 1)
        XCTAssertEqual(store.rank(ann), 1.5)
        XCTAssertEqual(store.position(of: "Ann"), 1)
        XCTAssertEqual(store.describe(message), "Hello (3, x)")
        XCTAssertEqual(store.values(), [3])
        XCTAssertEqual(ann.rooms.map(\.name), ["Kitchen"])
        try realm.write {
            message.kind = .removed
            message.readBy.append(bob)
        }
        XCTAssertEqual(store.unread(by: bob, in: room).count, 0)
        XCTAssertEqual(store.edited(), 0)

        let composer = ComposerState(draft: "Hi")
        XCTAssertEqual(composer.limit, 500)
        var drafts: [String] = []
        let observation = composer.observe(\.draft, options: [.initial, .new]) { _, change in
            drafts.append(change.newValue!)
        }
        composer.draft += "!"
        XCTAssertEqual(drafts, ["Hi", "Hi!"])
        observation.invalidate()
        XCTAssertEqual(TypingState(room: "Hall").room, "Hall")
    }

    func testFileSync() throws {
        let realm = try realm([SyncedFile.self, SyncedFolder.self, SyncedBlock.self])
        XCTAssertGreaterThanOrEqual(
            realm.schema.objectSchema.first { $0.className == "SyncedFile" }?.properties.count ?? 0, 50)
        let file = SyncedFile(value: ["path": "/a/b.txt", "hasConflict": true, "size": 1 << 40])
        file.lock()
        file.lock()
        XCTAssertEqual(file.inode, 2)
        let folder = SyncedFolder(value: ["path": "/a"])
        try realm.write {
            file.parent = folder
            file.blocks.append(SyncedBlock(value: ["offset": 4096]))
            file.labels.insert("red")
            file.attributes["mime"] = .some(nil)
            file.isTrusted = true
            realm.add(file)
        }
        XCTAssertEqual(realm.conflicts(in: folder).map(\.lastComponent), ["b.txt"])
        XCTAssertEqual(realm.trusted(), [file])
        XCTAssertEqual(folder.files.count, 1)
        XCTAssertEqual(
            Set(SyncedFile.indexedProperties()), ["path", "contentHash", "isDeleted", "modifiedAt"])

        let transfer = Transfer(total: 4)
        var shares: [Double] = []
        let observation = transfer.observe(\.share, options: .new) { _, change in
            shares.append(change.newValue!)
        }
        transfer.bytesDone = 1
        transfer.bytesTotal = 2
        XCTAssertEqual(shares, [0.25, 0.5])
        observation.invalidate()
    }

    func testHealth() throws {
        let realm = try realm([Diary.self, DiaryEntry.self, Measured.self])
        try realm.write {
            let entry = DiaryEntry(value: [
                "mood": Mood.good, "symptoms": ["none"], "measurements": [["kind": "pulse"]],
            ])
            realm.create(Diary.self, value: ["name": "Mine", "entries": [entry], "height": 1.6])
        }
        XCTAssertEqual(average(realm.objects(Diary.self)), 1.6)
        XCTAssertEqual(realm.objects(DiaryEntry.self).first?.diaries.first?.name, "Mine")

        let person = Person(name: "Ann")
        let observer = TitleObserver()
        follow(person, observer)
        person.doctor = Specialist()
        person.doctor?.name = "Dr. Bee"
        person.name = "Anna"
        unfollow(person, observer)
        person.name = "Bea"
        XCTAssertEqual(
            observer.heard, ["title: Ann of Dr.", "title: Ann of Dr. Bee", "title: Anna of Dr. Bee"])
        XCTAssertEqual(Person().name, "nobody")
        XCTAssertEqual(person.unit, .metric)
    }

    func testShop() throws {
        let realm = try realm([Shop.Product.self, Shop.Customer.self, Order.self, OrderLine.self])
        try realm.write {
            let tea = realm.create(Product.self, value: ["number": 1, "name": "Tea", "price": 3, "stock": 5])
            realm.create(Product.self, value: ["number": 2, "name": "Pot", "price": 30, "stock": 1])
            let order = realm.create(
                Order.self, value: ["number": 7, "lines": [["product": tea, "amount": 2]]])
            order.status = .paid
            XCTAssertEqual(order.total, 6)
            realm.create(Shop.Customer.self, value: ["email": "a@b.c", "orders": [order], "discount": 0.5])
        }
        XCTAssertEqual(cheap(realm, below: 10, named: nil).map(\.name), ["Tea"])
        XCTAssertEqual(cheap(realm, below: 100, named: "P").map(\.name), ["Pot"])
        XCTAssertEqual(discounts(realm), [0.5])
        XCTAssertEqual(realm.object(ofType: Order.self, forPrimaryKey: 7)?.total, 6)
        let cart = Cart()
        var counts: [Int] = []
        let observation = cart.observe(\.count, options: .new) { _, change in counts.append(change.newValue!)
        }
        cart.count = 3
        cart.clear()
        XCTAssertEqual(counts, [3, 0])
        observation.invalidate()
    }
}
