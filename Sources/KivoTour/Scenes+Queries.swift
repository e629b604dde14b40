import Foundation
import Kivo

extension Scenes {
    /// Predicate strings and type-safe queries, each evaluated by the realm and by plain Swift on the atlas.
    static func queries(in tour: Tour) -> Scene {
        let atlas = tour.atlas
        let south = atlas.zones.filter { $0.latitude < 0 }
        let quiet = south.filter { !$0.comments.lowercased().contains("time") }.map(\.name)
        let wide = atlas.zones.filter { atlas.names(of: $0).count { $0.hasPrefix("S") } >= 2 }.map(
            \.name)
        var comments: Set<String> = []
        let groups = atlas.zonesByLatitude.filter { comments.insert($0.comments).inserted }.map(\.name)
        let busy = atlas.countries.filter { atlas.zones(of: $0.code).count > 5 }.map(\.code)
        let latitudes = south.map(\.latitude)
        let figures: [Double] = [
            latitudes.min() ?? 0, latitudes.max() ?? 0, latitudes.reduce(0, +) / Double(latitudes.count),
        ]
        let position = atlas.zones.firstIndex { $0.countries.count > 2 }
        return Scene(
            title: "Queries, as strings and typed",
            page: "conditions, subqueries, distinct and aggregates answer what plain Swift does",
            expected: [
                .init(
                    "zones.filter(\"latitude < %@ AND NOT comments CONTAINS[c] 'time'\", 0)", [names(quiet)]),
                .init(
                    "zones.where { $0.latitude < 0 && !$0.comments.contains(\"time\", options: .caseInsensitive) }",
                    [names(quiet)]),
                .init(
                    "zones.filter(\"SUBQUERY(countries, $c, $c.name BEGINSWITH 'S').@count >= 2\")",
                    [names(wide)]),
                .init("zones.where { ($0.countries.name.starts(with: \"S\")).count >= 2 }", [names(wide)]),
                .init("zones.sorted(by: \\.latitude).distinct(by: [\\.comments])", [names(groups)]),
                .init("countries.filter(\"zones.@count > 5\")", [names(busy)]),
                .init("south.min(of: \\.latitude), max(of:), average(of:)", [numbers(figures)]),
                .init(
                    "zones.index(matching: { $0.countries.count > 2 })", [position.map { "\($0)" } ?? "none"]),
            ]
        ) { transcript in
            let hear = { (name: String, zones: Results<Zone>) in
                transcript.hear(name, names(zones.map(\.name)))
            }
            let zones = tour.realm.objects(Zone.self)
            hear(
                "zones.filter(\"latitude < %@ AND NOT comments CONTAINS[c] 'time'\", 0)",
                zones.filter("latitude < %@ AND NOT comments CONTAINS[c] 'time'", 0))
            hear(
                "zones.where { $0.latitude < 0 && !$0.comments.contains(\"time\", options: .caseInsensitive) }",
                zones.where { $0.latitude < 0 && !$0.comments.contains("time", options: .caseInsensitive) })
            hear(
                "zones.filter(\"SUBQUERY(countries, $c, $c.name BEGINSWITH 'S').@count >= 2\")",
                zones.filter("SUBQUERY(countries, $c, $c.name BEGINSWITH 'S').@count >= 2"))
            hear(
                "zones.where { ($0.countries.name.starts(with: \"S\")).count >= 2 }",
                zones.where { ($0.countries.name.starts(with: "S")).count >= 2 })
            hear(
                "zones.sorted(by: \\.latitude).distinct(by: [\\.comments])",
                zones.sorted(by: \.latitude).distinct(by: [\.comments]))
            let busy = tour.realm.objects(Country.self).filter("zones.@count > 5")
            transcript.hear("countries.filter(\"zones.@count > 5\")", names(busy.map(\.code)))
            let south = zones.filter("latitude < 0")
            let figures = [
                south.min(of: \.latitude), south.max(of: \.latitude), south.average(of: \.latitude),
            ]
            transcript.hear(
                "south.min(of: \\.latitude), max(of:), average(of:)", numbers(figures.map { $0 ?? .nan }))
            let position = zones.index(matching: { $0.countries.count > 2 })
            transcript.hear(
                "zones.index(matching: { $0.countries.count > 2 })", position.map { "\($0)" } ?? "none")
        }
    }

