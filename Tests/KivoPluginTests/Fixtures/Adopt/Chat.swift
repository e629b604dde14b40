import Foundation
import RealmSwift

// A chat with rooms, members and messages.

@objcMembers class ChatMember: Object {
    dynamic var id = ""
    dynamic var nickname = ""
    dynamic var lastSeen: NSDate? = nil
    dynamic var avatar: NSData?
    dynamic var isBlocked = false, isMuted = false
    let score = RealmProperty<Double?>()
    let rooms = LinkingObjects<ChatRoom>(fromType: ChatRoom.self, property: #keyPath(ChatRoom.members))

    override static func primaryKey() -> String? { return "id" }
}

class ChatRoom: Object {
    @objc dynamic var id = 0
    @objc dynamic var name: String = "" {
        didSet { renamings += 1 }
    }
    @objc dynamic var owner: ChatMember?
    let members = List<ChatMember>()
    let messages: List<ChatMessage> = List<ChatMessage>()
    let settings = Map<String, String>()
    let bans = MutableSet<String>()
    var renamings = 0
    let drafts = List<String>()

    override static func primaryKey() -> String? { "id" }

    override static func ignoredProperties() -> [String] { ["renamings"] }

    required override init() {
        super.init()
        renamings = 0
    }
}

class ChatMessage: Object {
    // Kinds have been stored as numbers from the beginning.
    enum Kind: Int {
        case text, picture, removed
    }

    @objc
    dynamic var sentAt = Date()
    @objc dynamic var text = ""
    @objc dynamic fileprivate var kindNumber = Kind.text.rawValue
    @objc dynamic var sender: ChatMember?
    @objc dynamic var answerTo: ChatMessage?
    @objc dynamic var reaction: ChatReaction? = nil
    let readBy = List<ChatMember>()
    let edits = RealmOptional<Int32>(2)
    let payload = RealmProperty<AnyRealmValue>()

    var kind: Kind {
        get { Kind(rawValue: kindNumber) ?? .text }
        set { kindNumber = newValue.rawValue }
    }

    override static func indexedProperties() -> [String] { ["sentAt", #keyPath(text)] }
}

class ChatReaction: EmbeddedObject {
    @objc dynamic var sign = ""
    @objc dynamic var count: Int16 = 0
}

final class ChatStore {
    private let realm: Realm
    private var messages: Results<ChatMessage>
    private var token: NotificationToken?

    init(realm: Realm) {
        self.realm = realm
        messages = realm.objects(ChatMessage.self).filter("kindNumber != 2")
    }

    func unread(by member: ChatMember, in room: ChatRoom) -> Results<ChatMessage> {
        room.messages.filter(NSPredicate(format: "sender != %@ AND NOT ANY readBy == %@", member, member))
    }

    func edited() -> Int { messages.filter { $0.edits.value! > 2 }.count }

    func rank(_ member: ChatMember?) -> Double { member?.score.value ?? 0 }

    func position(of name: String) -> Int? {
        realm.objects(ChatMember.self).sorted(byKeyPath: "nickname")
            .index(matching: NSPredicate(format: "nickname == %@", name as CVarArg))
    }

    func describe(_ message: ChatMessage) -> String {
        "\(message.text) (\(message.edits.value.map { "\($0)" } ?? "-"), \(message.payload.value.stringValue ?? ""))"
    }

    func values() -> [Int32?] { messages.map(\.edits.value) }
}

/// Who is typing, shown by views that observe it.
class TypingState: NSObject {
    @objc dynamic var names: Set<String> = []
    @objc dynamic var since: Date?
    var room = ""

    init(room: String) {
        self.room = room
        super.init()
    }
}

class ComposerState: NSObject {
    @objc dynamic var draft: String
    @objc dynamic var attachments = 0
    var limit = 1000

    init(draft: String, limit: Int = 500) {
        self.draft = draft
        self.limit = limit
        super.init()
    }
}
