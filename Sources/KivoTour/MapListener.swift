import Kivo

/// A listener that follows an observed map by the notified keys, and records them.
///
/// After every update its entries must equal those of the map.
final class MapListener {
    private let name: String
    private let transcript: Transcript
    private var shown: [String: Int] = [:]

    init(_ name: String, in transcript: Transcript) {
        self.name = name
        self.transcript = transcript
    }

    func hear(_ change: RealmMapChange<Map<String, Int>>) {
        switch change {
        case .initial(let map):
            shown = Self.entries(of: map)
            transcript.hear(name, Notice.initial(map.count))
        case .update(let map, let deletions, let insertions, let modifications):
            transcript.hear(
                name,
                Notice.update(deletions: deletions, insertions: insertions, modifications: modifications))
            for key in deletions { shown[key] = nil }
            let entries = Self.entries(of: map)
            for key in insertions + modifications { shown[key] = entries[key] }
            if shown != entries {
                transcript.hear(name, "which does not add up to the map")
                shown = entries
            }
        case .error(let error):
            transcript.hear(name, "error \(error)")
        }
    }

    /// Returns the entries of a map, or none if its object was deleted.
    private static func entries(of map: Map<String, Int>) -> [String: Int] {
        if map.isInvalidated { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(map.keys, map.values))
    }
}
