import Kivo
import KivoTesting
import XCTest

final class HeldTokenTests: RealmTestCase {
    private weak var held: NotificationToken?

    func testATestHoldsItsTokens() throws {
        let realm = try openRealm()
        var count = 0
        held = hold(realm.objects(Dog.self).observe { _ in count += 1 })
        let dog = Dog()
        hold(dog.observe(\.age) { _, _ in count += 10 })
        realm.refresh()
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        dog.age = 1
        XCTAssertEqual(count, 12)
        XCTAssertNotNil(held)
    }
}
