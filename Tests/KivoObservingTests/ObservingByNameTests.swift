import Foundation
import KivoObserving
import XCTest

final class ObservingByNameTests: XCTestCase {
    func testAnObserverByNameReceivesARecord() {
        let (download, recorder) = (Download(), Recorder())
        var context = 0
        withUnsafeMutablePointer(to: &context) { context in
            download.addObserver(recorder, forKeyPath: "fraction", options: [.old, .new], context: context)
            download.fraction = 0.5
            XCTAssertEqual(recorder.notices.count, 1)
            XCTAssertEqual(recorder.notices[0].keyPath, "fraction")
            XCTAssertEqual(recorder.notices[0].old as? Double, 0)
            XCTAssertEqual(recorder.notices[0].new as? Double, 0.5)
            XCTAssertEqual(recorder.notices[0].context, UnsafeMutableRawPointer(context))
            download.removeObserver(recorder, forKeyPath: "fraction", context: context)
        }
        download.fraction = 1
        XCTAssertEqual(recorder.notices.count, 1)
    }

    func testDependentKeys() {
        let (download, recorder) = (Download(), Recorder())
        download.addObserver(recorder, forKeyPath: "isDone", options: [.old, .new, .initial])
        download.state = .done
        XCTAssertEqual(recorder.notices.map { $0.new as? Bool }, [false, true])
        XCTAssertEqual(recorder.notices[1].old as? Bool, false)
        download.removeObserver(recorder, forKeyPath: "isDone")
    }

    func testDependenciesThroughOtherObjects() {
        let (download, recorder) = (Download(), Recorder())
        download.addObserver(recorder, forKeyPath: "currentLabel", options: [.old, .new])
        let piece = Piece(size: 1)
        download.current = piece
        XCTAssertEqual(recorder.notices.last?.new as? String, ":1")
        XCTAssertTrue(recorder.notices.last?.old is NSNull)
        piece.name = "a"
        XCTAssertEqual(recorder.notices.last?.new as? String, "a:1")
        piece.size = 2
        XCTAssertEqual(recorder.notices.last?.old as? String, "a:1")
        XCTAssertEqual(recorder.notices.last?.new as? String, "a:2")
        download.current = nil
        XCTAssertEqual(recorder.notices.count, 4)
        piece.size = 3
        XCTAssertEqual(recorder.notices.count, 4)
        download.removeObserver(recorder, forKeyPath: "currentLabel")
    }

