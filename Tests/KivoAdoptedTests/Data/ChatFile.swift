import RealmFileBuilding

extension AdoptedFile {
    static let chat = AdoptedFile(
        name: "Chat", schemaVersion: 12,
        classes: [
            FileClass(
                "ChatMember", primaryKey: "id",
                [
                    .init("id", .string), .init("nickname", .string),
                    .init("lastSeen", .date, isOptional: true), .init("avatar", .data, isOptional: true),
                    .init("isBlocked", .bool), .init("isMuted", .bool),
                    .init("score", .double, isOptional: true),
                ],
                [
                    [
                        "id": .string("ann"), "nickname": .string("Ann"), "lastSeen": .date(1_700_000_000, 0),
                        "avatar": .data([1, 2, 3]), "isBlocked": .bool(false), "isMuted": .bool(true),
                        "score": .double(4.5),
                    ],
                    [
                        "id": .string("bob"), "nickname": .string("Bob"), "isBlocked": .bool(true),
                        "isMuted": .bool(false), "score": .double(-0.0),
                    ],
                    [
                        "id": .string("zoë"), "nickname": .string("Zoë"), "lastSeen": .date(1, 500_000_000),
                        "isBlocked": .bool(false), "isMuted": .bool(false),
                    ],
                ]),
            FileClass(
                "ChatRoom", primaryKey: "id",
                [
                    .init("id", .int), .init("name", .string), .init("owner", to: "ChatMember"),
                    .init("members", to: "ChatMember", .list), .init("messages", to: "ChatMessage", .list),
                    .init("settings", .string, .dictionary), .init("bans", .string, .set),
                    .init("drafts", .string, .list),
                ],
                [
                    [
                        "id": .int(7), "name": .string("Kitchen"), "owner": .object(0),
                        "members": .list([.object(0), .object(2), .object(1)]),
                        "messages": .list([.object(0), .object(1), .object(2)]),
                        "settings": .dictionary([
                            "colour": .string("blue"), "Background": .string(""), "züge": .string("off"),
                        ]),
                        "bans": .list([.string("eve"), .string("mallory")]),
                        "drafts": .list([.string("To be sent"), .string("")]),
                    ],
                    ["id": .int(-9_000_000_000), "name": .string("")],
                ]),
            FileClass(
                "ChatMessage",
                [
                    .init("sentAt", .date, isIndexed: true), .init("text", .string, isIndexed: true),
                    .init("kindNumber", .int), .init("sender", to: "ChatMember"),
                    .init("answerTo", to: "ChatMessage"), .init("reaction", to: "ChatReaction"),
                    .init("readBy", to: "ChatMember", .list), .init("edits", .int, isOptional: true),
                    .init("payload", .any),
                ],
                [
                    [
                        "sentAt": .date(1_700_000_100, 1_000_000), "text": .string("Tea?"),
                        "kindNumber": .int(0), "sender": .object(0),
                        "readBy": .list([.object(1), .object(2)]), "edits": .int(2),
                        "payload": .objectOf("ChatMember", 1),
                    ],
                    [
                        "sentAt": .date(1_700_000_200, 0), "text": .string("Yes, at five"),
                        "kindNumber": .int(1),
                        "sender": .object(1), "answerTo": .object(0), "reaction": .object(0),
                        "payload": .list([
                            .int(5), .string("o'clock"), .null, .double(0.5),
                            .dictionary(["deep": .bool(true), "far": .int(1 << 40)]),
                        ]),
                    ],
                    [
                        "sentAt": .date(1_700_000_300, 0), "text": .string(""), "kindNumber": .int(2),
                        "sender": .object(2), "answerTo": .object(2), "edits": .int(0),
                        "payload": .decimal(1995, fraction: 2),
                    ],
                ]),
            FileClass(
                "ChatReaction", isEmbedded: true, [.init("sign", .string), .init("count", .int)],
                [["sign": .string("👍🏽"), "count": .int(-32768)]]),
        ])
}
