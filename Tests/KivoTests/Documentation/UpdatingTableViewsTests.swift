import Foundation
import Kivo
import KivoTesting
import XCTest

// The article begins.
class Errand: Object {
    @Persisted var title = ""
    @Persisted var date = Date()
}

final class ErrandController {
    let realm: Realm
    let results: Results<Errand>
    let table = BatchUpdateTable<Errand, String> { $0.title }
    var notificationToken: NotificationToken?

    init(_ realm: Realm) {
        self.realm = realm
        results = realm.objects(Errand.self).sorted(byKeyPath: "date")
        notificationToken = results.observe { [table] changes in table.apply(changes) }
    }

    func delete(at index: Int) throws {
        try realm.write { realm.delete(results[index]) }
    }
}
// The article ends.

// The article begins.
final class PacedErrands {
    let table = BatchUpdateTable<Errand, String> { $0.title }
    private(set) var rows: Results<Errand>?
    private var token: NotificationToken?

    init(_ realm: Realm) {
        let errands = realm.objects(Errand.self).sorted(byKeyPath: "date")
        token = errands.observe(pacing: .every(.milliseconds(100))) { [weak self] change in
            switch change {
            case .initial(let rows), .update(let rows, _, _, _): self?.rows = rows
            case .error: break
            }
            self?.table.apply(change)
        }
    }

    func tableBeginsToScroll() { token?.pause() }
    func tableEndsScrolling() { token?.resume() }

    func title(at index: Int) -> String { rows?[index].title ?? "" }
}
// The article ends.

// The article begins.
final class SectionedErrands {
    let sections = [
        BatchUpdateTable<Errand, String> { $0.title }, BatchUpdateTable<Errand, String> { $0.title },
    ]
    private var token: NotificationToken?

    init(_ realm: Realm, today: Date) {
        let errands = realm.objects(Errand.self)
        let due = errands.where { $0.date < today }.sorted(byKeyPath: "date")
        let later = errands.where { $0.date >= today }.sorted(byKeyPath: "date")
        token = realm.observe([due, later]) { [sections] changes in
            // Between the table's beginUpdates() and endUpdates():
            if let change = changes[due] { sections[0].apply(change) }
            if let change = changes[later] { sections[1].apply(change) }
        }
    }
}
// The article ends.

// The article begins.
extension ErrandController {
    func deleteDirectly(at index: Int) throws {
        try realm.write(withoutNotifying: [notificationToken!]) {
            realm.delete(results[index])
        }
        table.removeRow(at: index)
    }
}
// The article ends.

// The article begins.
extension ErrandController {
    func deleteAndRefresh(at index: Int) throws {
        try realm.write { realm.delete(results[index]) }
        realm.refresh()
    }
}
// The article ends.

// The article begins.
extension ErrandController {
    func deleteInBackground(at index: Int) {
        @ThreadSafe var object = results[index]
        DispatchQueue.global().async { [carried = $object] in
            guard let object = carried.wrappedValue, let realm = object.realm else { return }
            try? realm.write {
                if !object.isInvalidated { realm.delete(object) }
            }
        }
    }
}
// The article ends.

/// The recipes of the article about table views, in the article's own words.
final class UpdatingTableViewsTests: RealmTestCase {
    private func make(_ count: Int = 5) throws -> ErrandController {
        let realm = try openRealm()
        try realm.write {
            for day in 0..<count {
                realm.add(
                    Errand(value: [
                        "title": "errand \(day)", "date": Date(timeIntervalSinceReferenceDate: Double(day)),
                    ]))
            }
        }
        let controller = ErrandController(realm)
        realm.refresh()
        XCTAssertEqual(controller.table.rows, (0..<count).map { "errand \($0)" })
        return controller
    }

    private func titles(_ controller: ErrandController) -> [String] { controller.results.map(\.title) }

    private func check(_ controller: ErrandController, line: UInt = #line) {
        XCTAssertEqual(controller.table.rows, titles(controller), line: line)
        XCTAssertEqual(controller.table.problems, [], line: line)
    }

    func testFromNotificationsTheTableFollowsLater() throws {
        let controller = try make()
        try controller.delete(at: 1)
        XCTAssertEqual(controller.results.count, 4)
        XCTAssertEqual(controller.table.rows.count, 5, "the table is behind until the notification")
        wait("the notification") { controller.table.rows.count == 4 }
        check(controller)
    }

