import Kivo

/// The programme of the tour. A scene is created just before it is played, because its expectations depend on the data at that
/// time.
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
    /// Returns a zone that no table contains.
    static func invented(_ name: String, countries: [String] = []) -> Atlas.ZoneRow {
        Atlas.ZoneRow(
            name: "Tour/\(name)", latitude: -0.5, longitude: 0.5, comments: "invented", countries: countries)
    }
}
