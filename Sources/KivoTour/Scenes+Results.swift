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
            page: "deletions by old positions, insertions and modifications by new ones",
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
