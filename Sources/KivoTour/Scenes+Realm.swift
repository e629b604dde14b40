import Kivo

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
