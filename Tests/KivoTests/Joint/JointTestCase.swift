import Kivo

/// A test of observations of several objects and collections.
class JointTestCase: RealmTestCase {
    /// Adds a holder with a list of items.
    func makeItems(_ realm: Realm, _ values: [Int]) throws -> FuzzHolder {
        let holder = FuzzHolder()
        try realm.write {
            realm.add(holder)
            for value in values { holder.items.append(realm.create(FuzzItem.self, value: ["value": value])) }
        }
        return holder
    }
}
