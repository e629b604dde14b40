import Kivo

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
