import Foundation
import Kivo
import TestRandomness

class HistoryDog: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var weight = 0.0
    @Persisted var tags: List<String>
    @Persisted var friends: List<HistoryDog>
    @Persisted var marks: MutableSet<Int>
    @Persisted var scores: Map<String, Double>
    @Persisted var owner: HistoryPerson?
    @Persisted var home: HistoryPlace?
    @Persisted var places: List<HistoryPlace>
    @Persisted var named: Map<String, HistoryPlace?>
    @Persisted var anything: AnyRealmValue
    @Persisted var mixed: List<AnyRealmValue>
}

class HistoryPerson: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<HistoryDog>
}

class HistoryPlace: EmbeddedObject {
    @Persisted var city = ""
    @Persisted var inner: HistorySpot?
    @Persisted var lines: List<Int>
}

class HistorySpot: EmbeddedObject {
    @Persisted var x = 0
    @Persisted var any: AnyRealmValue
}

/// Random edits of these objects.
struct HistoryEdits {
    var random: RandomSource
    let realm: Realm
    /// Whether there are objects without a primary key.
    var hasPersons = true
    static let strings = ["", "a", "b", "é", "e\u{301}", "Ω", "long enough that it is not small"]

    /// Carries out some edits in the open write.
    mutating func edit(_ count: Int) {
        for _ in 0..<count { edit() }
    }

    private mutating func string() -> String { HistoryEdits.strings.randomElement(using: &random)! }

    private mutating func dog() -> HistoryDog? {
        realm.objects(HistoryDog.self).randomElement(using: &random)
    }
    private mutating func person() -> HistoryPerson? {
        realm.objects(HistoryPerson.self).randomElement(using: &random)
    }

    private mutating func place() -> HistoryPlace {
        let place = HistoryPlace()
        place.city = string()
        place.lines.append(objectsIn: (0..<random.below(3)).map { $0 })
        if random.chance(50) {
            let spot = HistorySpot()
            (spot.x, spot.any) = (random.below(3), any(depth: 1))
            place.inner = spot
        }
        return place
    }

    private mutating func any(depth: Int = 0) -> AnyRealmValue {
        switch random.below(depth > 2 ? 6 : 10) {
        case 0: return .none
        case 1: return .int(random.below(3))
        case 2: return .string(string())
        case 3: return .double([0.5, .nan, -0.0].randomElement(using: &random)!)
        case 4: return dog().map { .object($0) } ?? .bool(true)
        case 5: return .data(Data([1, 2]))
        case 6, 7: return .fromArray((0..<random.below(4)).map { _ in any(depth: depth + 1) })
        default:
            return .fromDictionary(
                Dictionary((0..<random.below(4)).map { _ in (string(), any(depth: depth + 1)) }) { $1 })
        }
    }

    private mutating func edit() {
        switch random.below(30) {
        case 0, 1, 2:
            let id = random.below(12)
            if realm.object(ofType: HistoryDog.self, forPrimaryKey: id) == nil {
                let dog = realm.create(HistoryDog.self, value: ["id": id, "name": string()])
                if random.chance(50) { dog.home = place() }
                if random.chance(50) { dog.places.append(place()) }
            }
        case 3: if let dog = dog(), random.chance(50) { realm.delete(dog) }
        case 4 where hasPersons: realm.create(HistoryPerson.self, value: ["name": string()])
        case 5: if let person = person(), random.chance(40) { realm.delete(person) }
        case 6: person()?.name = string()
        case 7: if let dog = dog() { person()?.dogs.append(dog) }
        case 8: if let list = person()?.dogs, !list.isEmpty { list.remove(at: random.below(list.count)) }
        case 9: dog()?.name = string()
        case 10: dog()?.age = random.chance(30) ? nil : random.below(3)
        case 11: dog()?.weight = [0, -0.0, .nan, 1].randomElement(using: &random)!
        case 12: if let dog = dog() { dog.owner = random.chance(30) ? nil : person() }
        case 13: dog()?.home = random.chance(30) ? nil : place()
        case 14: dog()?.home?.city = string()
        case 15: dog()?.home?.inner?.any = any()
        case 16: if let dog = dog() { edit(dog.tags) { $0.string() } }
        case 17: if let dog = dog(), let other = self.dog() { edit(dog.friends) { _ in other } }
        case 18: if let dog = dog() { edit(dog.places) { $0.place() } }
        case 19:
            if let place = dog()?.places.randomElement(using: &random) {
                if random.chance(50) {
                    place.city = string()
                } else {
                    edit(place.lines) { $0.random.below(4) }
                }
            }
        case 20: if let dog = dog() { edit(dog.mixed) { $0.any() } }
        case 21:
            if let marks = dog()?.marks {
                if random.chance(10) {
                    marks.removeAll()
                } else if random.chance(50) {
                    marks.insert(random.below(5))
                } else {
                    marks.remove(random.below(5))
                }
            }
        case 22: dog()?.scores[string()] = random.chance(30) ? nil : Double(random.below(3))
        case 23: dog()?.named[string()] = random.chance(40) ? nil : place()
        case 24: dog()?.named.values.compactMap { $0 }.randomElement(using: &random)?.city = string()
        case 25: dog()?.anything = any()
        case 26:
            if let value = dog()?.anything {
                switch value {
                case .list(let list): edit(list) { $0.any() }
                case .dictionary(let map): map[string()] = any()
                default: break
                }
            }
        case 27: dog()?.scores.removeAll()
        case 28: dog()?.places.first?.inner = HistorySpot(value: [random.below(4)])
        default:
            for value in dog()?.mixed ?? List() {
                if case .dictionary(let map) = value { map[string()] = any() }
                if case .list(let list) = value { edit(list) { $0.any() } }
            }
        }
    }

    private mutating func edit<Element>(
        _ list: List<Element>, _ make: (inout HistoryEdits) -> Element
    ) {
        let element = make(&self)
        switch random.below(8) {
        case 0, 1: list.append(element)
        case 2: list.insert(element, at: random.below(list.count + 1))
        case 3 where !list.isEmpty: list.remove(at: random.below(list.count))
        case 4 where !list.isEmpty: list[random.below(list.count)] = element
        case 5 where list.count > 1: list.move(from: random.below(list.count), to: random.below(list.count))
        case 6 where list.count > 1: list.swapAt(random.below(list.count), random.below(list.count))
        case 7 where random.chance(20): list.removeAll()
        default: break
        }
    }
}
