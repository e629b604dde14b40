import Foundation
import Kivo

extension Scenes {
    /// Key-value observing of an unmanaged object.
    static func unmanagedProperties(in tour: Tour) -> Scene {
        let row = Atlas.ZoneRow.invented("Unmanaged")
        return Scene(
            title: "Key-value observing an unmanaged zone",
            page: "at once, equal values too; then it may be added",
            expected: [
                .init(
                    "zone.observe(\\.comments, options: [.old, .new])",
                    [Notice.transition("", "a"), Notice.transition("a", "a")]),
                .init(
                    "zone.observe(\\.comments, options: [.initial, .new])",
                    [Notice.transition(nil, ""), Notice.transition(nil, "a")]),
                .init(
                    "zone.observe(\\.comments, options: [.prior, .old])",
                    ["prior \(Notice.transition("", nil))", Notice.transition("", nil)]),
            ]
        ) { transcript in
            let zone = try Atlas.ZoneRow(name: row.name, latitude: 0, longitude: 0, countries: [])
                .object(in: tour.realm)
            let hear = { (name: String) in
                { (_: Zone, change: KeyValueObservedChange<String>) in
                    let values = Notice.transition(change.oldValue, change.newValue)
                    transcript.hear(name, change.isPrior ? "prior \(values)" : values)
                }
            }
            let all = zone.observe(
                \.comments, options: [.old, .new],
                changeHandler: hear("zone.observe(\\.comments, options: [.old, .new])"))
            let initial = zone.observe(
                \.comments, options: [.initial, .new],
                changeHandler: hear("zone.observe(\\.comments, options: [.initial, .new])"))
            let prior = zone.observe(
                \.comments, options: [.prior, .old],
                changeHandler: hear("zone.observe(\\.comments, options: [.prior, .old])"))
            transcript.step("zone.comments = \"a\"")
            zone.comments = "a"
            transcript.step("b.invalidate(); c.invalidate()")
            initial.invalidate()
            prior.invalidate()
            transcript.step("zone.comments = \"a\"")
            zone.comments = "a"
            transcript.step("a.invalidate(); realm.write { realm.add(zone) }")
            all.invalidate()
            zone.comments = row.comments
            zone.latitude = row.latitude
            zone.longitude = row.longitude
            try tour.realm.write { tour.realm.add(zone) }
            try tour.note(.add(row))
        }
    }

    /// Key-value observing of a managed object: the three moments at which a value can change.
    static func managedProperties(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.pick(1, "zones")[0]
        return Scene(
            title: "Key-value observing a managed zone",
            page: "on assignment, on refresh, on the begin of a write",
            expected: [
                .init(
                    "zone.observe(\\.comments)",
                    [
                        "\(Notice.transition(zone.comments, "here")) in the write",
                        "\(Notice.transition("here", "elsewhere")) in refresh()",
                        "\(Notice.transition("elsewhere", "again")) in beginWrite()",
                    ])
            ]
        ) { transcript in
            let object = try tour.realm.zone(zone.name)
            tour.keep(
                object.observe(\.comments, options: [.old, .new]) { _, change in
                    let values = Notice.transition(change.oldValue, change.newValue)
                    transcript.hear("zone.observe(\\.comments)", "\(values) in \(tour.moment)")
                })
            try tour.write([.comments("here", zone: zone.name)])
            try tour.writeElsewhere([.comments("elsewhere", zone: zone.name)])
            tour.refresh()
            try tour.writeElsewhere([.comments("again", zone: zone.name)])
            transcript.step("realm.beginWrite()")
            tour.during("beginWrite()") { tour.realm.beginWrite() }
            tour.realm.cancelWrite()
        }
    }

    /// Nine commits on another thread, from 1 to 10.
    static func coalescing(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.pick(1, "zones")[0].name
        let names = tour.atlas.zoneNames
        let (first, last) = (1, 10)
        let modified = Notice.update(from: names, to: names, changed: [zone])
        return Scene(
            title: "From \(first) to \(last) in \(last - first) commits on another thread",
            page: "a single notification of a change directly from 1 to 10",
            expected: [
                .init("zone.observe(\\.visits)", [Notice.transition(first, last)]),
                .init("zone.observe", [Notice.property("visits", old: first, new: last)]),
                .init("zones.observe", [Notice.initial(names.count), modified].compactMap { $0 }),
            ]
        ) { transcript in
            try tour.write([.visits(first, zone: zone)])
            tour.refresh()
            let object = try tour.realm.zone(zone)
            let listener = CollectionListener<Zone>("zones.observe", in: transcript) { $0.name }
            tour.keep(
                object.observe(\.visits, options: [.old, .new]) { _, change in
                    let values = Notice.transition(change.oldValue, change.newValue)
                    transcript.hear("zone.observe(\\.visits)", values)
                })
            tour.keep(
                object.observe { (change: ObjectChange<Zone>) in
                    transcript.hear("zone.observe", Notice.object(change))
                })
            tour.keep(tour.realm.objects(Zone.self).observe { listener.hear($0) })
            tour.refresh()
            try tour.writeElsewhere((first + 1...last).map { [Edit.visits($0, zone: zone)] })
            tour.refresh()
        }
    }

