import Foundation
import Kivo
import TestRandomness
import XCTest

/// Adjacent rows, some of them observed through several accessors, that are written directly, elsewhere and not at all,
/// compared with dictionaries. Each observer is notified of each change of its row, and of nothing else.
final class KeyValueRowTests: RealmTestCase {
    func testEveryObserverIsToldOfEveryChange() throws {
        let world = RowWorld(try openRealm(), RandomSource())
        defer { world.end() }
        for step in TestEffort.rounds(4000, within: 0.36, atLeast: 300) {
            let edit = try world.step { edits in
                try self.writeElsewhere { realm in for edit in edits { edit.make(in: realm) } }
            }
            if let problem = world.problem { return XCTFail("step \(step), \(edit): \(problem)") }
        }
        XCTAssertGreaterThan(world.toldCount, TestEffort.expected(1000))
    }

    func testManyObserversOfOneObjectGoInAnyOrder() throws {
        var random = RandomSource()
        for order in ["first", "last", "random"] {
            try onBothKinds({ Neighbour() }) { object in
                var told: [Int] = []
                var tokens = (0..<300).map { number in
                    (number, object.observe(\.value) { _, _ in told.append(number) })
                }
                while !tokens.isEmpty {
                    let place =
                        order == "first" ? 0 : order == "last" ? tokens.count - 1 : random.below(tokens.count)
                    tokens.remove(at: place).1.invalidate()
                    if random.chance(20) {
                        let number = 1000 + tokens.count
                        tokens.append((number, object.observe(\.value) { _, _ in told.append(number) }))
                        tokens.remove(at: 0).1.invalidate()
                    }
                    told = []
                    object.value += 1
                    XCTAssertEqual(told, tokens.map(\.0))
                }
            }
        }
    }

    func testAWriteBeginsToBeToldAmidAWrite() throws {
        let realm = try openRealm()
        try realm.write { for _ in 0..<3 { realm.create(Neighbour.self) } }
        let (a, b, neighbour) = (
            realm.objects(Neighbour.self)[1], realm.objects(Neighbour.self)[1],
            realm.objects(Neighbour.self)[0]
        )
        var told = 0
        try realm.write {
            for value in 1...3 {
                (a.value, b.value, neighbour.value) = (value, value, value)
                a.numbers.append(value)
                neighbour.numbers.append(value)
            }
            let value = a.observe(\.value) { _, _ in told += 1 }
            let numbers = b.observe(\.numbers) { _, _ in told += 1 }
            for value in 4...6 {
                told = 0
                a.value = value
                XCTAssertEqual(told, 1)
                b.value = value
                XCTAssertEqual(told, 2)
                neighbour.value = value
                neighbour.numbers.append(value)
                XCTAssertEqual(told, 2)
                a.numbers.append(value)
                b.numbers.append(value)
                XCTAssertEqual(told, 4)
            }
            value.invalidate()
            numbers.invalidate()
            a.value = 7
            a.numbers.append(7)
            XCTAssertEqual(told, 4)
        }
        XCTAssertEqual(Array(b.numbers), [1, 2, 3, 4, 4, 5, 5, 6, 6, 7])
        XCTAssertEqual(Array(neighbour.numbers), [1, 2, 3, 4, 5, 6])
        XCTAssertEqual([a.value, b.value, neighbour.value], [7, 7, 6])
    }
}

/// A class with a property of each kind whose observers are notified in a different way.
class Neighbour: Object {
    @Persisted var id = 0
    @Persisted var value = 0
    @Persisted var other = 0
    @Persisted var next: Neighbour?
    @Persisted var numbers: List<Int>
}

/// An edit of a row.
enum RowEdit: Sendable {
    case create(Int)
    case setValue(Int, Int)
    case setOther(Int, Int)
    case setNext(Int, Int?)
    case append(Int, Int)
    case delete(Int)

    func make(in realm: Realm) {
        func row(_ id: Int) -> Neighbour { realm.objects(Neighbour.self).first { $0.id == id }! }
        switch self {
        case .create(let id): realm.create(Neighbour.self, value: ["id": id])
        case .delete(let id): realm.delete(row(id))
        case .setNext(let id, let next): row(id).next = next.map(row)
        case .setValue(let id, _), .setOther(let id, _), .append(let id, _): make(to: row(id))
        }
    }

    /// Carries out the edit of a plain property through an accessor.
    func make(to row: Neighbour) {
        switch self {
        case .setValue(_, let value): row.value = value
        case .setOther(_, let value): row.other = value
        case .append(_, let number): row.numbers.append(number)
        default: fatalError("\(self) is of several rows")
        }
    }
}

/// A row as the model has it.
struct ModelRow: Equatable {
    var value = 0
    var other = 0
    var next: Int?
    var numbers: [Int] = []
}

