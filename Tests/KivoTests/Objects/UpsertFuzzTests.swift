import Foundation
import Kivo
import TestRandomness
import XCTest

enum ParcelState: String, PersistableEnum {
    case packed, sent, lost
}

class Parcel: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var weight = 0.0
    @Persisted var label = "?"
    @Persisted var note: String?
    @Persisted var count: Int8 = 0
    @Persisted(indexed: true) var lane: Int?
    @Persisted var isOpen: Bool?
    @Persisted var ratio: Float = 0
    @Persisted var date: Date?
    @Persisted var state = ParcelState.packed
    @Persisted var anything: AnyRealmValue
    @Persisted var marks: List<String?>
    @Persisted var sizes: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var item: ParcelItem?
    @Persisted var items: List<ParcelItem>
    @Persisted var sender: Parcel?
    @Persisted var stops: List<Parcel>
}

class ParcelItem: EmbeddedObject {
    @Persisted var name = "-"
    @Persisted var price: Double?
    @Persisted var codes: List<Int>
}

/// Updates from dictionaries of all forms, compared with a model that merges them. What is equal is not written: observers of it are
/// not called.
final class UpsertFuzzTests: RealmTestCase {
    func testUpdatesMergeAndReportOnlyDifferences() throws {
        for round in TestEffort.rounds(60) {
            try check(RandomSource("upserts \(round)"))
        }
    }

    private func check(_ source: RandomSource) throws {
        var random = source
        let realm = try openRealm()
        try realm.write { realm.deleteAll() }
        var model: [Int: ParcelModel] = [:]
        let all = realm.objects(Parcel.self)
        var (told, count): (Set<Int>, Int) = ([], 0)
        let token = all.observe { change in
            guard case .update(let parcels, _, let insertions, _) = change else { return }
            told = Set((insertions + change.currentModifications).map { parcels[$0].id })
            count += 1
        }
        defer { token.invalidate() }
        realm.refresh()
        var last: [GivenParcel] = []
        for step in 0..<12 {
            // Every other time, most of what was given is given again.
            let given =
                step % 2 == 1
                ? last.filter { _ in Int.random(in: 0..<9, using: &random) > 0 }
                : (0..<4).map { _ in GivenParcel(&random, depth: 0) }
            last = given
            let before = model
            var isWritten = false
            for parcel in given { parcel.apply(to: &model, &isWritten) }
            (told, count) = ([], 0)
            let (isBatch, isReversed) = (Bool.random(using: &random), Bool.random(using: &random))
            try realm.write {
                let values = given.map { $0.dictionary(&random, isReversed) }
                if isBatch {
                    realm.create(Parcel.self, values: values, update: .modified)
                } else {
                    for (parcel, value) in zip(given, values) {
                        let object = realm.create(Parcel.self, value: value, update: .modified)
                        XCTAssertEqual(object.id, parcel.id)
                    }
                }
            }
            realm.refresh()
            XCTAssertEqual(Set(all.map(\.id)), Set(model.keys))
            for parcel in all { XCTAssertEqual(ParcelModel(parcel), model[parcel.id]) }
            XCTAssertEqual(
                realm.dynamicObjects("ParcelItem").count, model.values.reduce(0) { $0 + $1.itemCount })
            let changed = Set(model.keys.filter { before[$0] != model[$0] })
            XCTAssertTrue(told.isSuperset(of: changed), "\(changed) but \(told)")
            if !isWritten { XCTAssertEqual(count, 0, "told of \(told)") }
        }
    }
}

/// A parcel as texts.
private struct ParcelModel: Equatable {
    var texts = [
        "weight": "0.0", "label": "?", "note": "nil", "count": "0", "lane": "nil", "isOpen": "nil",
        "ratio": "0.0", "date": "nil", "state": "packed", "anything": "none", "marks": "[]", "sizes": "[]",
    ]
    var tags: Set<String> = []
    var item: [String: String]?
    var items: [[String: String]] = []
    var sender: Int?
    var stops: [Int] = []

    static let newItem = ["name": "-", "price": "nil", "codes": "[]"]

    init() {}

    init(_ parcel: Parcel) {
        func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }
        func texts(_ item: ParcelItem) -> [String: String] {
            ["name": item.name, "price": text(item.price), "codes": "\(Array(item.codes))"]
        }
        self.texts = [
            "weight": "\(parcel.weight)", "label": parcel.label, "note": text(parcel.note),
            "count": "\(parcel.count)", "lane": text(parcel.lane), "isOpen": text(parcel.isOpen),
            "ratio": "\(parcel.ratio)", "date": text(parcel.date?.timeIntervalSinceReferenceDate),
            "state": parcel.state.rawValue, "sizes": "\(Array(parcel.sizes))",
            "marks": "\(Array(parcel.marks).map { $0 ?? "nil" })",
        ]
        switch parcel.anything {
        case .none: self.texts["anything"] = "none"
        case .int(let number): self.texts["anything"] = "int \(number)"
        case .string(let string): self.texts["anything"] = "string \(string)"
        default: self.texts["anything"] = "?"
        }
        tags = Set(parcel.tags)
        item = parcel.item.map(texts)
        items = parcel.items.map(texts)
        sender = parcel.sender?.id
        stops = parcel.stops.map(\.id)
    }

    var itemCount: Int { items.count + (item == nil ? 0 : 1) }
}

/// The values given for a parcel.
private struct GivenParcel {
    let id: Int
    private var plain: [(name: String, value: Any, text: String)] = []
    private var tags: [String]?
    private var item: GivenItem??
    private var items: [GivenItem]?
    private var sender: [GivenParcel]?
    private var stops: [GivenParcel]?

