import Foundation
import Kivo

/// A plain class with an array.
private final class PlainShelf {
    var books: [Int] = []
}

/// A class with an observed array.
private final class Shelf: KeyValueObservable {
    @Observed var books: [Int] = []
}

@inline(never)
private func edit(_ shelf: PlainShelf) {
    shelf.books.append(1)
    shelf.books.removeLast()
}

@inline(never)
private func edit(_ shelf: Shelf) {
    shelf.books.append(1)
    shelf.books.removeLast()
}

/// An observer by name that counts.
final class CallCounter: KeyValueObserver {
    let tally = Tally()

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        tally.add()
    }
}

/// Observed arrays of plain classes.
extension Rows {
    static var observedArrays: [Row] {
        [
            appendFloor,
            Row(
                "observed.append", .truth, .ns, .timesFloor(1.2), floor: FloorReference(appendFloor),
                measure: appending),
            Row("observed.proxy/10k", .truth, .ns, .atMost(4_000), measure: proxy),
            Row("observed.count/10k", .truth, .ns, .atMost(1_000), measure: counting),
        ]
    }

    /// Appending to an array of 100,000 in a stored property and removing it again.
    private static var appendFloor: Row {
        Row("floor.append", .truth, .ns) { fixtures in
            let shelf = PlainShelf()
            shelf.books = Array(0..<100_000)
            return Sampling.perOperation(fixtures.size(1_000_000)) {
                for _ in 0..<$0 { edit(shelf) }
                expect(shelf.books.count == 100_000, "floor.append did not remove what it appended")
            }
        }
    }

    private static func appending(_ fixtures: Fixtures) -> Samples {
        let shelf = Shelf()
        shelf.books = Array(0..<100_000)
        return Sampling.perOperation(fixtures.size(1_000_000)) {
            for _ in 0..<$0 { edit(shelf) }
            expect(shelf.books.count == 100_000, "observed.append did not remove what it appended")
        }
    }

    /// Measures an insertion and a removal by the proxy of an observed array of 10,000.
    private static func proxy(_ fixtures: Fixtures) -> Samples {
        let (shelf, counter) = (Shelf(), CallCounter())
        shelf.books = Array(0..<10_000)
        shelf.addObserver(counter, forKeyPath: "books", options: [.old, .new])
        defer { shelf.removeObserver(counter, forKeyPath: "books") }
        let proxy = shelf.mutableArrayValue(forKey: "books")
        return Sampling.perOperation(fixtures.size(20_000)) {
            for number in 0..<$0 {
                proxy.insert(number, at: 5_000)
                proxy.removeObject(at: 5_000)
                counter.tally.take(2, "observed.proxy")
            }
        }
    }

    /// Measures an append to an array whose count is observed.
    private static func counting(_ fixtures: Fixtures) -> Samples {
        let (shelf, counter) = (Shelf(), CallCounter())
        shelf.addObserver(counter, forKeyPath: "books.@count", options: [.old, .new])
        defer { shelf.removeObserver(counter, forKeyPath: "books.@count") }
        return Sampling.perOperation(fixtures.size(20_000)) {
            shelf.books = Array(0..<10_000)
            counter.tally.take(1, "observed.count")
            for number in 0..<$0 {
                shelf.books.append(number)
                counter.tally.take(1, "observed.count")
            }
        }
    }
}
