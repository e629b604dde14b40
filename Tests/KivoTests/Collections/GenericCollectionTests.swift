import Dispatch
import Kivo
import XCTest

/// Code for any collection, which knows no more than the protocol.
final class GenericCollectionTests: RealmTestCase {
    private var told = 0

    private func observeInAllForms<C: RealmCollection>(
        _ collection: C, on queue: DispatchQueue
    ) -> [NotificationToken] where C.Element: Dog {
        let count = { [unowned self] (change: RealmCollectionChange<C>) in
            if case .initial = change { told += 1 }
        }
        return [
            collection.observe(count),
            collection.observe { count($0) },
            collection.observe(keyPaths: ["name"], count),
            collection.observe(keyPaths: ["name"]) { count($0) },
            collection.observe(keyPaths: nil, on: nil, count),
            collection.observe(on: nil) { count($0) },
            collection.observe(keyPaths: ["name", "age"], on: nil) { count($0) },
            collection.observe(keyPaths: [\C.Element.name]) { count($0) },
            collection.observe(keyPaths: [\C.Element.name, \C.Element.age], on: nil) { count($0) },
            collection.observe(on: queue) { _ in },
            collection.observe(keyPaths: ["name"], on: queue) { _ in },
            collection.observe(keyPaths: [\C.Element.name], on: queue) { _ in },
        ]
    }

    private func observeInAllForms<M: RealmKeyedCollection>(_ map: M) -> [NotificationToken] {
        let count = { [unowned self] (change: RealmMapChange<M>) in if case .initial = change { told += 1 } }
        return [
            map.observe(count), map.observe { count($0) }, map.observe(keyPaths: ["name"]) { count($0) },
            map.observe(on: nil) { count($0) }, map.observe(keyPaths: nil, on: nil, count),
        ]
    }

    func testAllFormsOfObserving() throws {
        let queue = DispatchQueue(label: "generic")
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self) }
        var tokens = observeInAllForms(realm.objects(Dog.self), on: queue)
        tokens += observeInAllForms(bag.dogs, on: queue)
        tokens += observeInAllForms(bag.dogSet, on: queue)
        tokens += observeInAllForms(bag.dogsByName)
        realm.refresh()
        XCTAssertEqual(told, 9 * 3 + 5)
        // The types' own functions are not ambiguous with the generic ones.
        tokens += [
            bag.dogs.observe { _ in }, bag.dogs.observe(keyPaths: ["name"]) { _ in },
            bag.dogs.observe(keyPaths: [\.name]) { _ in }, bag.dogs.observe(on: queue) { _ in },
            realm.objects(Dog.self).observe(keyPaths: [\Dog.name], on: queue) { _ in },
            bag.dogsByName.observe { _ in }, bag.dogsByName.observe(on: queue) { _ in },
        ]
        for token in tokens { token.invalidate() }
        queue.sync {}
    }
}
