import Foundation
import Kivo

// A chat with rooms, members and messages.

class ChatMember: Object {
    @Persisted(primaryKey: true) var id = ""
    @Persisted var nickname = ""
    @Persisted var lastSeen: Date? = nil
    @Persisted var avatar: Data?
    @Persisted var isBlocked = false
    @Persisted var isMuted = false
    @Persisted var score: Double?
    @Persisted(originProperty: "members") var rooms: LinkingObjects<ChatRoom>
}

class ChatRoom: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name: String = "" {
        didSet { renamings += 1 }
    }
    @Persisted var owner: ChatMember?
    @Persisted var members: List<ChatMember>
    @Persisted var messages: List<ChatMessage>
    @Persisted var settings: Map<String, String>
    @Persisted var bans: MutableSet<String>
    var renamings = 0
    @Persisted var drafts: List<String>

    required init() {
        super.init()
        renamings = 0
    }
}

class ChatMessage: Object {
    // Kinds have been stored as numbers from the beginning.
    enum Kind: Int {
        case text, picture, removed
    }

    @Persisted(indexed: true) var sentAt = Date()
    @Persisted(indexed: true) var text = ""
    @Persisted fileprivate var kindNumber = Kind.text.rawValue
    @Persisted var sender: ChatMember?
    @Persisted var answerTo: ChatMessage?
    @Persisted var reaction: ChatReaction? = nil
    @Persisted var readBy: List<ChatMember>
    @Persisted var edits: Int32? = 2
    @Persisted var payload: AnyRealmValue

    var kind: Kind {
        get { Kind(rawValue: kindNumber) ?? .text }
        set { kindNumber = newValue.rawValue }
    }
}

class ChatReaction: EmbeddedObject {
    @Persisted var sign = ""
    @Persisted var count: Int16 = 0
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
        room.messages.filter("sender != %@ AND NOT ANY readBy == %@", member, member)
    }

    func edited() -> Int { messages.filter { $0.edits! > 2 }.count }

    func rank(_ member: ChatMember?) -> Double { member?.score ?? 0 }

    func position(of name: String) -> Int? {
        realm.objects(ChatMember.self).sorted(byKeyPath: "nickname")
            .index(matching: "nickname == %@", name)
    }

    func describe(_ message: ChatMessage) -> String {
        "\(message.text) (\(message.edits.map { "\($0)" } ?? "-"), \(message.payload.stringValue ?? ""))"
    }

    func values() -> [Int32?] { messages.map(\.edits) }
}

/// Who is typing, shown by views that observe it.
class TypingState: KeyValueObservable {
    @Observed var names: Set<String> = []
    @Observed var since: Date? = nil
    var room = ""

    init(room: String) {
        self.room = room
    }
}

class ComposerState: KeyValueObservable {
    @Observed var draft: String
    @Observed var attachments = 0
    var limit = 1000

    init(draft: String, limit: Int = 500) {
        self.draft = draft
        self.limit = limit
    }
}