/// The expected rows, their observers, and the notifications that these should have received.
final class RowWorld {
    enum Key: CaseIterable { case value, other, next, numbers, end }

    /// A property that was assigned.
    struct Place: Hashable {
        var id: Int
        var key: Key
    }

    /// One registration, with the accessor that it was made on.
    private struct Watch {
        let number: Int
        let id: Int
        let key: Key
        let hasValues: Bool
        let accessor: Neighbour
        let token: KeyValueObservation
    }

    private let realm: Realm
    private var random: RandomSource
    private var rows: [Int: ModelRow] = [:]
    /// The rows before the open write and what it assigned, if one is open.
    private var before: [Int: ModelRow] = [:]
    private var touched: Set<Place> = []
    private var accessors: [Int: [Neighbour]] = [:]
    private var watches: [Watch] = []
    private var lastNumber = 0
    private var told: [String] = []
    private var expected: [String] = []
    private(set) var toldCount = 0

    init(_ realm: Realm, _ random: RandomSource) {
        self.realm = realm
        self.random = random
    }

    func end() { if realm.isInWriteTransaction { realm.cancelWrite() } }

    /// A description of the difference from the expected state, or nil.
    var problem: String? {
        let (told, expected) = (self.told.sorted(), self.expected.sorted())
        toldCount += told.count
        (self.told, self.expected) = ([], [])
        if told != expected { return "told \(told), not \(expected)" }
        for (id, row) in rows {
            for accessor in accessors[id] ?? [] where state(accessor) != row {
                return "row \(id) is \(state(accessor)), not \(row)"
            }
        }
        return nil
    }

    private func state(_ row: Neighbour) -> ModelRow {
        ModelRow(value: row.value, other: row.other, next: row.next?.id, numbers: Array(row.numbers))
    }

    /// Does something; `writeElsewhere` carries edits out in another realm.
    func step(_ writeElsewhere: ([RowEdit]) throws -> Void) throws -> String {
        switch random.below(100) {
        case 0..<14: observe()
        case 14..<22:
            if let index = watches.indices.randomElement(using: &random) { watches.remove(at: index) }
        case 22..<26: accessors[random.below(lastID + 1)] = nil
        case 26..<30: if let id = anyRow { _ = accessor(id, isFresh: true) }
        case _ where realm.isInWriteTransaction: return step()
        case 30..<60: return try elsewhere(writeElsewhere)
        default:
            realm.beginWrite()
            (before, touched) = (rows, [])
        }
        return "watching or beginning"
    }

    /// A step of the open write.
    private func step() -> String {
        switch random.below(30) {
        case 0:
            expected = []
            realm.cancelWrite()
            expectMove(from: rows, to: before, isRollback: true)
            rows = before
            return "cancel"
        case 1:
            try? realm.commitWrite()
            return "commit"
        default:
            guard let edit = randomEdit() else { return "nothing" }
            expectAtOnce(edit)
            apply(edit)
            make(edit)
            return "\(edit)"
        }
    }

    private func elsewhere(_ write: ([RowEdit]) throws -> Void) throws -> String {
        let old = rows
        touched = []
        var edits: [RowEdit] = []
        for _ in 0...random.below(6) {
            guard let edit = randomEdit() else { break }
            apply(edit)
            edits.append(edit)
        }
        try write(edits)
        expectMove(from: old, to: rows, isRollback: false)
        if random.chance(50) {
            realm.refresh()
        } else {
            realm.beginWrite()
            (before, touched) = (rows, [])
        }
        return "elsewhere \(edits)"
    }

    // MARK: Accessors

    private var lastID = 0
    private var anyRow: Int? { rows.keys.sorted().randomElement(using: &random) }

    private func accessor(_ id: Int, isFresh: Bool = false) -> Neighbour {
        if !isFresh, let known = accessors[id]?.randomElement(using: &random) { return known }
        let referrer = rows.first { $0.value.next == id }?.key
        let fetched: Neighbour
        if let referrer, let next = accessors[referrer]?.first?.next, next.id == id {
            fetched = next
        } else {
            fetched = realm.objects(Neighbour.self).first { $0.id == id }!
        }
        accessors[id, default: []].append(fetched)
        return fetched
    }

    private func observe() {
        guard let id = anyRow else { return }
        let key = Key.allCases.randomElement(using: &random)!
        let accessor = accessor(id, isFresh: random.chance(30))
        lastNumber += 1
        let (number, hasValues) = (lastNumber, random.chance(50))
        let options: NSKeyValueObservingOptions = hasValues ? [.old, .new] : []
        let token: KeyValueObservation
        switch key {
        case .value:
            token = accessor.observe(\.value, options: options) { [unowned self] _, change in
                self.told.append(Self.text(number, change.oldValue, change.newValue))
            }
        case .other:
            token = accessor.observe(\.other, options: options) { [unowned self] _, change in
                self.told.append(Self.text(number, change.oldValue, change.newValue))
            }
        case .next: token = accessor.observe(\.next) { [unowned self] _, _ in self.told.append("\(number)") }
        case .end:
            token = accessor.observe(\.isInvalidated) { [unowned self] _, _ in self.told.append("\(number)") }
        case .numbers:
            token = accessor.observe(\.numbers) { [unowned self] _, change in
                self.told.append("\(number) \(change.kind.rawValue) \(Array(change.indexes ?? []))")
            }
        }
        watches.append(
            Watch(
                number: number, id: id, key: key, hasValues: hasValues, accessor: accessor, token: token))
    }

