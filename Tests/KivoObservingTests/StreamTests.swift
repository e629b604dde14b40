import Foundation
import KivoObserving
import XCTest

/// Asynchronous sequences of values and of changes.
final class StreamTests: XCTestCase {
    @MainActor func testValuesBeginWithTheCurrentOne() async {
        let download = Download()
        download.fraction = 0.25
        var iterator = download.values(of: \.fraction).makeAsyncIterator()
        let first = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(first, 0.25)
        download.fraction = 0.5
        let second = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(second, 0.5)
    }

    @MainActor func testValuesOfABusyConsumerAreCoalesced() async {
        let download = Download()
        var iterator = download.values(of: \.fraction).makeAsyncIterator()
        for step in 1...100 { download.fraction = Double(step) }
        let first = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(first, 100)
        download.fraction = 7
        let second = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(second, 7)
    }

    @MainActor func testChangesOfABusyConsumerAreComposed() async throws {
        let download = Download()
        var iterator = download.changes(of: \.fraction).makeAsyncIterator()
        download.fraction = 1
        var next = await iterator.next(isolation: MainActor.shared)
        var change = try XCTUnwrap(next)
        XCTAssertEqual([change.oldValue, change.newValue], [0, 1])
        for step in 2...5 { download.fraction = Double(step) }
        next = await iterator.next(isolation: MainActor.shared)
        change = try XCTUnwrap(next)
        XCTAssertEqual([change.oldValue, change.newValue], [1, 5])
        XCTAssertEqual(change.kind, .setting)
    }

    @MainActor func testOptionsSayWhichValuesChangesHave() async throws {
        let download = Download()
        var iterator = download.changes(of: \.fraction, options: [.initial, .new, .prior])
            .makeAsyncIterator()
        var next = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(try XCTUnwrap(next).newValue, 0)
        download.fraction = 1
        next = await iterator.next(isolation: MainActor.shared)
        let change = try XCTUnwrap(next)
        XCTAssertNil(change.oldValue)
        XCTAssertEqual(change.newValue, 1)
        XCTAssertFalse(change.isPrior)
    }

    @MainActor func testInsertionsHavePositionsUntilTheyAreComposed() async throws {
        let download = Download()
        let proxy = download.mutableArrayValue(forKey: "pieces")
        var changes = download.changes(of: \.pieces).makeAsyncIterator()
        var values = download.values(of: \.pieces).makeAsyncIterator()
        proxy.add(Piece(1))
        var next = await changes.next(isolation: MainActor.shared)
        var change = try XCTUnwrap(next)
        XCTAssertEqual(change.kind, .insertion)
        XCTAssertEqual(change.indexes, [0])
        proxy.add(Piece(2))
        proxy.add(Piece(3))
        next = await changes.next(isolation: MainActor.shared)
        change = try XCTUnwrap(next)
        XCTAssertEqual(change.kind, .setting)
        XCTAssertEqual(change.newValue?.map(\.number), [1, 2, 3])
        XCTAssertNil(change.oldValue)
        let value = await values.next(isolation: MainActor.shared)
        XCTAssertEqual(value?.map(\.number), [1, 2, 3])
    }

    @MainActor func testPathsAreFollowed() async {
        let piece = Piece()
        var iterator = piece.values(of: \.next?.size).makeAsyncIterator()
        var value = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(value, .some(nil))
        piece.next = Piece(1, size: 4)
        value = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(value, 4)
        piece.next?.size = 5
        value = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(value, 5)
    }

    @MainActor func testAStreamEndsWithItsObjectAfterTheLastValue() async {
        var piece: Piece? = Piece(1, size: 1)
        var iterator = piece!.values(of: \.size).makeAsyncIterator()
        piece!.size = 2
        piece = nil
        var value = await iterator.next(isolation: MainActor.shared)
        XCTAssertEqual(value, 2)
        value = await iterator.next(isolation: MainActor.shared)
        XCTAssertNil(value)
        value = await iterator.next(isolation: MainActor.shared)
        XCTAssertNil(value)
    }

    @MainActor func testAStreamThatWaitsEndsWithItsObject() async {
        final class Box { var piece: Piece? = Piece() }
        let box = Box()
        let values = Task { @MainActor in
            var received: [Int] = []
            var iterator = box.piece!.values(of: \.size).makeAsyncIterator()
            while let size = await iterator.next(isolation: MainActor.shared) { received.append(size) }
            return received
        }
        await Task.yield()
        box.piece?.size = 3
        await Task.yield()
        box.piece = nil
        let received = await values.value
        XCTAssertEqual(received.last, 3)
    }

    @MainActor func testCancellationEndsAStreamAndItsObservation() async {
        let download = Download()
        let reader = Task { @MainActor in
            var count = 0
            for await _ in download.values(of: \.fraction) { count += 1 }
            return count
        }
        while !isObserved(download) { await Task.yield() }
        reader.cancel()
        let count = await reader.value
        XCTAssertLessThanOrEqual(count, 1)
        XCTAssertFalse(isObserved(download))
    }

    func testReleasingAnIteratorEndsItsObservation() {
        let download = Download()
        do {
            let iterator = download.values(of: \.fraction).makeAsyncIterator()
            XCTAssertTrue(isObserved(download))
            withExtendedLifetime(iterator) {}
        }
        XCTAssertFalse(isObserved(download))
    }

    private func isObserved(_ download: Download) -> Bool { download._observing.isObserved(download) }

    @MainActor func testEachIterationIsIndependent() async {
        let piece = Piece(1, size: 1)
        let stream = piece.values(of: \.size)
        var first = stream.makeAsyncIterator()
        _ = await first.next(isolation: MainActor.shared)
        piece.size = 2
        var second = stream.makeAsyncIterator()
        let values = (
            await first.next(isolation: MainActor.shared), await second.next(isolation: MainActor.shared)
        )
        XCTAssertEqual(values.0, 2)
        XCTAssertEqual(values.1, 2)
    }

    /// Threads assign, and tasks read: each sees ascending values up to the last. All have begun to observe before a thread assigns,
    /// because that reads the property.
    func testValuesFromOtherThreadsAscendToTheLast() async {
        let download = Download()
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let readers = (0..<4).map { _ in
            Task {
                var last = -1.0
                for await fraction in download.values(of: \.fraction) {
                    if last < 0 { beginning.yield() }
                    XCTAssertGreaterThanOrEqual(fraction, last)
                    last = fraction
                    if fraction == 1000 { break }
                }
                return last
            }
        }
        var begun = beginnings.makeAsyncIterator()
        for _ in readers { await begun.next() }
        await withCheckedContinuation { continuation in
            Thread {
                for step in 1...1000 { download.fraction = Double(step) }
                continuation.resume()
            }.start()
        }
        for reader in readers {
            let last = await reader.value
            XCTAssertEqual(last, 1000)
        }
    }
}
