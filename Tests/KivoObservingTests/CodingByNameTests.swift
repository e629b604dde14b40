import Foundation
import KivoObserving
import XCTest

/// Keeps a field to itself, and answers for it by the hook of undefined keys.
private final class Closed: KeyValueObservable {
    @Observed var open = 1
    private var closed = 2

    static var accessInstanceVariablesDirectly: Bool { false }

    func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
}

final class CodingByNameTests: XCTestCase {
    func testAClassKeepsItsFieldsToItself() {
        let object = Closed()
        XCTAssertEqual(object.value(forKey: "open") as? Int, 1)
        XCTAssertEqual(object.value(forKey: "closed") as? String, "no closed")
    }

    func testValuesAreReadAndSetByName() {
        let download = Download()
        var seen: [Double] = []
        let token = download.observe(\.fraction, options: .new) { seen.append($1.newValue!) }
        download.setValue(0.5, forKey: "fraction")
        download.setValue(1, forKey: "fraction")
        download.setValue(NSNumber(value: 2), forKey: "fraction")
        XCTAssertEqual(download.fraction, 2)
        XCTAssertEqual(download.value(forKey: "fraction") as? Double, 2)
        XCTAssertEqual(seen, [0.5, 1, 2])
        download.setValue("t", forKey: "title")
        XCTAssertEqual(download.title, "t")
        download.setValue(nil, forKey: "title")
        XCTAssertNil(download.title)
        XCTAssertNil(download.value(forKey: "title"))
        download.setValue(7, forKey: "count")
        XCTAssertEqual(download.count, 7)
        token.invalidate()
    }

    func testComputedAndPlainProperties() {
        let download = Download()
        download.setValue(50, forKey: "percent")
        XCTAssertEqual(download.fraction, 0.5)
        XCTAssertEqual(download.value(forKey: "percent") as? Int, 50)
        XCTAssertEqual(download.value(forKey: "isDone") as? Bool, false)
        XCTAssertEqual(download.value(forKey: "plain") as? String, "plain")
        XCTAssertTrue(download.value(forKey: "self") as? Download === download)
    }

    func testKeyPaths() {
        let download = Download()
        XCTAssertNil(download.value(forKeyPath: "current.name"))
        download.setValue("lost", forKeyPath: "current.name")
        download.current = Piece(1)
        download.setValue("x", forKeyPath: "current.name")
        XCTAssertEqual(download.value(forKeyPath: "current.name") as? String, "x")
        XCTAssertEqual(download.value(forKeyPath: "current.label") as? String, "x:0")
        download.pieces = [Piece(size: 1), Piece(size: 4)]
        XCTAssertEqual(download.value(forKeyPath: "pieces.@sum.size") as? Int, 5)
        XCTAssertEqual(download.value(forKeyPath: "pieces.@avg.size") as? Double, 2.5)
        XCTAssertEqual(download.value(forKeyPath: "pieces.@max.size") as? Int, 4)
        XCTAssertEqual(download.value(forKeyPath: "pieces.@count") as? Int, 2)
        XCTAssertEqual(download.value(forKeyPath: "pieces.size") as? [Int], [1, 4])
        download.setValue(9, forKeyPath: "pieces.size")
        XCTAssertEqual(download.pieces.map(\.size), [9, 9])
    }

    func testSumsThatDoNotFit() {
        let download = Download()
        download.pieces = [Piece(size: .max), Piece(size: .max)]
        XCTAssertEqual(
            download.value(forKeyPath: "pieces.@sum.size") as? Decimal, Decimal(Int.max) * 2)
        XCTAssertEqual(download.value(forKeyPath: "pieces.@avg.size") as? Double, Double(Int.max))
    }

    func testDictionaries() {
        let download = Download()
        download.setValuesForKeys(["fraction": 0.25, "title": NSNull()])
        let values = download.dictionaryWithValues(forKeys: ["fraction", "title"])
        XCTAssertEqual(values["fraction"] as? Double, 0.25)
        XCTAssertTrue(values["title"] is NSNull)
    }

    func testHandlersOfUndefinedKeys() {
        final class Lenient: KeyValueObservable {
            @Observed var size = 1
            var others: [String: Any] = [:]
            func value(forUndefinedKey key: String) -> Any? { others[key] }
            func setValue(_ value: Any?, forUndefinedKey key: String) { others[key] = value }
            func setNilValueForKey(_ key: String) { size = -1 }
        }
        let object = Lenient()
        object.setValue("x", forKey: "unknown")
        XCTAssertEqual(object.value(forKey: "unknown") as? String, "x")
        object.setValue(nil, forKey: "size")
        XCTAssertEqual(object.size, -1)
    }

    func testArraysOfObjectsByName() {
        let array = NSArray(array: [Piece(size: 3), Piece(size: 4)])
        XCTAssertEqual(array.value(forKey: "size") as? [Int], [3, 4])
        XCTAssertEqual(array.value(forKeyPath: "@sum.size") as? Int, 7)
        let recorder = Recorder()
        array.addObserver(recorder, toObjectsAt: [0, 1], forKeyPath: "size", options: .new)
        (array[1] as? Piece)?.size = 8
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [8])
        array.removeObserver(recorder, fromObjectsAt: [0, 1], forKeyPath: "size")
    }
}
