import Foundation
import Kivo
import KivoTesting

/// One participant of a soak: a realm with listeners of every kind, each of which is applied to a table.
///
/// Belongs to the thread, queue or actor of its realm.
final class SoakWatcher {
    /// A listener, and the table that it feeds.
    private struct Watch {
        let name: String
        /// Begins to observe; the table starts again with the first change.
        let observe: () -> NotificationToken
        /// Makes the table show the current contents, as after a write of which the listener is not notified.
        let reload: () -> Void
        let problems: () -> [String]
        let isCurrent: () -> Bool
        var token: NotificationToken
    }

    let realm: Realm
    private let place: String
    private let box: SoakBox
    private var edits: SoakEdits
    private var watches: [Watch] = []
    private var keyValueObservation: KeyValueObservation?
    private var realmToken: NotificationToken?
    private var shownTotal: Int?
    private var objectToken: NotificationToken?
    /// The discrepancies that were found.
    private(set) var problems: [String] = []
    /// How many calls of listeners there were.
    private(set) var callCount = 0
    private var isInside = false

    init(_ realm: Realm, _ place: String) {
        self.realm = realm
        self.place = place
        box = realm.objects(SoakBox.self)[0]
        edits = SoakEdits("soak \(place)")
        watchCollections()
        watchObject()
        realmToken = realm.observe { [unowned self] _, realm in
            callCount += 1
            if realm != self.realm { problems.append("\(self.place): the realm of another place") }
        }
    }

    private func watchCollections() {
        let items = realm.objects(SoakItem.self)
        let row = { (item: SoakItem) in "\(item.id) \(item.value) \(item.name) \(item.link?.value ?? -1)" }
        watch("class", items, row)
        watch("filtered", items.where { $0.value >= 50 }, row)
        watch("sorted", items.sorted(byKeyPath: "value"), row)
        watch("filtered through a link", items.where { $0.link.value < 50 }, row)
        watch("list", box.items, row)
        watch("sorted list", box.items.sorted(by: \.value), row)
        watch("numbers", box.numbers) { $0 }
        watch("tags", box.tags) { $0 }
        let map = box.counts
        let table = MapUpdateTable<String, Int, Int> { $0 }
        add(
            "counts",
            observe: { [unowned self] in
                map.observe { change in
                    table.apply(change)
                    self.didHear()
                }
            }, reload: { table.apply(.initial(map)) }, problems: { table.problems },
            isCurrent: { table.rows == Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) }) })
    }

    private func watch<C: RealmCollection, Row: Equatable>(
        _ name: String, _ collection: C, _ row: @escaping (C.Element) -> Row
    ) {
        let table = BatchUpdateTable<C.Element, Row>(row: row)
        add(
            name,
            observe: { [unowned self] in
                collection.observe { change in
                    table.apply(change)
                    self.didHear()
                }
            }, reload: { table.apply(RealmCollectionChange.initial(collection)) },
            problems: { table.problems },
            isCurrent: { table.rows == collection.map(row) })
    }

    private func add(
        _ name: String, observe: @escaping () -> NotificationToken, reload: @escaping () -> Void,
        problems: @escaping () -> [String], isCurrent: @escaping () -> Bool
    ) {
        watches.append(
            Watch(
                name: name, observe: observe, reload: reload, problems: problems, isCurrent: isCurrent,
                token: observe()))
    }

    /// The box is never deleted: its observers receive one unbroken sequence of values.
    private func watchObject() {
        shownTotal = box.total
        keyValueObservation = box.observe(\.total, options: [.old, .new]) { [unowned self] _, change in
            callCount += 1
            if change.oldValue != shownTotal {
                problems.append("\(place): the total was \(shownTotal!), not \(change.oldValue ?? -1)")
            }
            shownTotal = change.newValue
        }
        objectToken = box.observe(keyPaths: ["total"]) { [unowned self] (change: ObjectChange<SoakBox>) in
            callCount += 1
            guard case .change(_, let properties) = change else {
                return problems.append("\(place): the box is said to be gone")
            }
            if properties.map(\.name) != ["total"] { problems.append("\(place): \(properties)") }
        }
    }

    /// Occasionally acts inside a listener's call: writes, refreshes, or adds and removes listeners.
    private func didHear() {
        callCount += 1
        if isInside { return }
        isInside = true
        defer { isInside = false }
        if realm.refresh() { problems.append("\(place): a refresh inside of a listener") }
        if !realm.isInWriteTransaction {
            if edits.chance(10) { write() }
            if edits.chance(5), place != "refreshing by hand" { writeLater() }
            if edits.chance(5) { replaceListener() }
        }
    }

    /// Ends a listener, and adds one in its place.
    func replaceListener() {
        let index = edits.below(watches.count)
        watches[index].token.invalidate()
        watches[index].token = watches[index].observe()
    }

    /// One write: plain, cancelled, or one that some listeners are not told of.
    func write() {
        var edits = edits
        // A listener that is called meanwhile, at the beginning of the write, draws numbers of its own.
        self.edits = SoakEdits("soak \(place) \(edits.below(1 << 30))")
        let silent = edits.chance(20) ? watches.indices.filter { _ in edits.chance(30) } : []
        do {
            if edits.chance(10) {
                realm.beginWrite()
                edits.make(in: realm)
                realm.cancelWrite()
                return
            }
            try realm.write(withoutNotifying: silent.map { watches[$0].token }) { edits.make(in: realm) }
            for index in silent { watches[index].reload() }
        } catch {
            problems.append("\(place): \(error)")
        }
    }

    /// A write that waits for its turn, and one of two that share a flush.
    private func writeLater() {
        var later = SoakEdits("soak \(place) \(edits.below(1 << 30))")
        let realm = realm
        if later.chance(50) {
            realm.writeAsync { later.make(in: realm) }
        } else {
            realm.beginAsyncWrite {
                later.make(in: realm)
                if later.chance(80) { realm.commitAsyncWrite(allowGrouping: later.chance(50)) }
            }
        }
    }

    /// Brings the realm to the newest version and compares every table with what it shows.
    func finish() {
        // Listeners must not act here: a write of theirs would be delivered after the checks below.
        isInside = true
        realm.refresh()
        for watch in watches {
            problems += watch.problems().map { "\(place), \(watch.name): \($0)" }
            if !watch.isCurrent() { problems.append("\(place), \(watch.name): a change was not told") }
        }
        if shownTotal != box.total {
            problems.append("\(place): the total is \(box.total), not \(shownTotal!)")
        }
        watches = []
        keyValueObservation = nil
        realmToken = nil
        objectToken = nil
    }
}
