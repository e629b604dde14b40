import Foundation
import Kivo

/// The contents of a realm as observers see them, only from notifications. They must equal the realm's contents at each
/// notification, whichever process wrote the commits.
final class ItemsPicture {
    /// Descriptions of the failures.
    private(set) var failures: [String] = []
    /// The number of updates that the collection's observer received.
    private(set) var updateCount = 0
    /// The total number of commits, as last notified to the observer of the property.
    private(set) var total: Int

    private let realm: Realm
    private var rows: [Row] = []
    /// The observed object. It is retained, because an observation ends with its object.
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
            case .initial: change.apply(to: &rows) { Row($0) }
            case .update:
                updateCount += 1
                change.apply(to: &rows) { Row($0) }
                check()
            case .error(let error): fail("\(error)")
            }
        }
    }

    func end() {
        observation?.invalidate()
        token?.invalidate()
    }

    /// Compares the notified changes with the contents of the realm.
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
