import Foundation
import KivoObserving
import XCTest

/// Mutations of properties, by code and by the proxies, which edit arrays in place.
final class InPlaceMutationTests: XCTestCase {
    private final class Shelf: KeyValueObservable {
        @Observed var books: [Int] = []
        @Observed var loans: [Int] = [] {
            didSet { changes.append(loans.count) }
        }
        @Observed var count = 0
        @Observed var next: Shelf?
        var changes: [Int] = []
    }

    /// An object that uses the property that referred to it when it ends.
    private final class Guest {
        weak var house: House?
        deinit { house?.left.append(house?.guest == nil ? "to nobody" : "to another") }
    }

    private final class House: KeyValueObservable {
        @Observed var guest: Guest?
        var left: [String] = []

        func invite() {
            let guest = Guest()
            guest.house = self
            self.guest = guest
        }
    }

    private struct Refusal: Error {}

    /// Returns the address of an array's elements.
    private func address(_ array: [Int]) -> UnsafeRawPointer? {
        array.withUnsafeBytes { $0.baseAddress }
    }

    func testAnOldValueEndsAfterTheAssignment() {
        let house = House()
        let assign = {
            house.invite()
            house.invite()
            house.guest = nil
        }
        assign()
        XCTAssertEqual(house.left, ["to another", "to nobody"])
        let token = house.observe(\.guest) { _, _ in }
        assign()
        token.invalidate()
        assign()
        XCTAssertEqual(house.left.count, 6)
    }

    func testAMutationThatIsObservedByItsCount() {
        let (shelf, recorder) = (Shelf(), Recorder())
        shelf.books = Array(0..<1000)
        shelf.addObserver(recorder, forKeyPath: "books.@count", options: [.old, .new])
        shelf.books.append(1)
        XCTAssertEqual(recorder.notices.last?.old as? Int, 1000)
        XCTAssertEqual(recorder.notices.last?.new as? Int, 1001)
        shelf.removeObserver(recorder, forKeyPath: "books.@count")
    }

    func testAMutationOfWhichNobodyIsToldNeedsNoCopy() {
        let shelf = Shelf()
        func check(_ message: String) {
            shelf.books = Array(0..<1000)
            shelf.books.reserveCapacity(2000)
            let before = address(shelf.books)
            shelf.books.append(1)
            shelf.books[0] = 5
            shelf.books.removeAll { $0 == 7 }
            XCTAssertEqual(address(shelf.books), before, message)
            XCTAssertEqual(shelf.books.count, 1000, message)
        }
        check("never observed")
        let other = shelf.observe(\.count) { _, _ in }
        check("another property is observed")
        var count = 0
        let token = shelf.observe(\.books, options: [.old, .new]) { _, _ in count += 1 }
        shelf.books.append(1)
        XCTAssertEqual(count, 1)
        token.invalidate()
        check("observed no more")
        other.invalidate()
        check("nothing is observed")
    }