    func testAPathFollowsItsObjects() {
        let (download, recorder) = (Download(), Recorder())
        download.addObserver(recorder, forKeyPath: "current.next.size", options: [.old, .new])
        let (first, second, third) = (Piece(1), Piece(2, size: 2), Piece(3, size: 3))
        first.next = second
        download.current = first
        second.size = 20
        first.next = third
        second.size = 21
        third.size = 30
        download.current = nil
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [2, 20, 3, 30, nil])
        XCTAssertEqual(recorder.notices.map { $0.old as? Int }, [nil, 2, 20, 3, 30])
        download.removeObserver(recorder, forKeyPath: "current.next.size")
    }

    func testAPathThroughAKeyThatDependsOnAnother() {
        let (first, second, third, recorder) = (Piece(1), Piece(2, size: 2), Piece(3, size: 3), Recorder())
        first.addObserver(recorder, forKeyPath: "alias.size", options: .new)
        first.next = second
        second.size = 20
        first.next = third
        second.size = 21
        third.size = 30
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [2, 20, 3, 30])
        first.removeObserver(recorder, forKeyPath: "alias.size")
    }

    func testTypedPathsThroughOptionals() {
        let download = Download()
        var seen: [(Int??, Int??)] = []
        // The path is broken when the observation begins.
        let token = download.observe(\.current?.next?.size, options: [.old, .new]) {
            seen.append(($1.oldValue, $1.newValue))
        }
        let (first, second) = (Piece(1), Piece(2, size: 2))
        first.next = second
        download.current = first
        second.size = 20
        first.next = nil
        second.size = 21
        XCTAssertEqual(seen.map(\.1), [.some(2), .some(20), .some(nil)])
        XCTAssertEqual(seen.map(\.0), [.some(nil), .some(2), .some(20)])
        token.invalidate()
        first.next = second
        XCTAssertEqual(seen.count, 3)
    }

    func testAPathThatContinuesInAPlainValue() {
        let download = Download()
        var seen: [Int] = []
        let token = download.observe(\.pieces.count, options: .new) { seen.append($1.newValue!) }
        download.pieces = [Piece(), Piece()]
        download.pieces.removeLast()
        XCTAssertEqual(seen, [2, 1])
        token.invalidate()
    }

    func testAnnouncedElements() {
        let (download, recorder) = (Download(), Recorder())
        download.addObserver(recorder, forKeyPath: "manualPieces", options: [.old, .new])
        download.removeObserver(recorder, forKeyPath: "manualPieces")
        download.addObserver(recorder, forKeyPath: "pieces", options: [.old, .new])
        let array = download.mutableArrayValue(forKey: "pieces")
        let (a, b) = (Piece(1), Piece(2))
        array.add(a)
        array.insert(b, at: 0)
        array.removeObject(at: 1)
        array.replaceObject(at: 0, with: a)
        XCTAssertEqual(recorder.notices.map(\.kind), [.insertion, .insertion, .removal, .replacement])
        XCTAssertEqual(recorder.notices.map(\.indexes), [[0], [0], [1], [0]])
        XCTAssertTrue((recorder.notices[1].new as? [Piece])?.first === b)
        XCTAssertTrue((recorder.notices[2].old as? [Piece])?.first === a)
        XCTAssertEqual(download.pieces.map(\.number), [1])
        download.removeObserver(recorder, forKeyPath: "pieces")
    }

    func testSetProxies() {
        let (download, recorder) = (Download(), Recorder())
        download.addObserver(recorder, forKeyPath: "tags", options: [.old, .new])
        let set = download.mutableSetValue(forKey: "tags")
        set.add("a")
        set.union(["b", "c"])
        set.minus(["a"])
        XCTAssertEqual(download.tags, ["b", "c"])
        XCTAssertEqual(recorder.notices.map(\.kind), [.insertion, .insertion, .removal])
        XCTAssertEqual(recorder.notices[1].new as? Set<String>, ["b", "c"])
        download.removeObserver(recorder, forKeyPath: "tags")
    }

    func testOperatorsAtTheEndOfAPath() {
        let (download, recorder) = (Download(), Recorder())
        download.addObserver(recorder, forKeyPath: "pieces.@sum.size", options: [.old, .new])
        download.pieces = [Piece(size: 2), Piece(size: 5)]
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [7])
        XCTAssertEqual(recorder.notices.map { $0.old as? Int }, [0])
        download.removeObserver(recorder, forKeyPath: "pieces.@sum.size")
    }

    func testRemovalInsideOfANotification() {
        let (download, first, second) = (Download(), Recorder(), Recorder())
        download.addObserver(first, forKeyPath: "fraction")
        download.addObserver(second, forKeyPath: "fraction")
        first.onNotice = {
            download.removeObserver(second, forKeyPath: "fraction")
            first.onNotice = nil
        }
        download.fraction = 1
        XCTAssertEqual(first.notices.count, 1)
        XCTAssertEqual(second.notices.count, 0)
        download.removeObserver(first, forKeyPath: "fraction")
    }

    func testAReleasedObserverIsNotNotified() {
        let download = Download()
        do {
            let recorder = Recorder()
            download.addObserver(recorder, forKeyPath: "fraction")
        }
        download.fraction = 1
    }

    func testKeysDeclaredAtRunTime() {
        final class Late: KeyValueObservable {
            @Observed var base = 1
            var twice: Int { base * 2 }
            class func computedProperties() -> [String: AnyKeyPath] { ["twice": \Late.twice] }
        }
        Late.setKeys(["base"], triggerChangeNotificationsForDependentKey: "twice")
        let (late, recorder) = (Late(), Recorder())
        late.addObserver(recorder, forKeyPath: "twice", options: .new)
        late.base = 4
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [8])
        late.removeObserver(recorder, forKeyPath: "twice")
    }

    func testTypedRules() {
        let (object, recorder) = (Ruled(), Recorder())
        var seen: [Int] = []
        let token = object.observe(\.sum, options: .new) { seen.append($1.newValue!) }
        object.a = 2
        object.b = 3
        object.silent = 1
        XCTAssertEqual(seen, [2, 5])
        let other = object.observe(\.silent) { _, _ in XCTFail("announced only") }
        object.silent = 2
        object.addObserver(recorder, forKeyPath: "a")
        object.a = 1
        XCTAssertEqual(recorder.notices.count, 1)
        token.invalidate()
        other.invalidate()
        object.removeObserver(recorder, forKeyPath: "a")
    }
}

final class Ruled: KeyValueObservingCustomization {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var silent = 0
    var sum: Int { a + b }

    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
        key == \Ruled.sum ? [\Ruled.a, \Ruled.b] : []
    }

    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { key != \Ruled.silent }
}
