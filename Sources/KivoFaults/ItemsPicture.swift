import Foundation
import Kivo

/// What observers make of a realm from what they are told, and nothing else. It has to be what the realm holds, whenever they
/// are told, whoever wrote it.
final class ItemsPicture {
    /// What was wrong, in words.
    private(set) var failures: [String] = []
    /// How often the observer of the collection was told of changes.
    private(set) var updateCount = 0
    /// The number of all commits, as the observer of the key was told last.
    private(set) var total: Int

    private let realm: Realm
    private var rows: [Row] = []
    /// Kept: an observation ends with what it is of.
    private let counter: FaultCounter
    private var observation: KeyValueObservation?
    private var token: NotificationToken?

    private struct Row: Equatable {
        var id: Int
        var contents: Contents.Row

        init(_ item: FaultItem) { (id, contents) = (item.id, Contents.Row(item)) }
    }

    init(_ realm: Realm) {
        self.realm = realm
        counter = realm.object(ofType: FaultCounter.self, forPrimaryKey: ProcessWorker.total)!
        total = counter.number
        observation = counter.observe(\.number, options: [.old, .new]) { [unowned self] _, change in
            if change.oldValue != total {
                fail("the number of commits was \(change.oldValue ?? -1), and was told to be \(total)")
            }
            total = change.newValue ?? -1
        }
        token = realm.objects(FaultItem.self).sorted(byKeyPath: "id").observe { [unowned self] change in
            switch change {
            case .initial(let items): rows = items.map(Row.init)
            case .update(let items, let deletions, let insertions, let modifications):
                updateCount += 1
                for place in deletions.reversed() { rows.remove(at: place) }
                for place in insertions { rows.insert(Row(items[place]), at: place) }
                for place in modifications { rows[place] = Row(items[place]) }
                check()
            case .error(let error): fail("\(error)")
            }
        }
    }

    func end() {
        observation?.invalidate()
        token?.invalidate()
    }

    /// Compares what was told with what is there.
    func check() {
        let items = realm.objects(FaultItem.self).sorted(byKeyPath: "id")
        if Array(items.map(Row.init)) != rows {
            fail("the objects are not what was told of them")
            rows = items.map(Row.init)
        }
        if let flaw = ProcessWorker.flaw(of: realm) { fail(flaw) }
    }

    private func fail(_ words: String) { if failures.count < 5 { failures.append(words) } }
}
