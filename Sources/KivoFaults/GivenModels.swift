import Kivo

class GivenPlace: EmbeddedObject {
    @Persisted var name: String?
    @Persisted var size = 0
}

class GivenPart: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var owner: GivenOwner?
}

class GivenOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var text: String?
    @Persisted var number = 0.5
    @Persisted var part: GivenPart?
    @Persisted var place: GivenPlace?
    @Persisted var parts: List<GivenPart>
    @Persisted var set: MutableSet<GivenPart>
    @Persisted var places: List<GivenPlace>
    @Persisted var byName: Map<String, GivenPart?>
    @Persisted var placesByName: Map<String, GivenPlace?>
    @Persisted var gaps: List<Int?>
    @Persisted var words: List<String>
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anyByName: Map<String, AnyRealmValue>
}

extension GivenOwner {
    /// All that the object holds, in words. Traps if an element leads nowhere.
    var contents: String {
        let links = [
            parts.map { "\($0.id) \($0.name)" }, set.map { "\($0.id)" },
            places.map { "\($0.name ?? "-") \($0.size)" },
            byName.map { "\($0.key) \($0.value?.id ?? -1)" },
            placesByName.map { "\($0.key) \($0.value?.name ?? "-")" },
        ]
        return "\(id) \(text ?? "-") \(number) \(part?.id ?? -1) \(place?.size ?? -1) \(links) "
            + "\(Array(gaps).map { $0 ?? -1 }) \(Array(words)) \(any) \(anys.count) \(anyByName.count)"
    }
}
