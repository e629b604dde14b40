import Dispatch
import Kivo

extension Scenes {
    /// Notifications without a call of `refresh()`: from the main thread's run loop, and in a realm without autorefresh.
    static func runLoop(in tour: Tour) throws -> Scene {
        let zone = try tour.atlas.pick(1, "zones")[0].name
        let count = { (number: Int) in Notice.property("visits", old: number - 1, new: number) }
        return Scene(
            title: "Autorefresh",
            page: "the run loop refreshes; with autorefresh off it only says that it could",
            expected: [
                .init(
                    "realm.observe",
                    [
                        "didChange in the run loop", "refreshRequired in the run loop",
                        "didChange in refresh()",
                    ]),
                .init("zone.observe", ["\(count(1)) in the run loop", "\(count(2)) in refresh()"]),
            ]
        ) { transcript in
            try tour.write([.visits(0, zone: zone)])
            tour.refresh()
            tour.keep(
                tour.realm.observe { notification, _ in
                    transcript.hear("realm.observe", "\(Notice.realm(notification)) in \(tour.moment)")
                })
            tour.keep(
                try tour.realm.zone(zone).observe { (change: ObjectChange<Zone>) in
                    transcript.hear("zone.observe", "\(Notice.object(change)) in \(tour.moment)")
                })
            tour.refresh()
            try tour.writeElsewhere([.visits(1, zone: zone)])
            tour.runLoop(until: "zone.observe", in: transcript, hears: 1)
            transcript.step("realm.autorefresh = false")
            tour.realm.autorefresh = false
            defer { tour.realm.autorefresh = true }
            try tour.writeElsewhere([.visits(2, zone: zone)])
            tour.runLoop(until: "realm.observe", in: transcript, hears: 2)
            tour.refresh()
        }
    }

    /// A listener on a serial queue, which advances independently of the main thread.
    static func queue(in tour: Tour) throws -> Scene {
        let names = tour.atlas.zoneNames
        let zone = try tour.atlas.pick(1, "zones")[0].name
        let modified = Notice.update(from: names, to: names, changed: [zone])
        return Scene(
            title: "A listener on a dispatch queue",
            page: "observe(on:) registers and delivers there, while the main thread writes",
            expected: [
                .init(
                    "zones.observe(on: queue)", [Notice.initial(names.count), modified].compactMap { $0 })
            ]
        ) { transcript in
            let name = "zones.observe(on: queue)"
            let queue = DispatchQueue(label: "kivo-tour.listener")
            let listener = OfQueue(CollectionListener<Zone>(name, in: transcript) { $0.name })
            let token = tour.realm.objects(Zone.self).observe(on: queue) { change in
                dispatchPrecondition(condition: .onQueue(queue))
                listener.value.hear(change)
            }
            transcript.wait(for: name, count: 1)
            try tour.write([.comments("seen from a queue", zone: zone)])
            transcript.wait(for: name, count: 2)
            token.invalidate()
            // The queue must not have pending work when the realm is closed.
            queue.sync {}
        }
    }
}

/// A value that only blocks on one serial queue use. It is safely `Sendable`, because such blocks never run at the same time.
private struct OfQueue<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