    private static func text(_ number: Int, _ old: Int?, _ new: Int?) -> String {
        guard let old, let new else { return "\(number)" }
        return "\(number) \(old) \(new)"
    }

    // MARK: Edits

    private func randomEdit() -> RowEdit? {
        guard rows.count > 2, let id = anyRow, let other = anyRow else {
            lastID += 1
            return .create(lastID)
        }
        switch random.below(40) {
        case 0:
            lastID += 1
            return .create(lastID)
        case 1: return rows.count > 30 || random.chance(30) ? .delete(id) : .setNext(id, other)
        case 2..<5: return .setNext(id, random.chance(30) ? nil : other)
        case 5..<12: return .append(id, random.below(100))
        case 12..<18: return .setOther(id, random.below(3))
        default: return .setValue(id, random.below(1000))
        }
    }

    private func make(_ edit: RowEdit) {
        switch edit {
        case .create(let id): accessors[id] = [realm.create(Neighbour.self, value: ["id": id])]
        case .setNext(let id, let next): accessor(id).next = next.map { accessor($0) }
        case .delete(let id):
            realm.delete(accessor(id))
        case .setValue(let id, _), .setOther(let id, _), .append(let id, _):
            edit.make(to: accessor(id, isFresh: random.chance(10)))
        }
    }

    private func apply(_ edit: RowEdit) {
        switch edit {
        case .create(let id): rows[id] = ModelRow()
        case .setValue(let id, let value):
            rows[id]!.value = value
            touched.insert(Place(id: id, key: .value))
        case .setOther(let id, let value):
            rows[id]!.other = value
            touched.insert(Place(id: id, key: .other))
        case .setNext(let id, let next):
            rows[id]!.next = next
            touched.insert(Place(id: id, key: .next))
        case .append(let id, let number):
            rows[id]!.numbers.append(number)
            touched.insert(Place(id: id, key: .numbers))
        case .delete(let id):
            rows[id] = nil
            for referrer in rows.keys where rows[referrer]!.next == id {
                rows[referrer]!.next = nil
                touched.insert(Place(id: referrer, key: .next))
            }
        }
    }

    // MARK: Expectations

    private func expect(_ id: Int, _ key: Key, _ text: (Watch) -> String) {
        for watch in watches where watch.id == id && watch.key == key { expected.append(text(watch)) }
    }

    /// Adds the notifications of an edit in this realm, before the model is edited.
    private func expectAtOnce(_ edit: RowEdit) {
        switch edit {
        case .create: break
        case .setValue(let id, let value): expectScalar(id, .value, rows[id]!.value, value)
        case .setOther(let id, let value): expectScalar(id, .other, rows[id]!.other, value)
        case .setNext(let id, _): expect(id, .next) { "\($0.number)" }
        case .append(let id, _): expect(id, .numbers) { "\($0.number) 2 [\(rows[id]!.numbers.count)]" }
        case .delete(let id):
            expect(id, .end) { "\($0.number)" }
            for referrer in rows.keys where referrer != id && rows[referrer]!.next == id {
                expect(referrer, .next) { "\($0.number)" }
            }
        }
    }

    private func expectScalar(_ id: Int, _ key: Key, _ old: Int, _ new: Int) {
        expect(id, key) { $0.hasValues ? "\($0.number) \(old) \(new)" : "\($0.number)" }
    }

    /// Adds the notifications of a move to other rows.
    private func expectMove(from old: [Int: ModelRow], to new: [Int: ModelRow], isRollback: Bool) {
        for id in old.keys where new[id] == nil { expect(id, .end) { "\($0.number)" } }
        for place in touched {
            guard let (from, to) = old[place.id].flatMap({ a in new[place.id].map { (a, $0) } }) else {
                continue
            }
            switch place.key {
            case .value: expectScalar(place.id, .value, from.value, to.value)
            case .other: expectScalar(place.id, .other, from.other, to.other)
            case .next: expect(place.id, .next) { "\($0.number)" }
            case .numbers:
                let (counts, kind) = ([from.numbers.count, to.numbers.count].sorted(), isRollback ? 3 : 2)
                expect(place.id, .numbers) { "\($0.number) \(kind) \(Array(counts[0]..<counts[1]))" }
            case .end: break
            }
        }
    }
}
