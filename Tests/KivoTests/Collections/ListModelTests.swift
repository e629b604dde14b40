import Foundation
import Kivo
import XCTest

/// Lists behave as arrays do, whatever is done to them.
final class ListModelTests: RealmTestCase {
    /// Carries out the same random operations on a list and an array.
    private func compare<Element: RealmCollectionValue>(
        _ list: List<Element>, _ random: inout RandomSource, steps: Int,
        _ make: (inout RandomSource) -> Element
    ) {
        var model = Array(list)
        for step in 0..<steps {
            let count = model.count
            // Now and then a run of several leaves.
            let longest = random.chance(5) ? 400 : 4
            let new = (0..<random.below(longest)).map { _ in make(&random) }
            let operation = random.below(count == 0 ? 5 : 15)
            switch operation {
            case 0:
                let element = make(&random)
                list.append(element)
                model.append(element)
            case 1:
                list.append(objectsIn: new)
                model += new
            case 2:
                let (element, index) = (make(&random), random.below(count + 1))
                list.insert(element, at: index)
                model.insert(element, at: index)
            case 3:
                let index = random.below(count + 1)
                list.insert(contentsOf: new, at: index)
                model.insert(contentsOf: new, at: index)
            case 4:
                let lower = random.below(count + 1)
                let range = lower..<(lower + random.below(count - lower + 1))
                list.replaceSubrange(range, with: new)
                model.replaceSubrange(range, with: new)
            case 5:
                let index = random.below(count)
                list.remove(at: index)
                model.remove(at: index)
            case 6:
                let number = random.below(Swift.min(count, longest) + 1)
                list.removeFirst(number)
                model.removeFirst(number)
            case 7:
                let number = random.below(Swift.min(count, longest) + 1)
                list.removeLast(number)
                model.removeLast(number)
            case 8:
                let lower = random.below(count)
                let range = lower..<Swift.min(count, lower + random.below(longest))
                list.removeSubrange(range)
                model.removeSubrange(range)
            case 9:
                let offsets = IndexSet((0..<random.below(4)).map { _ in random.below(count) })
                list.remove(atOffsets: offsets)
                for index in offsets.reversed() { model.remove(at: index) }
            case 10:
                let (element, index) = (make(&random), random.below(count))
                if random.chance(50) {
                    list[index] = element
                } else {
                    list.replace(index: index, object: element)
                }
                model[index] = element
            case 11:
                let (from, to) = (random.below(count), random.below(count))
                list.move(from: from, to: to)
                model.insert(model.remove(at: from), at: to)
            case 12:
                let offsets = IndexSet((0..<random.below(5)).map { _ in random.below(count) })
                let destination = random.below(count + 1)
                list.move(fromOffsets: offsets, toOffset: destination)
                model = moved(model, offsets, destination)
            case 13:
                let (a, b) = (random.below(count), random.below(count))
                list.swapAt(a, b)
                model.swapAt(a, b)
            default:
                if random.chance(10) {
                    list.removeAll()
                    model.removeAll()
                }
            }
            let contents = Array(list)
            guard contents == model, list.count == model.count, list.first == model.first,
                list.last == model.last
            else { return XCTFail("step \(step), operation \(operation): \(contents) and \(model)") }
            let position = random.below(model.count + 1)
            if position < model.count {
                XCTAssertEqual(list[position], model[position])
                XCTAssertEqual(list.index(of: model[position]), model.firstIndex(of: model[position]))
            }
        }
    }

    /// Moves elements as list views do: the moved elements, in order, are placed before the element that was at the
    /// destination.
    private func moved<Element>(_ array: [Element], _ offsets: IndexSet, _ destination: Int) -> [Element] {
        let rest = { (range: Range<Int>) in range.filter { !offsets.contains($0) }.map { array[$0] } }
        return rest(0..<destination) + offsets.map { array[$0] } + rest(destination..<array.count)
    }

    func testUnmanagedListsAreArrays() {
        var random = RandomSource()
        compare(List<Int>(), &random, steps: 2000) { $0.below(20) }
        compare(List<String?>(), &random, steps: 500) { $0.chance(20) ? nil : "word \($0.below(20))" }
    }

    func testManagedListsOfValuesAreArrays() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let bag = Bag()
        try realm.write { realm.add(bag) }
        for _ in 0..<20 {
            try realm.write {
                compare(bag.numbers, &random, steps: 60) { $0.below(20) }
                compare(bag.words, &random, steps: 30) { "a word that is not small \($0.below(20))" }
                compare(bag.gaps, &random, steps: 30) { $0.chance(30) ? nil : $0.below(20) }
            }
        }
    }

    func testManagedListsOfObjectsAreArrays() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let chain = ChipChain()
        try realm.write { realm.add(chain) }
        for _ in 0..<10 {
            try realm.write {
                compare(chain.chips, &random, steps: 50) { random in
                    let code = random.below(30)
                    return realm.object(ofType: Chip.self, forPrimaryKey: code)
                        ?? realm.create(Chip.self, value: ["code": code])
                }
            }
        }
    }

    func testLongListsAreArrays() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let bag = Bag()
        bag.numbers.append(objectsIn: 0..<3000)
        try realm.write { realm.add(bag) }
        try realm.write { compare(bag.numbers, &random, steps: 60) { $0.below(100_000) } }
    }
}

/// An owner of objects with primary keys, which are equal when they are the same row.
class ChipChain: Object {
    @Persisted var chips: List<Chip>
}
