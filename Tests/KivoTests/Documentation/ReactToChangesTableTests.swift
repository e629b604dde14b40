import Foundation
import Kivo
import KivoTesting
import XCTest

/// The table views of realm-swift's page: what each of its four ways shows, and when.
final class ReactToChangesTableTests: RealmTestCase {
    /// The page's controller, with a table that notes what a table view would crash on.
    private final class TableController {
        let realm: Realm
        let results: Results<PageDemoObject>
        let table = BatchUpdateTable<PageDemoObject, String> { $0.title }
        var notificationToken: NotificationToken!

        init(_ configuration: Realm.Configuration) throws {
            realm = try Realm(configuration: configuration)
            results = try Realm(configuration: configuration).objects(PageDemoObject.self).sorted(
                byKeyPath: "date")
            notificationToken = results.observe { [table] (changes: RealmCollectionChange) in
                table.apply(changes)
            }
        }

        var titles: [String] { results.map(\.title) }
    }

    private func makeController() throws -> TableController {
        let realm = try openRealm()
        try realm.write {
            for (title, date) in [("c", 3.0), ("a", 1), ("b", 2)] {
                let date = Date(timeIntervalSinceReferenceDate: date)
                realm.add(PageDemoObject(value: ["title": title, "date": date]))
            }
        }
        let controller = try TableController(configuration)
        wait("the first call") { controller.table.changeCount == 1 }
        XCTAssertEqual(controller.table.rows, ["a", "b", "c"])
        return controller
    }

    func testTableController() throws {
        let controller = try makeController()
        let realm = controller.realm
        try realm.write { realm.delete(controller.results[1]) }
        XCTAssertEqual(controller.titles, ["a", "c"])
        XCTAssertEqual(controller.table.rows, ["a", "b", "c"], "out of step until the notification")
        wait("the notification") { controller.table.changeCount == 2 }
        XCTAssertEqual(controller.table.rows, ["a", "c"])
        try realm.write { controller.results[0].date = Date(timeIntervalSinceReferenceDate: 9) }
        wait("the move") { controller.table.changeCount == 3 }
        XCTAssertEqual(controller.table.rows, ["c", "a"])
        XCTAssertEqual(controller.table.problems, [])
    }

    func testTableSilent() throws {
        let controller = try makeController()
        let realm = controller.realm
        try realm.write(withoutNotifying: [controller.notificationToken]) {
            realm.delete(controller.results[1])
        }
        controller.table.removeRow(at: 1)
        serveRunLoop()
        XCTAssertEqual(controller.table.changeCount, 1)
        XCTAssertEqual(controller.table.rows, controller.titles)
        try realm.write { controller.results[1].title = "C" }
        wait("the next notification") { controller.table.changeCount == 2 }
        XCTAssertEqual(controller.table.rows, ["a", "C"])
        XCTAssertEqual(controller.table.problems, [])
    }

    func testTableRefresh() throws {
        let controller = try makeController()
        let realm = controller.realm
        try realm.write { realm.delete(controller.results[0]) }
        realm.refresh()
        XCTAssertEqual(controller.table.rows, ["b", "c"])
        XCTAssertEqual(controller.table.changeCount, 2)
        XCTAssertEqual(controller.table.problems, [])
    }

    func testTableBackground() throws {
        let controller = try makeController()
        @ThreadSafe var object = controller.results[1]
        let done = Done()
        DispatchQueue.global().async { [carried = $object] in
            defer { done.set() }
            guard let object = carried.wrappedValue else { return }
            let realm = object.realm!
            try! realm.write {
                if !object.isInvalidated { realm.delete(object) }
            }
        }
        while !done.isSet { Thread.sleep(forTimeInterval: 0.001) }
        XCTAssertEqual(controller.titles, ["a", "b", "c"], "nothing is seen before the notification")
        wait("the notification") {
            XCTAssertEqual(controller.table.rows, controller.titles)
            return controller.table.changeCount == 2
        }
        XCTAssertEqual(controller.table.rows, ["a", "c"])
        XCTAssertNil(object)
        XCTAssertEqual(controller.table.problems, [])
    }
}
