import Foundation
import Kivo

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
