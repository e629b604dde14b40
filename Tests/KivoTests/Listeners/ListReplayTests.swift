import Foundation
import Kivo
import XCTest

/// Lists that are changed in all ways at once are the same after reopening.
final class ListReplayTests: FileTestCase {
    func testRandomChanges() throws {
        var random = RandomSource()
        var expected = ""
        for round in 0..<25 {
            try withRealm { realm in
                if round == 0 {
                    try realm.write {
                        for name in 0..<5 { realm.add(Dog(value: ["name": "dog \(name)"])) }
                        let lists = ReplayedLists()
                        realm.add(lists)
                        lists.numbers.append(objectsIn: 0..<300)
                    }
                } else {
                    XCTAssertEqual(state(realm), expected, "round \(round)")
                }
                let lists = try XCTUnwrap(realm.objects(ReplayedLists.self).first)
                for _ in 0..<4 {
                    try realm.write {
                        for _ in 0..<1 + random.below(12) { change(lists, realm, &random) }
                    }
                }
                expected = state(realm)
            }
        }
    }

    private func state(_ realm: Realm) -> String {
        guard let lists = realm.objects(ReplayedLists.self).first else { return "" }
        return """
            \(Array(lists.numbers)) \(Array(lists.dogs.map(\.name))) \(Array(lists.parts.map(\.size))) \
            \(Array(lists.parts.map { Array($0.parts.map(\.size)) })) \(Array(lists.words)) \
            \(Array(realm.objects(Dog.self).map { $0.name }))
            """
    }

    private func change(_ lists: ReplayedLists, _ realm: Realm, _ random: inout RandomSource) {
        let number = random.below(1_000)
        switch random.below(5) {
        case 0: change(lists.numbers, to: number, &random)
        case 1: change(lists.words, to: "\(number)", &random)
        case 2: change(lists.dogs, to: realm.objects(Dog.self)[random.below(5)], &random)
        case 3: change(lists.parts, to: ForgedPart(value: ["size": number, "parts": [["size": 1]]]), &random)
        default:
            if let part = lists.parts.randomElement(using: &random) {
                change(part.parts, to: ForgedPart(value: ["size": number]), &random)
            }
        }
    }

    private func change<T>(_ list: List<T>, to element: T, _ random: inout RandomSource) {
        let count = list.count
        switch random.below(count > 8 ? 9 : 5) {
        case 0...1: list.insert(element, at: random.below(count + 1))
        case 2...3: list.append(element)
        case 4 where count > 0: list[random.below(count)] = element
        case 5: list.remove(at: random.below(count))
        case 6...7: list.move(from: random.below(count), to: random.below(count))
        case 8: random.chance(10) ? list.removeAll() : list.swapAt(random.below(count), random.below(count))
        default: break
        }
    }
}

class ReplayedLists: Object {
    @Persisted var numbers: List<Int>
    @Persisted var words: List<String>
    @Persisted var dogs: List<Dog>
    @Persisted var parts: List<ForgedPart>
}
