import Foundation
import KivoObserving
import XCTest

/// Announced changes of plain classes, by name and by typed key path.
final class AnnouncementTests: XCTestCase {
    private final class Shelf: KeyValueObservable {
        var books: [String] = []
        var tags: Set<String> = []
        @Observed var count = 0

        static func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }
    }

    func testInsertionsRemovalsAndReplacementsByName() {
        let (shelf, recorder) = (Shelf(), Recorder())
        shelf.addObserver(recorder, forKeyPath: "books", options: [.old, .new])
        shelf.willChange(.insertion, valuesAt: [0, 1], forKey: "books")
        shelf.books = ["a", "b"]
        shelf.didChange(.insertion, valuesAt: [0, 1], forKey: "books")
        shelf.willChange(.replacement, valuesAt: [1], forKey: "books")
        shelf.books[1] = "c"
        shelf.didChange(.replacement, valuesAt: [1], forKey: "books")
        shelf.willChange(.removal, valuesAt: [0], forKey: "books")
        shelf.books.remove(at: 0)
        shelf.didChange(.removal, valuesAt: [0], forKey: "books")
        XCTAssertEqual(recorder.notices.map(\.kind), [.insertion, .replacement, .removal])
        XCTAssertEqual(recorder.notices.map(\.indexes), [[0, 1], [1], [0]])
        XCTAssertEqual(recorder.notices.map { $0.old as? [String] }, [nil, ["b"], ["a"]])
        XCTAssertEqual(recorder.notices.map { $0.new as? [String] }, [["a", "b"], ["c"], nil])
        shelf.removeObserver(recorder, forKeyPath: "books")
    }

    func testInsertionsByTypedKeyPath() {
        let shelf = Shelf()
        var changes: [KeyValueObservedChange<[String]>] = []
        let token = shelf.observe(\.books, options: [.prior, .old, .new]) { changes.append($1) }
        shelf.willChange(.insertion, valuesAt: [0], for: \.books)
        shelf.books = ["a"]
        shelf.didChange(.insertion, valuesAt: [0], for: \.books)
        XCTAssertEqual(changes.map(\.isPrior), [true, false])
        XCTAssertEqual(changes.map(\.kind), [.insertion, .insertion])
        XCTAssertEqual(changes.map(\.newValue), [nil, ["a"]])
        XCTAssertEqual(changes.map(\.indexes), [[0], [0]])
        token.invalidate()
    }

    func testSetMutations() {
        let (shelf, recorder) = (Shelf(), Recorder())
        shelf.tags = ["a", "b"]
        shelf.addObserver(recorder, forKeyPath: "tags", options: [.old, .new])
        func mutate(_ kind: NSKeyValueSetMutationKind, _ other: Set<String>, _ body: () -> Void) {
            shelf.willChangeValue(forKey: "tags", withSetMutation: kind, using: other)
            body()
            shelf.didChangeValue(forKey: "tags", withSetMutation: kind, using: other)
        }
        mutate(.union, ["b", "c"]) { shelf.tags.formUnion(["b", "c"]) }
        mutate(.minus, ["a", "x"]) { shelf.tags.subtract(["a", "x"]) }
        mutate(.intersect, ["b"]) { shelf.tags.formIntersection(["b"]) }
        mutate(.set, ["z"]) { shelf.tags = ["z"] }
        XCTAssertEqual(recorder.notices.map(\.kind), [.insertion, .removal, .removal, .replacement])
        XCTAssertEqual(recorder.notices.map { $0.old as? Set<String> }, [nil, ["a"], ["c"], ["b"]])
        XCTAssertEqual(recorder.notices.map { $0.new as? Set<String> }, [["c"], nil, nil, ["z"]])
        shelf.removeObserver(recorder, forKeyPath: "tags")

        var kinds: [NSKeyValueChange] = []
        let token = shelf.observe(\.tags) { kinds.append($1.kind) }
        shelf.willChangeValue(for: \.tags, withSetMutation: .union, using: ["q"])
        shelf.tags.insert("q")
        shelf.didChangeValue(for: \.tags, withSetMutation: .union, using: ["q"])
        XCTAssertEqual(kinds, [.insertion])
        token.invalidate()
    }

    func testNestedAnnouncements() {
        let (shelf, recorder) = (Shelf(), Recorder())
        shelf.addObserver(recorder, forKeyPath: "count", options: [.prior, .old, .new])
        shelf.addObserver(recorder, forKeyPath: "books", options: [.prior, .old, .new])
        shelf.willChangeValue(forKey: "count")
        shelf.willChangeValue(forKey: "books")
        (shelf.count, shelf.books) = (1, ["a"])
        shelf.didChangeValue(forKey: "books")
        shelf.didChangeValue(forKey: "count")
        XCTAssertEqual(recorder.notices.map(\.keyPath), ["count", "books", "books", "count"])
        XCTAssertEqual(recorder.notices.map(\.isPrior), [true, true, false, false])
        XCTAssertEqual(recorder.notices[3].old as? Int, 0)
        XCTAssertEqual(recorder.notices[3].new as? Int, 1)
        shelf.removeObserver(recorder, forKeyPath: "count")
        shelf.removeObserver(recorder, forKeyPath: "books")
    }

    func testChangesOfAKeyThatIsNotAutomatic() {
        let (shelf, recorder) = (Shelf(), Recorder())
        shelf.addObserver(recorder, forKeyPath: "count", options: [.initial, .new])
        shelf.count = 1
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [0])
        shelf.didChangeValue(forKey: "count")
        XCTAssertEqual(recorder.notices.count, 1, "there is no begun change")
        shelf.removeObserver(recorder, forKeyPath: "count")
    }

    func testRemovalByContext() {
        let (piece, recorder) = (Piece(), Recorder())
        let contexts = (0..<2).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1) }
        defer { contexts.forEach { $0.deallocate() } }
        for context in contexts {
            piece.addObserver(recorder, forKeyPath: "size", options: [], context: context)
        }
        piece.removeObserver(recorder, forKeyPath: "size", context: contexts[0])
        piece.size = 1
        XCTAssertEqual(recorder.notices.map(\.context), [contexts[1]])
        piece.addObserver(recorder, forKeyPath: "size", options: [], context: nil)
        piece.removeObserver(recorder, forKeyPath: "size", context: contexts[1])
        piece.size = 2
        XCTAssertEqual(recorder.notices.map(\.context), [contexts[1], nil])
        piece.removeObserver(recorder, forKeyPath: "size")
        piece.size = 3
        XCTAssertEqual(recorder.notices.count, 2)
    }

    func testPriorNotificationsByName() {
        let (piece, recorder) = (Piece(), Recorder())
        piece.addObserver(recorder, forKeyPath: "next.size", options: [.prior, .old, .new])
        piece.next = Piece(1, size: 3)
        piece.next!.size = 4
        XCTAssertEqual(recorder.notices.map(\.isPrior), [true, false, true, false])
        XCTAssertEqual(recorder.notices.map { $0.old as? Int }, [nil, nil, 3, 3])
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [nil, 3, nil, 4])
        piece.removeObserver(recorder, forKeyPath: "next.size")
    }
}
