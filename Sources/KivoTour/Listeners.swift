import Foundation
import Kivo

/// A listener that follows one observed collection like a table view, and records its notifications.
///
/// It stores the keys of its rows, and changes them only by the notified positions: deletions, then insertions, then
/// current modifications. After every update its rows must equal those of the collection.
final class CollectionListener<Element> {
    private let name: String
    private let transcript: Transcript
    private let countsOnly: Bool
    private let key: (Element) -> String
    private var shown: [String] = []

    /// - Parameter countsOnly: Whether to record how many rows changed instead of which; for collections without an order.
    init(
        _ name: String, in transcript: Transcript, countsOnly: Bool = false,
        key: @escaping (Element) -> String
    ) {
        self.name = name
        self.transcript = transcript
        self.countsOnly = countsOnly
        self.key = key
    }

    /// Replaces the rows by the current ones, after a write of which the listener was not notified.
    func catchUp(with rows: some Sequence<Element>) {
        shown = rows.map(key)
    }

    func hear<Rows: RandomAccessCollection>(_ change: RealmCollectionChange<Rows>)
    where Rows.Element == Element, Rows.Index == Int {
        switch change {
        case .initial(let rows):
            shown = rows.map(key)
            transcript.hear(name, Notice.initial(rows.count))
        case .update(let rows, let deletions, let insertions, let modifications):
            transcript.hear(name, describe(deletions, insertions, modifications))
            let follows =
                delete(deletions) && insert(insertions, from: rows)
                && reload(change.currentModifications, from: rows)
            if !follows || shown != rows.map(key) {
                transcript.hear(name, "which does not add up to the collection")
                shown = rows.map(key)
            }
        case .error(let error):
            transcript.hear(name, "error \(error)")
        }
    }

    private func delete(_ positions: [Int]) -> Bool {
        for position in positions.reversed() {
            guard shown.indices.contains(position) else { return false }
            shown.remove(at: position)
        }
        return true
    }

    private func insert<Rows: RandomAccessCollection>(_ positions: [Int], from rows: Rows) -> Bool
    where Rows.Element == Element, Rows.Index == Int {
        for position in positions {
            guard position >= 0, position <= shown.count, position < rows.count else { return false }
            shown.insert(key(rows[position]), at: position)
        }
        return true
    }

    private func reload<Rows: RandomAccessCollection>(_ positions: [Int], from rows: Rows) -> Bool
    where Rows.Element == Element, Rows.Index == Int {
        for position in positions {
            guard shown.indices.contains(position), position < rows.count else { return false }
            shown[position] = key(rows[position])
        }
        return true
    }

    private func describe(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) -> String {
        if countsOnly {
            return Notice.counts(
                deletions: deletions.count, insertions: insertions.count, modifications: modifications.count)
        }
        return Notice.update(deletions: deletions, insertions: insertions, modifications: modifications)
            ?? "an empty update"
    }
}

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

/// A string-based observer with one `observeValue` for all key paths, which records kind, indexes and values.
final class KeyValueWatcher: KeyValueObserver {
    private let name: String
    private let transcript: Transcript

    init(_ name: String, in transcript: Transcript) {
        self.name = name
        self.transcript = transcript
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        let kind = Self.kind(change?[.kindKey])
        if let indexes = change?[.indexesKey] as? IndexSet {
            transcript.hear(name, "\(kind) \(Notice.positions(indexes))")
        } else {
            transcript.hear(name, "\(kind) \(Notice.transition(change?[.oldKey], change?[.newKey]))")
        }
    }

    /// Returns the name of the kind, which is passed as `NSKeyValueChange` or, like in Foundation, as a number.
    private static func kind(_ value: Any?) -> String {
        let kind = value as? NSKeyValueChange ?? (value as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
        return switch kind {
        case .setting: "setting"
        case .insertion: "insertion"
        case .removal: "removal"
        case .replacement: "replacement"
        default: "no kind"
        }
    }
}