    func testDirectlyTheTableIsChangedAtOnceAndToldNothing() throws {
        let controller = try make()
        try controller.deleteDirectly(at: 1)
        check(controller)
        serveRunLoop()
        XCTAssertEqual(controller.table.changeCount, 1)
        try controller.deleteDirectly(at: 3)
        // Later changes count without the rows that went silently.
        try writeElsewhere { realm in
            realm.add(Errand(value: ["title": "last", "date": Date(timeIntervalSinceReferenceDate: 99)]))
        }
        wait("the change") { controller.table.changeCount == 2 }
        check(controller)
        XCTAssertEqual(controller.table.rows, ["errand 0", "errand 2", "errand 3", "last"])
    }

    func testDirectlyWhatIsPendingIsToldBeforeTheWrite() throws {
        let controller = try make()
        try writeElsewhere { realm in
            realm.add(Errand(value: ["title": "first", "date": Date(timeIntervalSinceReferenceDate: -1)]))
        }
        try controller.deleteDirectly(at: 1)
        check(controller)
        XCTAssertEqual(controller.table.rows, ["first"] + (1..<5).map { "errand \($0)" })
    }

    func testAtAPaceTableAndRowsNeverDiffer() throws {
        let controller = try make()
        let paced = PacedErrands(controller.realm)
        controller.realm.refresh()
        paced.tableBeginsToScroll()
        for _ in 0..<3 {
            try controller.delete(at: 1)
            serveRunLoop()
            XCTAssertEqual(paced.table.rows, (0..<5).map { paced.title(at: $0) })
        }
        XCTAssertNil(paced.rows?[1].thaw())
        paced.tableEndsScrolling()
        wait("the change") { paced.table.rows.count == 2 }
        XCTAssertEqual(paced.table.rows, (0..<2).map { paced.title(at: $0) })
        XCTAssertEqual(paced.table.problems, [])
    }

    func testARowIsAlwaysInOneOfTheSections() throws {
        let controller = try make()
        let errands = controller.realm.objects(Errand.self).sorted(byKeyPath: "date")
        let today = errands[2].date
        let sectioned = SectionedErrands(controller.realm, today: today)
        controller.realm.refresh()
        XCTAssertEqual(sectioned.sections.map(\.rows.count), [2, 3])
        try controller.realm.write { errands[4].date = today - 1000 }
        controller.realm.refresh()
        XCTAssertEqual(sectioned.sections.map(\.rows.count), [3, 2])
        try controller.realm.write { errands[0].date = today + 1000 }
        try controller.realm.write { controller.realm.delete(errands[0]) }
        controller.realm.refresh()
        XCTAssertEqual(sectioned.sections.map(\.rows.count), [1, 3])
        XCTAssertEqual(sectioned.sections.flatMap(\.problems), [])
    }

    func testWithARefreshTheTableIsToldBeforeTheCallReturns() throws {
        let controller = try make()
        try controller.deleteAndRefresh(at: 4)
        check(controller)
        XCTAssertEqual(controller.table.rows.count, 4)
        XCTAssertEqual(controller.table.changeCount, 2)
    }

    func testInTheBackgroundResultsAndTableChangeTogether() throws {
        let controller = try make()
        controller.deleteInBackground(at: 2)
        controller.deleteInBackground(at: 2)
        wait("the notification") {
            XCTAssertEqual(controller.table.rows, titles(controller))
            return controller.table.rows.count == 4
        }
        serveRunLoop()
        check(controller)
        XCTAssertEqual(controller.table.rows, ["errand 0", "errand 1", "errand 3", "errand 4"])
    }

    func testATableThatRemovesWhatIsNotThereSaysSo() throws {
        let controller = try make(1)
        controller.table.removeRow(at: 1)
        XCTAssertEqual(controller.table.problems, ["change 1: there is no row 1 among 1 to remove"])
    }

    func testTheArticleShowsTheCodeThatRuns() throws {
        let file = URL(fileURLWithPath: #filePath)
        let article = try DocumentedExamples(page: PackageFolder.article("UpdatingTableViews"))
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let begins = lines.indices.filter { lines[$0] == "// The article begins." }
        let running = begins.map { begin in
            lines[(begin + 1)...].prefix { $0 != "// The article ends." }.joined(separator: "\n") + "\n"
        }
        XCTAssertEqual(running.count, 6)
        let imports = "import Foundation\nimport Kivo\nimport KivoTesting\n\n"
        XCTAssertEqual(
            article.blocks, running.enumerated().map { $0.offset == 0 ? imports + $0.element : $0.element })
    }
}
