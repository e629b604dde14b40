import Kivo

extension Scenes {
    /// Register an Object Change Listener, and Register a Key Path Change Listener.
    ///
    /// Each listener has its own zone. The page does not say whether a filtered listener also receives changes that another
    /// listener of the same object requested.
    static func objectListeners(in tour: Tour) throws -> Scene {
        let zones = try tour.atlas.pick(3, "zones") { !$0.comments.isEmpty }
        let (plain, strings, typed) = (zones[0], zones[1], zones[2])
        let position = zones.flatMap {
            // The longitude stays. The two changed properties are reported in the order of the class, not of assignment.
            [Edit.visits(7, zone: $0.name), Edit.latitude($0.latitude + 1, zone: $0.name)]
        }
        let comments = zones.map { Edit.comments("noted", zone: $0.name) }
        let noted = { (zone: Atlas.ZoneRow) in
            Notice.property("comments", old: zone.comments, new: "noted")
        }
        let located = [
            Notice.property("latitude", new: plain.latitude + 1), Notice.property("visits", new: 7),
        ]
        return Scene(
            title: "Object change listeners",
            page:
                "old values only of changes made elsewhere; key paths filter",
            expected: [
                .init("zone.observe", [located.joined(separator: ", "), noted(plain), "deleted"]),
                .init("zone.observe(keyPaths: [\"comments\"])", [noted(strings)]),
                .init("zone.observe(keyPaths: [\\Zone.comments, \\Zone.longitude])", [noted(typed)]),
            ]
        ) { transcript in
            let hear = { (name: String) in
                { (change: ObjectChange<Zone>) in transcript.hear(name, Notice.object(change)) }
            }
            let realm = tour.realm
            tour.keep(try realm.zone(plain.name).observe(hear("zone.observe")))
            tour.keep(
                try realm.zone(strings.name).observe(
                    keyPaths: ["comments"], hear("zone.observe(keyPaths: [\"comments\"])")))
            tour.keep(
                try realm.zone(typed.name).observe(
                    keyPaths: [\Zone.comments, \Zone.longitude],
                    hear("zone.observe(keyPaths: [\\Zone.comments, \\Zone.longitude])")))
            tour.refresh()
            try tour.write(position)
            tour.refresh()
            try tour.writeElsewhere(comments)
            tour.refresh()
            try tour.writeElsewhere([.delete(zone: plain.name)])
            tour.refresh()
        }
    }

    /// Key paths through links, and the range of listeners without key paths.
    static func linkedChanges(in tour: Tour) throws -> Scene {
        let atlas = tour.atlas
        let country = try atlas.widestCountry()
        let linking = atlas.zones(of: country.code).map(\.name)
        let edit = Edit.rename(country: country.code, to: "\(country.name), renamed")
        let all = Notice.initial(atlas.zones.count)
        let modified = Notice.update(from: atlas.zoneNames, to: atlas.zoneNames, changed: Set(linking))
        return Scene(
            title: "The name of country \(country.code), seen through links",
            page: "objects are shallow but for key paths; collections see through links",
            expected: [
                .init("zone.observe", []),
                .init("zone.observe(keyPaths: [\"countries.name\"])", [Notice.property("countries")]),
                .init("zones.observe", [all, modified].compactMap { $0 }),
                .init("zones.observe(keyPaths: [\\.comments])", [all]),
            ]
        ) { transcript in
            let hear = { (name: String) in
                { (change: ObjectChange<Zone>) in transcript.hear(name, Notice.object(change)) }
            }
            let deep = "zone.observe(keyPaths: [\"countries.name\"])"
            let realm = tour.realm
            tour.keep(try realm.zone(linking[0]).observe(hear("zone.observe")))
            tour.keep(try realm.zone(linking[1]).observe(keyPaths: ["countries.name"], hear(deep)))
            let unfiltered = CollectionListener<Zone>("zones.observe", in: transcript) { $0.name }
            let filtered = CollectionListener<Zone>(
                "zones.observe(keyPaths: [\\.comments])", in: transcript
            ) { $0.name }
            tour.keep(realm.objects(Zone.self).observe { unfiltered.hear($0) })
            tour.keep(realm.objects(Zone.self).observe(keyPaths: [\Zone.comments]) { filtered.hear($0) })
            tour.refresh()
            try tour.writeElsewhere([edit])
            tour.refresh()
        }
    }
}
