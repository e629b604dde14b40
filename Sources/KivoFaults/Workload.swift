import Kivo

/// An object with a value of each form in which a file stores values.
final class FaultItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted(indexed: true) var code: Int?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var next: FaultItem?
    @Persisted var part: FaultPart?
    @Persisted var any: AnyRealmValue
}

final class FaultPart: EmbeddedObject {
    @Persisted var size: Int
}

/// A counter. Each commit sets it to the number of the commit.
final class FaultCounter: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
}

/// A sequence of commits that is the same for the same seed.
struct Workload: Sendable {
    let seed: UInt64
    /// The maximum number of objects.
    var ids = 120
    /// The maximum length of a text.
    var longest = 200

    /// The length of a text in every sixth commit, which makes the commit's record an announced one; 0 for none.
    var announced = 0

    /// One edit of a commit.
    enum Edit: Sendable {
        case put(id: Int, text: String, code: Int?)
        case delete(Int)
        case append(Int, [Int])
        case trim(Int)
        case link(Int, to: Int)
        case part(Int, size: Int)
        case word(Int, String)
        case any(Int, Int)
        case clear
    }

    /// Returns the edits of the commit with a number. Numbers begin with 1.
    func commit(_ number: Int) -> [Edit] {
        var random = SeededNumbers(seed ^ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
        let edits: [Edit] = (0..<(number == 1 ? ids / 2 : 1 + random.below(4))).map { index in
            let (a, b) = (number == 1 ? index : random.below(ids), random.below(ids))
            switch number == 1 ? 0 : random.below(300) {
            case 0..<90:
                let text = String(
                    repeating: "\(random.below(1 << 30)) ü", count: 1 + random.below(longest) / 12)
                return .put(id: a, text: text, code: random.chance(30) ? nil : random.below(40))
            case 90..<120: return .delete(a)
            case 120..<160: return .append(a, (0..<random.below(200)).map { $0 &* number })
            case 160..<180: return .trim(a)
            case 180..<220: return .link(a, to: b)
            case 220..<250: return .part(a, size: random.below(1 << 40))
            case 250..<270: return .word(a, "word \(random.below(300))")
            case 270..<298: return .any(a, random.below(1 << 20))
            default: return .clear
            }
        }
        guard announced > 0, number % 6 == 5 else { return edits }
        // This edit is the last one, because another may delete all objects.
        return edits + [.put(id: ids, text: String(repeating: "\(number % 10)", count: announced), code: nil)]
    }

    /// Performs a commit in a realm.
    func write(_ number: Int, to realm: Realm) throws {
        try realm.write {
            for edit in commit(number) { Workload.apply(edit, to: realm) }
            realm.create(FaultCounter.self, value: ["id": 0, "number": number], update: .modified)
        }
    }

    /// Applies one edit of a commit.
    static func apply(_ edit: Edit, to realm: Realm) {
        func item(_ id: Int) -> FaultItem? { realm.object(ofType: FaultItem.self, forPrimaryKey: id) }
        switch edit {
        case .put(let id, let text, let code):
            let item =
                item(id) ?? realm.create(FaultItem.self, value: ["id": id, "text": ""] as [String: Any])
            (item.text, item.code) = (text, code)
        case .delete(let id): if let item = item(id) { realm.delete(item) }
        case .append(let id, let numbers): item(id)?.numbers.append(objectsIn: numbers)
        case .trim(let id):
            if let item = item(id), item.numbers.count > 20 {
                item.numbers.removeSubrange(5..<(item.numbers.count - 5))
            }
        case .link(let id, let target): item(id)?.next = item(target)
        case .part(let id, let size):
            let part = FaultPart()
            part.size = size
            item(id)?.part = part
        case .word(let id, let word): item(id)?.words.insert(word)
        case .any(let id, let number):
            item(id)?.any = number % 3 == 0 ? .string("\(number)") : number % 3 == 1 ? .int(number) : .none
        case .clear: realm.delete(realm.objects(FaultItem.self))
        }
    }
}

/// The contents of a realm, in plain values.
struct Contents: Equatable, Sendable {
    struct Row: Equatable, Sendable {
        var text = ""
        var code: Int?
        var numbers: [Int] = []
        var words: Set<String> = []
        var next: Int?
        var part: Int?
        var any = ""
    }

    /// A disagreement between an index and the rows.
    enum IndexFlaw: Hashable, Sendable {
        /// The primary key of a row leads to no object.
        case missingKey(Int)
        /// The index of the codes finds too many rows with a code, or too few.
        case wrongCount(code: Int)
    }

    /// The number of the last commit.
    var number = 0
    var rows: [Int: Row] = [:]
    /// The flaws of the indexes; none in what a workload expects.
    private(set) var indexFlaws: Set<IndexFlaw> = []

    init() {}

    /// Reads all values of a realm, by rows and by indexes.
    init(_ realm: Realm) {
        number = realm.object(ofType: FaultCounter.self, forPrimaryKey: 0)?.number ?? 0
        for item in realm.objects(FaultItem.self) {
            rows[item.id] = Row(item)
            if realm.object(ofType: FaultItem.self, forPrimaryKey: item.id) == nil {
                indexFlaws.insert(.missingKey(item.id))
            }
        }
        for code in 0..<40 {
            let count = realm.objects(FaultItem.self).where { $0.code == code }.count
            if count != rows.values.filter({ $0.code == code }).count {
                indexFlaws.insert(.wrongCount(code: code))
            }
        }
    }

    /// Applies the next commit of a workload.
    mutating func apply(_ workload: Workload) {
        number += 1
        for edit in workload.commit(number) { apply(edit) }
    }

    private mutating func apply(_ edit: Workload.Edit) {
        switch edit {
        case .put(let id, let text, let code):
            rows[id, default: Row(any: "\(AnyRealmValue.none)")].text = text
            rows[id]!.code = code
        case .delete(let id):
            if rows.removeValue(forKey: id) == nil { return }
            for (other, row) in rows where row.next == id { rows[other]!.next = nil }
        case .append(let id, let numbers): rows[id]?.numbers.append(contentsOf: numbers)
        case .trim(let id):
            guard let count = rows[id]?.numbers.count, count > 20 else { break }
            rows[id]!.numbers.removeSubrange(5..<(count - 5))
        case .link(let id, let target):
            let next = rows[target] == nil ? nil : target
            rows[id]?.next = next
        case .part(let id, let size): rows[id]?.part = size
        case .word(let id, let word): rows[id]?.words.insert(word)
        case .any(let id, let number):
            let value: AnyRealmValue =
                number % 3 == 0 ? .string("\(number)") : number % 3 == 1 ? .int(number) : .none
            rows[id]?.any = "\(value)"
        case .clear: rows = [:]
        }
    }

    /// Returns a description of the differences.
    func difference(from other: Contents) -> String {
        if number != other.number { return "commit \(number) instead of \(other.number)" }
        let flaws = indexFlaws.symmetricDifference(other.indexFlaws)
        if !flaws.isEmpty { return "after commit \(number), indexes are wrong: \(flaws)" }
        let ids = Set(rows.keys).union(other.rows.keys).filter { rows[$0] != other.rows[$0] }
        return "after commit \(number), objects \(ids.sorted().prefix(10)) differ"
    }
}

extension Contents.Row {
    /// Reads an object.
    init(_ item: FaultItem) {
        self.init(
            text: item.text, code: item.code, numbers: Array(item.numbers), words: Set(item.words),
            next: item.next?.id, part: item.part?.size, any: "\(item.any)")
    }
}
