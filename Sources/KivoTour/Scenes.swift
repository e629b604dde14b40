import Kivo

/// The programme of the tour. A scene is created just before it is played, because its expectations depend on the data at that
/// time.
enum Scenes {
    static var all: [(Tour) throws -> Scene] {
        [
            loading, realmListener, resultsListeners, objectListeners, linkedChanges, listListener,
            linkingObjectsListener, unmanagedProperties, pathsAndDependentKeys, managedProperties, coalescing,
            listProperty, queries, observedQuery, mapListener, invalidation, silentWrite, stoppedListeners,
            runLoop, queue,
        ]
    }
}

extension Atlas.ZoneRow {
    /// Returns a zone that no table contains.
    static func invented(_ name: String, countries: [String] = []) -> Atlas.ZoneRow {
        Atlas.ZoneRow(
            name: "Tour/\(name)", latitude: -0.5, longitude: 0.5, comments: "invented", countries: countries)
    }
}

extension Scenes {
    /// Fills the empty realm with the tables, in one write.
    static func loading(in tour: Tour) -> Scene {
        let atlas = tour.atlas
        let filled = { (count: Int) in
            [
                Notice.initial(0),
                Notice.update(deletions: [], insertions: Array(0..<count), modifications: []),
            ]
            .compactMap { $0 }
        }
        return Scene(
            title: "Loading the tables in one write",
            page: "an initial call, then one update for everything that a write inserted",
            expected: [
                .init("countries.observe", filled(atlas.countries.count)),
                .init("zones.observe", filled(atlas.zones.count)),
            ]
        ) { transcript in
            let countries = CollectionListener<Country>("countries.observe", in: transcript) { $0.code }
            let zones = CollectionListener<Zone>("zones.observe", in: transcript) { $0.name }
            tour.keep(tour.realm.objects(Country.self).observe { countries.hear($0) })
            tour.keep(tour.realm.objects(Zone.self).observe { zones.hear($0) })
            tour.refresh()
            transcript.step(
                "realm.write {", "    for row in countries { realm.create(Country.self, value: row) }",
                "    realm.add(zones)", "}")
            try tour.realm.write {
                for row in atlas.countries {
                    tour.realm.create(Country.self, value: ["code": row.code, "name": row.name])
                }
                tour.realm.add(try atlas.zones.map { try $0.object(in: tour.realm) })
            }
            tour.refresh()
        }
    }
}

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
