import Kivo

extension Scenes {
    /// Opens the file again, after all realms of it were released, and compares every row.
    ///
    /// - Parameter atlas: The expected contents at the end of the tour.
    static func reopening(_ configuration: Realm.Configuration, holding atlas: Atlas) -> Scene {
        Scene(
            title: "The file, opened again",
            page: "what was committed is there",
            expected: [.init("reader", [summary(of: atlas), "every row as the tour left it"])]
        ) { transcript in
            transcript.step("try Realm(configuration: configuration)")
            let found = Atlas(reading: try Realm(configuration: configuration))
            transcript.hear("reader", summary(of: found))
            transcript.hear("reader", differences(found, atlas))
        }
    }

    private static func summary(of atlas: Atlas) -> String {
        "\(atlas.countries.count) countries, \(atlas.zones.count) zones, \(atlas.linkCount) links"
    }

    private static func differences(_ found: Atlas, _ expected: Atlas) -> String {
        if found == expected { return "every row as the tour left it" }
        guard summary(of: found) == summary(of: expected) else { return "not what the tour left" }
        let countries = zip(found.countries, expected.countries).filter { $0 != $1 }.map(\.0.code)
        let zones = zip(found.zones, expected.zones).filter { $0 != $1 }.map(\.0.name)
        return "different rows: \((countries + zones).joined(separator: ", "))"
    }
}
