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

extension Scenes {
    /// Register a Realm Change Listener.
    static func realmListener(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.pick(1, "zones")[0].name
        return Scene(
            title: "A realm change listener",
            page:
                "called inside every commit, even an empty one; once per refresh",
            expected: [
                .init(
                    "realm.observe",
                    ["didChange in the write", "didChange in the write", "didChange in refresh()"])
            ]
        ) { transcript in
            let token = tour.realm.observe { notification, _ in
                transcript.hear("realm.observe", "\(Notice.realm(notification)) in \(tour.moment)")
            }
            tour.keep(token)
            try tour.write([.visits(1, zone: zone)])
            try tour.write([])
            try tour.writeElsewhere([.visits(2, zone: zone)], [.visits(3, zone: zone)])
            tour.refresh()
            transcript.step("token.invalidate()")
            token.invalidate()
            try tour.write([.visits(0, zone: zone)])
            tour.refresh()
        }
    }

    /// Stop Watching for Changes.
    static func stoppedListeners(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.pick(1, "zones")[0]
        let heard = { (times: Int) in
            (1...times).map { Notice.property("visits", new: $0) }
        }
        return Scene(
            title: "Stop watching",
            page: "until the token is invalidated or its last reference is gone",
            expected: [
                .init("kept", heard(2)),
                .init("invalidated", heard(1) + ["invalidate() true", "invalidate() false"]),
                .init("let go", heard(1)),
            ]
        ) { transcript in
            let object = try tour.realm.zone(zone.name)
            let listen = { (name: String) in
                object.observe { (change: ObjectChange<Zone>) in
                    transcript.hear(name, Notice.object(change))
                }
            }
            tour.keep(listen("kept"))
            let invalidated = listen("invalidated")
            var released: NotificationToken? = listen("let go")
            tour.refresh()
            try tour.write([.visits(1, zone: zone.name)])
            tour.refresh()
            transcript.step("b.invalidate(); b.invalidate(); c = nil")
            transcript.hear("invalidated", "invalidate() \(invalidated.invalidate())")
            transcript.hear("invalidated", "invalidate() \(invalidated.invalidate())")
            withExtendedLifetime(released) {}
            released = nil
            try tour.write([.visits(2, zone: zone.name)])
            tour.refresh()
        }
    }
}
