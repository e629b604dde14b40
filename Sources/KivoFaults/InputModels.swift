import Foundation
import Kivo

class InputPlace: EmbeddedObject {
    @Persisted var name: String?
    @Persisted var size = 0
}

class InputPart: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var owner: InputOwner?
}

enum InputMood: String, PersistableEnum { case calm, wild }

class InputOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var text: String?
    @Persisted var number = 0.5
    @Persisted var small: Int8 = 0
    @Persisted(indexed: true) var maybe: Int?
    @Persisted var flag = false
    @Persisted var data: Data?
    @Persisted var date: Date?
    @Persisted var price: Decimal128?
    @Persisted var key: UUID?
    @Persisted var mood: InputMood?
    @Persisted var part: InputPart?
    @Persisted var place: InputPlace?
    @Persisted var parts: List<InputPart>
    @Persisted var set: MutableSet<InputPart>
    @Persisted var places: List<InputPlace>
    @Persisted var byName: Map<String, InputPart?>
    @Persisted var placesByName: Map<String, InputPlace?>
    @Persisted var gaps: List<Int?>
    @Persisted var words: List<String>
    @Persisted var wordSet: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anyByName: Map<String, AnyRealmValue>
}

extension InputOwner {
    /// The contents of the object, as text. Traps if an element has no target.
    var contents: String {
        let links = [
            parts.map { "\($0.id) \($0.name)" }, set.map { "\($0.id)" }.sorted(),
            places.map { "\($0.name ?? "-") \($0.size)" },
            byName.map { "\($0.key) \($0.value?.id ?? -1)" },
            placesByName.map { "\($0.key) \($0.value?.name ?? "-")" },
        ]
        let scalars: [Any?] = [
            text, number, small, maybe, flag, data.map(Array.init), date?.timeIntervalSinceReferenceDate,
            price, key,
            mood?.rawValue, part?.id, place?.size,
        ]
        let values: [String] = scalars.map { $0.map { "\($0)" } ?? "-" }
        let others = [
            gaps.map { $0.map(String.init) ?? "-" }, Array(words), wordSet.sorted(),
            counts.map { "\($0.key) \($0.value)" }, anys.map(\.contents),
            anyByName.map { "\($0.key) \($0.value.contents)" },
        ]
        return "\(id) \(values) \(links) \(others) \(any.contents)"
    }
}

extension AnyRealmValue {
    /// The value as text. Lists and dictionaries are written with their contents, because their descriptions contain addresses.
    fileprivate var contents: String {
        switch self {
        case .list(let list): "[\(list.map(\.contents).joined(separator: ", "))]"
        case .dictionary(let map):
            "{\(map.map { "\($0.key): \($0.value.contents)" }.sorted().joined(separator: ", "))}"
        case .object(let object): "\(type(of: object)) \(object["id"] ?? "-")"
        case .data(let data): "\(Array(data))"
        case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
        case .none, .int, .bool, .float, .double, .string, .objectId, .decimal128, .uuid: "\(self)"
        }
    }
}