    init(_ random: inout RandomSource, depth: Int) {
        func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        id = number(6)
        func give(_ name: String, _ choices: [(Any, String)]) {
            if number(2) == 0 { return }
            let (value, text) = choices[number(choices.count)]
            plain.append((name, value, text))
        }
        give("weight", [(1, "1.0"), (1.0, "1.0"), (NSNumber(value: 1.5), "1.5"), (-0.0, "-0.0"), (0, "0.0")])
        give(
            "label",
            [
                ("", ""), ("a", "a"),
                ("a label of more than fifteen bytes", "a label of more than fifteen bytes"),
            ])
        give("note", [(NSNull(), "nil"), ("note", "note"), (Optional("note") as Any, "note"), ("é", "é")])
        give("count", [(1, "1"), (Int8(1), "1"), (NSNumber(value: 127), "127"), (3.0, "3")])
        give("lane", [(NSNull(), "nil"), (1, "1"), (Int64(2), "2"), (Optional<Int>.none as Any, "nil")])
        give("isOpen", [(true, "true"), (false, "false"), (NSNull(), "nil"), (1, "true")])
        give("ratio", [(Float(0.1), "0.1"), (0.1, "0.1"), (2, "2.0")])
        let day = Date(timeIntervalSinceReferenceDate: 86400)
        give("date", [(day, "86400.0"), (NSNull(), "nil")])
        give("state", [("sent", "sent"), (ParcelState.lost, "lost"), ("packed", "packed")])
        give("anything", [(1, "int 1"), ("text", "string text"), (NSNull(), "none")])
        give(
            "marks",
            [
                ([Any](), "[]"), (["a", "b"], #"["a", "b"]"#), (["a", NSNull()] as [Any], #"["a", "nil"]"#),
                (["a", nil] as [String?], #"["a", "nil"]"#),
            ])
        give("sizes", [([1, 2], "[1, 2]"), ([1, 2] as [Any], "[1, 2]"), ([1.0], "[1]"), (NSNull(), "[]")])
        if number(3) == 0 { tags = (0..<number(3)).map { _ in "\(number(4))" } }
        if number(2) == 0 { item = .some(number(4) == 0 ? nil : GivenItem(&random)) }
        if number(2) == 0 { items = (0..<number(3)).map { _ in GivenItem(&random) } }
        if depth == 2 { return }
        if number(3) == 0 {
            sender = (0..<number(2)).map { _ in GivenParcel(&random, depth: depth + 1) }
        }
        if number(3) == 0 { stops = (0..<number(3)).map { _ in GivenParcel(&random, depth: depth + 1) } }
    }

    /// Returns the values in one of the types in which they can be given.
    func dictionary(_ random: inout RandomSource, _ isReversed: Bool) -> [String: Any] {
        var values: [String: Any] = ["id": id]
        for (name, value, _) in plain { values[name] = value }
        values["tags"] = tags
        if let item { values["item"] = item?.dictionary ?? NSNull() }
        if let items {
            values["items"] =
                Bool.random(using: &random) ? items.map(\.dictionary) : items.map { $0.dictionary as Any }
        }
        if let sender { values["sender"] = sender.first?.dictionary(&random, isReversed) ?? NSNull() }
        if let stops {
            let stops = stops.map { $0.dictionary(&random, isReversed) }
            values["stops"] = isReversed ? stops : stops as [Any]
        }
        return values
    }

    /// Merges the values in the order in which the properties are declared: nested objects are written where they are met. Sets
    /// `isWritten` if a value was another one before, also if it is written back later.
    func apply(to model: inout [Int: ParcelModel], _ isWritten: inout Bool) {
        if model[id] == nil { isWritten = true }
        func write(_ change: (inout ParcelModel) -> Void) {
            let old = model[id]
            change(&model[id, default: ParcelModel()])
            if model[id] != old { isWritten = true }
        }
        write { parcel in
            for (name, _, text) in plain { parcel.texts[name] = text }
            if let tags { parcel.tags.formUnion(tags) }
            if let item { parcel.item = item.map { $0.merged(into: parcel.item) } }
            if let items {
                let old = parcel.items
                parcel.items = items.enumerated().map { $1.merged(into: $0 < old.count ? old[$0] : nil) }
            }
        }
        if let sender {
            for parcel in sender { parcel.apply(to: &model, &isWritten) }
            write { $0.sender = sender.first?.id }
        }
        if let stops {
            for parcel in stops { parcel.apply(to: &model, &isWritten) }
            write { $0.stops = stops.map(\.id) }
        }
    }
}

/// The values given for an item of a parcel.
private struct GivenItem {
    private(set) var dictionary: [String: Any] = [:]
    private var texts: [String: String] = [:]

    init(_ random: inout RandomSource) {
        func give(_ name: String, _ choices: [(Any, String)]) {
            let choice = choices.randomElement(using: &random)!
            if Bool.random(using: &random) { (dictionary[name], texts[name]) = choice }
        }
        give("name", [("pen", "pen"), ("a pencil of more than 15 bytes", "a pencil of more than 15 bytes")])
        give("price", [(1, "1.0"), (NSNull(), "nil"), (2.5, "2.5")])
        give("codes", [([Int](), "[]"), ([1, 2], "[1, 2]"), ([1, 3], "[1, 3]")])
    }

    func merged(into item: [String: String]?) -> [String: String] {
        (item ?? ParcelModel.newItem).merging(texts) { $1 }
    }
}
