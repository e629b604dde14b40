import Kivo

/// A listener that follows one observed collection like a table view, and records its notifications.
///
/// It stores the keys of its rows, and changes them only by the notified positions: deletions, then insertions, then
/// modifications. After every update its rows must equal those of the collection.
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
                delete(deletions) && insert(insertions, from: rows) && reload(modifications, from: rows)
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
