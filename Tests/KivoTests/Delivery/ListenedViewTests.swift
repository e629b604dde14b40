import Foundation
import XCTest

@testable import Kivo

/// Results and sections are read from the view of any of their listeners.
final class ListenedViewTests: RealmTestCase {
    func testAnyOfSeveralListenersIsReadFrom() throws {
        let realm = try openRealm()
        try realm.write { for value in 0..<20 { realm.create(SectionsItem.self, value: ["value": value]) } }
        let results = realm.objects(SectionsItem.self).where { $0.value > 5 }
        let sections = results.sectioned(by: \.value)
        var tokens = [results.observe { _ in }, results.observe { _ in }, results.observe { _ in }]
        var others = [sections.observe { _ in }, sections.observe { _ in }]
        wait("the first calls") { sections.state.listenedViews.current() != nil }
        XCTAssertNotNil(results.state.listenedViews.current())
        // One that was not called yet has nothing to read from.
        tokens.append(results.observe { _ in })
        XCTAssertNotNil(results.state.listenedViews.current())
        while let token = tokens.popLast() {
            XCTAssertNotNil(results.state.listenedViews.current(), "\(tokens.count)")
            try realm.write { realm.create(SectionsItem.self, value: ["value": 30]) }
            XCTAssertEqual(results.count, results.filter { $0.value > 5 }.count)
            token.invalidate()
        }
        while let token = others.popLast() {
            XCTAssertNotNil(sections.state.listenedViews.current(), "\(others.count)")
            token.invalidate()
        }
        XCTAssertNil(results.state.listenedViews.current())
        // Reading leaves out those that are gone.
        XCTAssertGreaterThan(results.count, 0)
        XCTAssertTrue(results.state.listenedViews.isEmpty)
        XCTAssertNil(sections.state.listenedViews.current())
    }

    func testListenersThatComeAndGoLeaveLittleBehind() throws {
        let realm = try openRealm()
        let results = realm.objects(SectionsItem.self).where { $0.value > 5 }
        let kept = results.observe { _ in }
        wait("the first call") { results.state.listenedViews.current() != nil }
        for _ in 0..<500 { results.observe { _ in }.invalidate() }
        XCTAssertLessThan(
            Mirror(reflecting: results.state.listenedViews).descendant("lookups").map {
                Mirror(reflecting: $0).children.count
            } ?? .max, 20)
        XCTAssertNotNil(results.state.listenedViews.current())
        kept.invalidate()
    }

    /// Results of plain values, which cannot be followed in a write, are counted once after each change.
    func testPlainValuesInsideOfAWriteAreCountedOnce() throws {
        let realm = try openRealm()
        let holder = SectionsHolder()
        try realm.write {
            realm.add(holder)
            holder.numbers.append(objectsIn: 0..<30_000)
        }
        let results = holder.numbers.filter("self < 29990")
        func time(_ body: () -> Void) -> Double {
            let start = DispatchTime.now().uptimeNanoseconds
            body()
            return Double(DispatchTime.now().uptimeNanoseconds - start)
        }
        try realm.write {
            holder.numbers.append(-1)
            let once = time { XCTAssertEqual(results.count, 29_991) }
            let often = time {
                for _ in 0..<1_000 where results.count != 29_991 || results.isEmpty { XCTFail("") }
            }
            XCTAssertLessThan(often, once * 100)
            holder.numbers.append(-2)
            XCTAssertEqual(results.count, 29_992)
            holder.numbers[0] = 30_000
            XCTAssertEqual(results.count, 29_991)
            XCTAssertEqual(results.last, -2)
            XCTAssertEqual(results.count, 29_991)
            holder.numbers.removeAll()
            XCTAssertEqual(results.count, 0)
            XCTAssertTrue(results.isEmpty)
        }
        try realm.write { holder.numbers.append(3) }
        XCTAssertEqual(results.count, 1)
        try writeElsewhere { $0.objects(SectionsHolder.self)[0].numbers.append(4) }
        realm.refresh()
        XCTAssertEqual(results.count, 2)
    }
}
