import Kivo

extension Scenes {
    /// Register a Collection Change Listener, on three kinds of results, and with a key path.
    static func resultsListeners(in tour: Tour) throws -> Scene {
        let south = try tour.atlas.pick(3, "southern zones") { $0.latitude < 0 }.map(\.name)
        let (gone, moved, noted) = (south[0], south[1], south[2])
        let edits: [Edit] = [
            .delete(zone: gone), .latitude(1, zone: moved), .comments("seen on the tour", zone: noted),
            .add(.invented("Results")),
        ]
        let before = tour.atlas
        let after = try before.after(edits)
        let changed: Set = [moved, noted]
        let expect = { (name: String, old: [String], new: [String], changed: Set<String>) in
            let update = Notice.update(from: old, to: new, changed: changed)
            return Scene.Expectation(name, [Notice.initial(old.count), update].compactMap { $0 })
        }
        return Scene(
            title: "Collection change listeners",
            page: "deletions and modifications by old positions, insertions by new ones",
            expected: [
                expect("zones.observe", before.zoneNames, after.zoneNames, changed),
                expect(
                    "zones.where { $0.latitude < 0 }.observe", before.southernNames, after.southernNames,
                    changed),
                expect(
                    "zones.sorted(byKeyPath: \"longitude\").observe", before.namesByLongitude,
                    after.namesByLongitude, changed),
                expect(
                    "zones.observe(keyPaths: [\"comments\"])", before.zoneNames, after.zoneNames, [noted]),
            ]
        ) { transcript in
            let listener = { (name: String) in CollectionListener<Zone>(name, in: transcript) { $0.name }
            }
            let all = listener("zones.observe")
            let southern = listener("zones.where { $0.latitude < 0 }.observe")
            let sorted = listener("zones.sorted(byKeyPath: \"longitude\").observe")
            let filtered = listener("zones.observe(keyPaths: [\"comments\"])")
            let zones = tour.realm.objects(Zone.self)
            tour.keep(zones.observe { all.hear($0) })
            tour.keep(zones.where { $0.latitude < 0 }.observe { southern.hear($0) })
            tour.keep(zones.sorted(byKeyPath: "longitude").observe { sorted.hear($0) })
            // Listeners of one collection share their key path filters; therefore this one has its own collection.
            let others = tour.realm.objects(Zone.self)
            tour.keep(others.observe(keyPaths: ["comments"]) { filtered.hear($0) })
            tour.refresh()
            try tour.writeElsewhere(edits)
            tour.refresh()
        }
    }

    /// Write Silently.
    static func silentWrite(in tour: Tour) throws -> Scene {
        let before = tour.atlas
        let silently: [Edit] = [.add(.invented("Silent"))]
        let aloud: [Edit] = [.add(.invented("Aloud"))]
        let between = try before.after(silently)
        let after = try between.after(aloud)
        let first = Notice.update(from: before.zoneNames, to: between.zoneNames)
        let second = Notice.update(from: between.zoneNames, to: after.zoneNames)
        let initial = Notice.initial(before.zones.count)
        return Scene(
            title: "Write silently",
            page: "a token in write(withoutNotifying:) misses that commit, and counts on from there",
            expected: [
                .init("token = zones.observe", [initial, second].compactMap { $0 }),
                .init("zones.observe", [initial, first, second].compactMap { $0 }),
            ]
        ) { transcript in
            let silenced = CollectionListener<Zone>("token = zones.observe", in: transcript) { $0.name }
            let other = CollectionListener<Zone>("zones.observe", in: transcript) { $0.name }
            let zones = tour.realm.objects(Zone.self)
            let token = zones.observe { silenced.hear($0) }
            tour.keep(token)
            tour.keep(tour.realm.objects(Zone.self).observe { other.hear($0) })
            tour.refresh()
            try tour.write(silently, withoutNotifying: [token])
            silenced.catchUp(with: zones)
            tour.refresh()
            try tour.write(aloud)
            tour.refresh()
        }
    }
}

extension Scenes {
    /// A list as an observed collection.
    static func listListener(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.widestZone()
        let stranger = try tour.atlas.strangers(to: zone, 1)
        let name = try tour.atlas.country(stranger[0]).name
        let codes = zone.countries
        let changed = Array(codes.dropFirst()) + stranger
        let expected = [
            Notice.initial(codes.count), Notice.update(from: codes, to: changed),
            Notice.update(from: changed, to: changed, changed: Set(stranger)),
        ]
        return Scene(
            title: "The list of countries of \(zone.name)",
            page: "positions in the list; a changed element is a modification",
            expected: [.init("zone.countries.observe", expected.compactMap { $0 })]
        ) { transcript in
            let listener = CollectionListener<Country>("zone.countries.observe", in: transcript) { $0.code }
            tour.keep(try tour.realm.zone(zone.name).countries.observe { listener.hear($0) })
            tour.refresh()
            try tour.writeElsewhere([
                .remove(position: 0, zone: zone.name), .append(countries: stranger, zone: zone.name),
            ])
            tour.refresh()
            try tour.write([.rename(country: stranger[0], to: "\(name), visited")])
            tour.refresh()
        }
    }

    /// Inverse links as an observed collection.
    static func linkingObjectsListener(in tour: Tour) throws -> Scene {
        let country = try tour.atlas.widestCountry()
        let zone = try tour.atlas.pick(1, "zones outside one country") {
            !$0.countries.contains(country.code)
        }[0]
        let count = tour.atlas.zones(of: country.code).count
        return Scene(
            title: "The zones of country \(country.code), through inverse links",
            page: "they have no order of their own: only numbers are compared",
            expected: [
                .init(
                    "country.zones.observe", [Notice.initial(count), "1 inserted", "1 modified", "1 deleted"])
            ]
        ) { transcript in
            let listener = CollectionListener<Zone>(
                "country.zones.observe", in: transcript, countsOnly: true
            ) { $0.name }
            tour.keep(try tour.realm.country(country.code).zones.observe { listener.hear($0) })
            tour.refresh()
            try tour.writeElsewhere([.append(countries: [country.code], zone: zone.name)])
            tour.refresh()
            try tour.writeElsewhere([.comments("linked for a while", zone: zone.name)])
            tour.refresh()
            try tour.write([.remove(position: zone.countries.count, zone: zone.name)])
            tour.refresh()
        }
    }

    /// A list property, observed by name: kinds and indexes.
    static func listProperty(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.widestZone()
        let others = try tour.atlas.strangers(to: zone, 5)
        let count = zone.countries.count
        return Scene(
            title: "Key-value observing a list",
            page:
                "at once for each call; once per refresh for other threads",
            expected: [
                .init(
                    "addObserver(forKeyPath: \"countries\")",
                    [
                        "insertion \(Notice.positions([count, count + 1]))", "removal 0", "replacement 0",
                        "insertion \(Notice.positions([count + 1, count + 2]))",
                    ])
            ]
        ) { transcript in
            let object = try tour.realm.zone(zone.name)
            let watcher = KeyValueWatcher("addObserver(forKeyPath: \"countries\")", in: transcript)
            object.addObserver(watcher, forKeyPath: "countries", options: [.old, .new], context: nil)
            tour.atEnd { object.removeObserver(watcher, forKeyPath: "countries") }
            try tour.write([
                .append(countries: Array(others[0..<2]), zone: zone.name),
                .remove(position: 0, zone: zone.name),
                .replace(position: 0, country: others[2], zone: zone.name),
            ])
            try tour.writeElsewhere(
                [.append(countries: [others[3]], zone: zone.name)],
                [.append(countries: [others[4]], zone: zone.name)])
            tour.refresh()
        }
    }
}
