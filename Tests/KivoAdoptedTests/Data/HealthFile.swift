import RealmFileBuilding

extension AdoptedFile {
    static let health = AdoptedFile(
        name: "Health", schemaVersion: 0,
        classes: [
            FileClass(
                "DiaryEntry", primaryKey: "id",
                [
                    .init("id", .objectID), .init("day", .date), .init("mood", .string),
                    .init("symptoms", .string, .list), .init("measurements", to: "Measured", .list),
                ],
                (0..<12).map(entry)),
            FileClass(
                "Measured", isEmbedded: true,
                [.init("kind", .string), .init("amount", .double, isOptional: true)],
                [
                    ["kind": .string("pulse"), "amount": .double(72)], ["kind": .string("weight")],
                    ["kind": .string("pulse"), "amount": .double(.infinity)],
                    ["kind": .string("steps"), "amount": .double(0)],
                ]),
            FileClass(
                "Diary",
                [
                    .init("name", .string), .init("entries", to: "DiaryEntry", .list),
                    .init("height", .double, isOptional: true),
                ],
                [
                    [
                        "name": .string("Mine"), "entries": .list((0..<12).map { .object($0) }),
                        "height": .double(1.6),
                    ],
                    [
                        "name": .string("Shared"), "entries": .list([.object(11), .object(3)]),
                        "height": .double(1.9),
                    ],
                    ["name": .string("New")],
                ]),
        ])
    /// Returns the diary's entry of a day.
    private static func entry(of day: Int) -> [String: FileValue] {
        let id: [UInt8] = [0x65, 0, 0, UInt8(day)] + [UInt8](repeating: 0xAB, count: 8)
        let measurements: [FileValue] = day < 2 ? [.object(2 * day), .object(2 * day + 1)] : []
        return [
            "id": .objectID(id),
            "day": .date(1_690_000_000 + 86_400 * Int64(day), 0),
            "mood": .string(["bad", "fair", "good"][day % 3]),
            "symptoms": .list((0..<day % 4).map { .string("symptom \($0)") }),
            "measurements": .list(measurements),
        ]
    }
}
