import Kivo

/// The programme. A scene is made when its turn comes, because what it expects depends on the data by then.
enum Scenes {
    static var all: [(Tour) throws -> Scene] {
        [
            loading, realmListener, resultsListeners, objectListeners, linkedChanges, listListener,
            linkingObjectsListener, unmanagedProperties, pathsAndDependentKeys, managedProperties, coalescing,
            listProperty, queries, observedQuery, mapListener, invalidation, silentWrite, stoppedListeners,
            runLoop, queue,
        ]
    }
}

extension Atlas.ZoneRow {
    /// A zone that no table has.
    static func invented(_ name: String, countries: [String] = []) -> Atlas.ZoneRow {
        Atlas.ZoneRow(
            name: "Tour/\(name)", latitude: -0.5, longitude: 0.5, comments: "invented", countries: countries)
    }
}