    /// The `isInvalidated` property of an object and of a list.
    static func invalidation(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.pick(1, "zones with countries") { !$0.countries.isEmpty }[0].name
        return Scene(
            title: "A zone is deleted on another thread",
            page: "isInvalidated can be observed on objects and on lists",
            expected: [
                .init("zone.observe(\\.isInvalidated)", [Notice.transition(false, true)]),
                .init("countries.addObserver", ["setting \(Notice.transition(nil, true))"]),
                .init("zone.observe", ["deleted"]),
            ]
        ) { transcript in
            let object = try tour.realm.zone(zone)
            let list = object.countries
            tour.keep(
                object.observe(\.isInvalidated, options: [.old, .new]) { _, change in
                    let values = Notice.transition(change.oldValue, change.newValue)
                    transcript.hear("zone.observe(\\.isInvalidated)", values)
                })
            let watcher = KeyValueWatcher("countries.addObserver", in: transcript)
            list.addObserver(watcher, forKeyPath: "isInvalidated", options: [.new], context: nil)
            tour.atEnd { list.removeObserver(watcher, forKeyPath: "isInvalidated") }
            tour.keep(
                object.observe { (change: ObjectChange<Zone>) in
                    transcript.hear("zone.observe", Notice.object(change))
                })
            tour.refresh()
            try tour.writeElsewhere([.delete(zone: zone)])
            tour.refresh()
        }
    }
}

extension Scenes {
    /// Key-value observing through a link, of a computed property, and with a collection operator.
    static func pathsAndDependentKeys(in tour: Tour) -> Scene {
        let (path, greeting, count) = (
            "observe(\\.home?.visits)", "observe(\\.greeting)", "home.countries.@count"
        )
        return Scene(
            title: "Key-value observing a traveller who moves",
            page: "a path follows its links, a computed property what it depends on",
            expected: [
                .init(path, [(-1, 1), (1, 2), (2, 5)].map { Notice.transition($0, $1) }),
                .init(
                    greeting,
                    [
                        Notice.transition("Ada of nowhere", "Ada of East"),
                        Notice.transition("Ada of East", "Ada of West"),
                        Notice.transition("Ada of West", "Bea of West"),
                    ]),
                .init(
                    count,
                    [
                        "setting \(Notice.transition(NSNull(), 0))", "setting \(Notice.transition(0, 1))",
                        "setting \(Notice.transition(1, 0))",
                    ]),
            ]
        ) { transcript in
            let ada = Traveller(value: ["name": "Ada"])
            let east = Zone(value: ["name": "East", "visits": 1])
            let west = Zone(value: ["name": "West", "visits": 5])
            // A missing part of the path makes its value nil, recorded as -1.
            let visits = ada.observe(\.home?.visits, options: [.old, .new]) { _, change in
                let (old, new) = (change.oldValue ?? nil, change.newValue ?? nil)
                transcript.hear(path, Notice.transition(old ?? -1, new ?? -1))
            }
            let words = ada.observe(\.greeting, options: [.old, .new]) { _, change in
                transcript.hear(greeting, Notice.transition(change.oldValue, change.newValue))
            }
            let watcher = KeyValueWatcher(count, in: transcript)
            ada.addObserver(watcher, forKeyPath: count, options: [.old, .new])
            transcript.step("ada.home = east")
            ada.home = east
            transcript.step("east.visits = 2")
            east.visits = 2
            transcript.step("east.countries.append(Country(value: [\"code\": \"XE\"]))")
            east.countries.append(Country(value: ["code": "XE"]))
            transcript.step("ada.home = west")
            ada.home = west
            transcript.step("east.visits = 3")
            east.visits = 3
            transcript.step("ada.setValue(\"Bea\", forKey: \"name\")")
            ada.setValue("Bea", forKey: "name")
            ada.removeObserver(watcher, forKeyPath: count)
            visits.invalidate()
            words.invalidate()
        }
    }
}
