import Kivo

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
