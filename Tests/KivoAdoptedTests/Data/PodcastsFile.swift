import RealmFileBuilding

extension AdoptedFile {
    static let podcasts = AdoptedFile(
        name: "Podcasts", schemaVersion: 3,
        classes: [
            FileClass(
                "Podcast", primaryKey: "feed",
                [
                    .init("feed", .string), .init("title", .string, isIndexed: true),
                    .init("author", .string, isOptional: true), .init("artwork", .data, isOptional: true),
                    .init("subscribedAt", .date), .init("episodes", to: "Episode", .list),
                    .init("tags", .string, .list),
                ],
                [
                    [
                        "feed": .string("https://example.org/tides.xml"), "title": .string("Ebb und Flut"),
                        "author": .string("Jörg Å."), "artwork": .data([0x89, 0x50, 0x4E, 0x47, 0]),
                        "subscribedAt": .date(1_600_000_000, 250_000_000),
                        "episodes": .list([.object(2), .object(0), .object(1)]),
                        "tags": .list([.string("sea"), .string(""), .string("sea")]),
                    ],
                    [
                        "feed": .string("https://example.org/stars.xml"), "title": .string("Stars"),
                        "artwork": .data([]), "subscribedAt": .date(0, 0),
                        "episodes": .list([.object(3)]),
                    ],
                    [
                        "feed": .string("https://example.org/empty.xml"), "title": .string(""),
                        "author": .string(""), "artwork": .data([UInt8](0...199)),
                        "subscribedAt": .date(-86_400, -500_000_000),
                    ],
                ]),
            FileClass(
                "Episode", primaryKey: "guid",
                [
                    .init("guid", .string), .init("title", .string), .init("length", .double),
                    .init("position", .double), .init("state", .int), .init("chapter", to: "Chapter"),
                    .init("note", .string, isOptional: true), .init("rating", .int, isOptional: true),
                ],
                [
                    [
                        "guid": .string("tides-1"), "title": .string("Spring tide"),
                        "length": .double(1805.5),
                        "position": .double(0), "state": .int(0), "rating": .int(5),
                    ],
                    [
                        "guid": .string("tides-2"),
                        "title": .string(
                            "Neap tide, and why a text of more than sixty-three bytes is stored apart"),
                        "length": .double(0.1), "position": .double(12.25), "state": .int(3),
                        "chapter": .object(0), "note": .string("heard"), "rating": .int(0),
                    ],
                    [
                        "guid": .string("tides-3"), "title": .string("🌊"), "length": .double(3600),
                        "position": .double(0), "state": .int(1), "chapter": .object(1),
                        "note": .string(""), "rating": .int(-1),
                    ],
                    [
                        "guid": .string("6F9619FF-8B86-D011-B42D-00C04FC964FF"), "title": .string("Cepheids"),
                        "length": .double(2400), "position": .double(2400), "state": .int(3),
                    ],
                ]),
            FileClass(
                "Chapter", isEmbedded: true, [.init("title", .string), .init("start", .double)],
                [
                    ["title": .string("Moon"), "start": .double(10)],
                    ["title": .string("Sun"), "start": .double(0)],
                ]),
        ])
}
