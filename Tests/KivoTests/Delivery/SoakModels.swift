import Foundation
import Kivo

final class SoakItem: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var value = 0
    @Persisted var name = ""
    @Persisted var link: SoakItem?
}

final class SoakBox: Object {
    @Persisted var items: List<SoakItem>
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var total = 0
}

/// The changes of one write of a soak, drawn at random.
struct SoakEdits {
    private var random: RandomSource

    init(_ name: String) { random = RandomSource(name) }

    mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }
    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    /// One to five changes, in an open write.
    mutating func make(in realm: Realm) {
        guard let box = realm.objects(SoakBox.self).first else { return }
        for _ in 0...random.below(5) { makeOne(realm, box) }
    }

    private mutating func makeOne(_ realm: Realm, _ box: SoakBox) {
        let items = realm.objects(SoakItem.self)
        switch random.below(14) {
        case 0, 1:
            if items.count < 60 { add(realm, box, items) }
        case 2:
            if items.count > 5 { realm.delete(items[random.below(items.count)]) }
        case 3, 4, 5: items[random.below(items.count)].value = random.below(100)
        case 6: items[random.below(items.count)].name = "item \(random.below(30))"
        case 7:
            items[random.below(items.count)].link = random.chance(30) ? nil : items[random.below(items.count)]
        case 8: editItems(box, items)
        case 9: editNumbers(box.numbers)
        case 10:
            let tag = "tag \(random.below(12))"
            if random.chance(50) { box.tags.insert(tag) } else { box.tags.remove(tag) }
        case 11:
            let key = "key \(random.below(12))"
            if random.chance(70) { box.counts[key] = random.below(100) } else { box.counts[key] = nil }
        case 12: box.total += 1
        default:
            box.tags.insert("tag \(random.below(12))")
            box.counts["key \(random.below(12))"] = random.below(100)
        }
    }

    private mutating func add(_ realm: Realm, _ box: SoakBox, _ items: Results<SoakItem>) {
        let id = (items.max(of: \.id) ?? 0) + 1
        let item = realm.create(SoakItem.self, value: ["id": id, "value": random.below(100)])
        if random.chance(50) { box.items.append(item) }
    }

    private mutating func editItems(_ box: SoakBox, _ items: Results<SoakItem>) {
        let list = box.items
        switch random.below(4) {
        case 0 where list.count > 1:
            list.move(from: random.below(list.count), to: random.below(list.count))
        case 1 where !list.isEmpty: list.remove(at: random.below(list.count))
        case 2 where !list.isEmpty: list[random.below(list.count)] = items[random.below(items.count)]
        default:
            if list.count < 40 {
                list.insert(items[random.below(items.count)], at: random.below(list.count + 1))
            }
        }
    }

    private mutating func editNumbers(_ numbers: List<Int>) {
        switch random.below(5) {
        case 0 where numbers.count > 1:
            numbers.swapAt(random.below(numbers.count), random.below(numbers.count))
        case 1 where !numbers.isEmpty: numbers.remove(at: random.below(numbers.count))
        case 2 where numbers.count > 20: numbers.removeAll()
        case 3 where !numbers.isEmpty: numbers[random.below(numbers.count)] = random.below(100)
        default: numbers.insert(random.below(100), at: random.below(numbers.count + 1))
        }
    }
}