    func testObserversOfWhatAnArrayIsComputedTo() {
        let (shelf, recorder) = (Shelf(), Recorder())
        shelf.books = Array(0..<1000)
        shelf.books.reserveCapacity(2000)
        let before = address(shelf.books)
        shelf.addObserver(recorder, forKeyPath: "books.@count", options: [.old, .new, .prior])
        var counts: [Int] = []
        let token = shelf.observe(\.books.count, options: [.old, .new]) {
            counts += [$1.oldValue!, $1.newValue!]
        }
        shelf.books.append(1)
        shelf.books.removeAll { $0 == 7 }
        XCTAssertEqual(address(shelf.books), before)
        XCTAssertEqual(counts, [1000, 1001, 1001, 1000])
        XCTAssertEqual(recorder.notices.map { $0.old as? Int }, [1000, 1000, 1001, 1001])
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [nil, 1001, nil, 1000])
        token.invalidate()
        shelf.removeObserver(recorder, forKeyPath: "books.@count")
    }

    func testMutationsInsideOfAMutation() {
        for isObserved in [false, true] {
            let shelf = Shelf()
            shelf.books = [1, 2, 3]
            let token = isObserved ? shelf.observe(\.count) { _, _ in } : nil
            shelf.books.removeAll { book in
                shelf.loans.append(book)
                shelf.count += 1
                return book == 2
            }
            XCTAssertEqual(shelf.books, [1, 3])
            XCTAssertEqual(shelf.loans, [1, 2, 3])
            XCTAssertEqual(shelf.count, 3)
            token?.invalidate()
        }
    }

    func testAnObserverThatComesInsideOfAMutation() {
        let shelf = Shelf()
        shelf.loans = [1, 2]
        var tokens: [KeyValueObservation] = []
        var seen: [Int] = []
        shelf.loans.removeAll { loan in
            tokens.append(shelf.observe(\.count, options: .new) { seen.append($1.newValue!) })
            return loan == 1
        }
        shelf.count = 7
        XCTAssertEqual(shelf.loans, [2])
        XCTAssertEqual(seen, [7, 7])
        tokens.append(shelf.observe(\.loans, options: .new) { seen += $1.newValue! })
        shelf.loans.append(8)
        XCTAssertEqual(seen, [7, 7, 2, 8])
        tokens.forEach { $0.invalidate() }
    }

    func testValuesOfMutationsInPlace() {
        let shelf = Shelf()
        var seen: [[Int]?] = []
        let tokens = [
            shelf.observe(\.books, options: [.old, .new]) { seen += [$1.oldValue, $1.newValue] },
            shelf.observe(\.books, options: [.prior, .old]) {
                if $1.isPrior { seen.append($0.books) } else { seen.append($1.oldValue) }
            },
        ]
        shelf.books.append(1)
        shelf.books[0] += 1
        // The notification before a change is the first.
        XCTAssertEqual(seen, [[], [], [1], [], [1], [1], [2], [1]])
        tokens.forEach { $0.invalidate() }
        var counts: [Int] = []
        let token = shelf.observe(\.count, options: [.old, .new]) { counts += [$1.oldValue!, $1.newValue!] }
        shelf.count += 2
        shelf.count *= 3
        XCTAssertEqual(counts, [0, 2, 2, 6])
        token.invalidate()
    }

    func testAMutationThatThrowsIsNotified() {
        let shelf = Shelf()
        var seen: [[Int]] = []
        let token = shelf.observe(\.books, options: .new) { seen.append($1.newValue!) }
        func fail(_ books: inout [Int]) throws {
            books.append(1)
            throw Refusal()
        }
        XCTAssertThrowsError(try fail(&shelf.books))
        XCTAssertEqual(seen, [[1]])
        token.invalidate()
    }

    func testMutationsAlongAPath() {
        let (shelf, next) = (Shelf(), Shelf())
        shelf.next = next
        var seen: [Int?] = []
        let token = shelf.observe(\.next?.books.count, options: .new) { seen.append($1.newValue!) }
        next.books.append(1)
        shelf.next?.books += [2, 3]
        XCTAssertEqual(seen, [1, 3])
        token.invalidate()
    }

    func testPropertyObserversRunAfterMutations() {
        let shelf = Shelf()
        let token = shelf.observe(\.loans) { _, _ in }
        shelf.loans.append(1)
        shelf.loans.append(2)
        token.invalidate()
        shelf.loans.removeAll()
        XCTAssertEqual(shelf.changes, [1, 2, 0])
    }

    // MARK: Proxies

    func testAProxyEditsAnArrayInPlace() {
        let shelf = Shelf()
        shelf.books = Array(0..<1000)
        shelf.books.reserveCapacity(2000)
        var changes: [KeyValueObservedChange<[Int]>] = []
        let token = shelf.observe(\.books, options: [.old, .new]) { changes.append($1) }
        let (proxy, before) = (shelf.mutableArrayValue(forKey: "books"), address(shelf.books))
        proxy.insert(7, at: 500)
        proxy.removeObject(at: 0)
        proxy.replaceObject(at: 1, with: 8)
        proxy.insert([1, 2], at: IndexSet([0, 3]))
        XCTAssertEqual(address(shelf.books), before)
        proxy.removeObjects(at: IndexSet([0, 3]))
        XCTAssertEqual(proxy.count, 1000)
        XCTAssertEqual(shelf.books[499], 7)
        XCTAssertEqual(shelf.books.prefix(3), [1, 8, 3])
        XCTAssertEqual(changes.map(\.kind), [.insertion, .removal, .replacement, .insertion, .removal])
        XCTAssertEqual(changes.map(\.newValue), [[7], nil, [8], [1, 2], nil])
        XCTAssertEqual(changes.map(\.oldValue), [nil, [0], [2], nil, [1, 2]])
        token.invalidate()
    }

    // MARK: Setters of named properties

    private final class Clamped: KeyValueObservable {
        @Observed var level = 0 {
            didSet { if level > 10 { level = 10 } }
        }
        @Observed var names: [String] = [] {
            didSet { changes.append(names) }
        }
        @Observed private(set) var total = 0
        var changes: [[String]] = []

        static func computedProperties() -> [String: AnyKeyPath] {
            ["level": \Clamped.level, "names": \Clamped.names]
        }
    }

    func testANamedPropertyIsSetByItsOwnSetter() {
        let (object, recorder) = (Clamped(), Recorder())
        object.addObserver(recorder, forKeyPath: "level", options: .new)
        object.setValue(20, forKey: "level")
        XCTAssertEqual(object.level, 10)
        XCTAssertEqual(object.value(forKey: "level") as? Int, 10)
        XCTAssertEqual(recorder.notices.last?.new as? Int, 10)
        object.setValue(4, forKey: "total")
        XCTAssertEqual(object.total, 4)
        object.removeObserver(recorder, forKeyPath: "level")
    }

    func testAProxyRunsTheSetterOfANamedProperty() {
        let (object, recorder) = (Clamped(), Recorder())
        object.addObserver(recorder, forKeyPath: "names", options: [.old, .new])
        let proxy = object.mutableArrayValue(forKey: "names")
        proxy.add("a")
        proxy.insert("b", at: 0)
        proxy.removeLastObject()
        XCTAssertEqual(object.changes, [["a"], ["b", "a"], ["b"]])
        XCTAssertEqual(recorder.notices.map(\.kind), [.insertion, .insertion, .removal])
        object.removeObserver(recorder, forKeyPath: "names")
    }
}