    /// An observed query with a filter and an order, in which rows are deleted, inserted and moved.
    static func observedQuery(in tour: Tour) throws -> Scene {
        let before = tour.atlas
        let order = before.southernByLatitude
        guard order.count > 5 else { throw TourError.tooFew("southern zones", needed: 6) }
        let (first, gone, noted) = (order[0], order[2], order[4])
        let north = try before.pick(1, "northern zones") { $0.latitude > 1 }[0].name
        let equator = -0.000_1
        let edits: [Edit] = [
            .latitude(equator, zone: first), .latitude(1, zone: gone), .latitude(-45.5, zone: north),
            .comments("still there", zone: noted),
        ]
        let after = try before.after(edits)
        let there: [Edit] = [.latitude(-89, zone: noted)]
        let latitude = try before.pick(1, "zones") { $0.name == noted }[0].latitude
        let back: [Edit] = [.latitude(latitude, zone: noted)]
        let (old, new) = (before.southernByLatitude, after.southernByLatitude)
        let notices = [
            Notice.initial(old.count),
            Notice.update(from: old, to: new, changed: [noted], moved: [first]),
            Notice.update(from: new, to: new, changed: [noted]),
        ]
        let name = "southern.sorted(by: \\.latitude)"
        return Scene(
            title: "An observed query, sorted",
            page: "what moves is deleted and inserted; there and back again is a modification",
            expected: [.init(name, notices.compactMap { $0 })]
        ) { transcript in
            let listener = CollectionListener<Zone>(name, in: transcript) { $0.name }
            let results = tour.realm.objects(Zone.self).where { $0.latitude < 0 }.sorted(by: \.latitude)
            tour.keep(results.observe { listener.hear($0) })
            tour.refresh()
            try tour.writeElsewhere(edits)
            tour.refresh()
            try tour.writeElsewhere(there, back)
            tour.refresh()
            // This commit does not affect the observed southern zones.
            try tour.writeElsewhere([.visits(9, zone: gone)])
            tour.refresh()
        }
    }

    /// A map as an observed collection.
    static func mapListener(in tour: Tour) throws -> Scene {
        let zone = Atlas.ZoneRow.invented("Rated").name
        let name = "zone.ratings.observe"
        return Scene(
            title: "Ratings of a zone by visitors, a map",
            page: "keys instead of positions; every assignment counts",
            expected: [
                .init(
                    name,
                    [
                        Notice.initial(0), Notice.update(insertions: ["Ada", "Bo", "Cem"]),
                        Notice.update(deletions: ["Ada", "Bo"], insertions: ["Bo"], modifications: ["Cem"]),
                        Notice.update(deletions: ["Bo", "Cem"]),
                    ])
            ]
        ) { transcript in
            try tour.write([.add(.invented("Rated"))])
            let listener = MapListener(name, in: transcript)
            tour.keep(try tour.realm.zone(zone).ratings.observe { listener.hear($0) })
            tour.refresh()
            try tour.writeElsewhere(
                [.rate(5, visitor: "Cem", zone: zone), .rate(3, visitor: "Ada", zone: zone)],
                [.rate(4, visitor: "Bo", zone: zone)])
            tour.refresh()
            try tour.write([
                .rate(nil, visitor: "Ada", zone: zone), .rate(nil, visitor: "Bo", zone: zone),
                .rate(2, visitor: "Bo", zone: zone), .rate(5, visitor: "Cem", zone: zone),
            ])
            tour.refresh()
            try tour.writeElsewhere([.delete(zone: zone)])
            tour.refresh()
        }
    }

    /// Returns the first few names, and their number.
    private static func names(_ names: [String]) -> String {
        "\(names.count): \(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", …" : "")"
    }

    private static func numbers(_ numbers: [Double]) -> String {
        numbers.map { String(format: "%.4f", $0) }.joined(separator: ", ")
    }
}

extension Atlas {
    /// Returns the names of a zone's countries.
    fileprivate func names(of zone: ZoneRow) -> [String] {
        zone.countries.compactMap { code in countries.first { $0.code == code }?.name }
    }

    /// The zones from south to north; those on one circle of latitude are in insertion order.
    fileprivate var zonesByLatitude: [ZoneRow] {
        zones.enumerated()
            .sorted { ($0.element.latitude, $0.offset) < ($1.element.latitude, $1.offset) }.map(\.element)
    }

    /// The names of the zones south of the equator, from south to north.
    fileprivate var southernByLatitude: [String] {
        zonesByLatitude.filter { $0.latitude < 0 }.map(\.name)
    }
}
