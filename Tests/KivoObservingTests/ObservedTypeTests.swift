import Foundation
import KivoObserving
import XCTest

/// Observed properties of any type, in classes of any kind.
final class ObservedTypeTests: XCTestCase {
    private struct Weak { weak var object: AnyObject? }

    private protocol Shape: Sendable { var area: Int { get } }
    private struct Square: Shape {
        var side = 0
        var area: Int { side * side }
    }
    private struct Line: Shape { var area: Int { 0 } }

    private final class Holder: KeyValueObservable {
        @Observed var action: (Int) -> Int = { $0 }
        @Observed var pair: (name: String, size: Int) = ("", 0)
        @Observed var shape: any Shape = Line()
        @Observed var target = Weak()
        @Observed var anything: Any = 0
        @Observed var nested: Int?? = .none
        @Observed var dictionary: [String: [Int]] = [:]
        @Observed var bytes: Data?
    }

    func testClosures() {
        let holder = Holder()
        var results: [Int] = []
        let token = holder.observe(\.action, options: [.old, .new]) {
            results += [$1.oldValue!(2), $1.newValue!(2)]
        }
        holder.action = { $0 * 10 }
        holder.action = { $0 + 1 }
        XCTAssertEqual(results, [2, 20, 20, 3])
        XCTAssertEqual(holder.action(4), 5)
        token.invalidate()
    }

    func testTuplesAndTheirParts() {
        let holder = Holder()
        var (pairs, names): ([String], [String]) = ([], [])
        let tokens = [
            holder.observe(\.pair, options: [.old, .new]) {
                pairs.append(
                    "\($1.oldValue!.name)\($1.oldValue!.size) \($1.newValue!.name)\($1.newValue!.size)")
            },
            holder.observe(\.pair.name, options: .new) { names.append($1.newValue!) },
        ]
        holder.pair = ("a", 1)
        holder.pair.size = 2
        XCTAssertEqual(pairs, ["0 a1", "a1 a2"])
        XCTAssertEqual(names, ["a", "a"])
        tokens.forEach { $0.invalidate() }
    }

    func testExistentials() {
        let (holder, recorder) = (Holder(), Recorder())
        var (areas, values): ([Int], [String]) = ([], [])
        let tokens = [
            holder.observe(\.shape, options: .new) { areas.append($1.newValue!.area) },
            holder.observe(\.shape.area, options: [.old, .new]) { areas += [$1.oldValue!, $1.newValue!] },
            holder.observe(\.anything, options: [.old, .new]) {
                values.append("\($1.oldValue!) \($1.newValue!)")
            },
        ]
        holder.addObserver(recorder, forKeyPath: "shape", options: .new)
        holder.shape = Square(side: 3)
        holder.anything = "text"
        holder.anything = [1]
        XCTAssertEqual(areas, [9, 0, 9])
        XCTAssertEqual(values, ["0 text", "text [1]"])
        XCTAssertEqual((recorder.notices[0].new as? Square)?.side, 3)
        tokens.forEach { $0.invalidate() }
        holder.removeObserver(recorder, forKeyPath: "shape")
    }

    func testWeakReferencesInAValue() {
        let holder = Holder()
        var count = 0
        let token = holder.observe(\.target, options: [.old, .new]) { _, change in
            count += change.newValue!.object == nil ? 0 : 1
        }
        var piece: Piece? = Piece()
        holder.target.object = piece
        XCTAssertEqual(count, 1)
        piece = nil
        XCTAssertNil(holder.target.object)
        XCTAssertNil(piece)
        token.invalidate()
    }

    func testOptionalsOfOptionalsAndDictionaries() {
        let (holder, recorder) = (Holder(), Recorder())
        var nested: [Int???] = []
        let token = holder.observe(\.nested, options: .new) { nested.append($1.newValue) }
        holder.addObserver(recorder, forKeyPath: "dictionary", options: .new)
        holder.nested = .some(.none)
        holder.nested = 1
        holder.dictionary["a", default: []].append(1)
        XCTAssertEqual(nested, [.some(.some(.none)), 1])
        XCTAssertEqual(recorder.notices[0].new as? [String: [Int]], ["a": [1]])
        token.invalidate()
        holder.removeObserver(recorder, forKeyPath: "dictionary")
    }

    /// A class of Foundation with state of its own. `Thread` cannot be subclassed with every toolchain.
    private final class Steps: Progress, KeyValueObservable, @unchecked Sendable {
        @Observed var title = ""
        override func cancel() {
            super.cancel()
            title = "cancelled"
        }
    }

    func testASubclassOfAClassOfFoundation() {
        let steps = Steps(totalUnitCount: 3)
        let seen = Recorder()
        steps.addObserver(seen, forKeyPath: "title", options: .new)
        let thread = Thread {
            steps.title = "begun"
            steps.cancel()
        }
        let isDone = expectation(description: "done")
        let token = steps.observe(\.title) { steps, _ in
            XCTAssertTrue(Thread.current === thread)
            if steps.isCancelled { isDone.fulfill() }
        }
        thread.start()
        wait(for: [isDone], timeout: 60)
        XCTAssertEqual(seen.notices.map { $0.new as? String }, ["begun", "cancelled"])
        token.invalidate()
        steps.removeObserver(seen, forKeyPath: "title")
    }
}
