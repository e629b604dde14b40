import Foundation
import Kivo
import TestRandomness
import XCTest

/// Random conditions on random objects, as strings, typed, and on objects in no realm, against an evaluator that says what they mean.
///
/// `KIVO_TEST_SEED=n` repeats a run.
final class PredicateTrialTests: RealmTestCase {
    func testConditionsMeanWhatTheEvaluatorSays() throws {
        var generator = Trial.Generator(random: RandomSource())
        let trials = Sanitizer.isPresent ? 300 : TestEffort.count(400, full: 1500)
        var (made, typed, found, problems) = (0, 0, 0, 0)
        // The objects of one realm can be so few that conditions find hardly any: then more realms are tried.
        while made < trials || found <= made && made < 5 * trials {
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "\(name) \(made)"))
            try fill(realm, &generator)
            let things = realm.objects(TrialThing.self)
            var world = Trial.World()
            for thing in things { world.rows[thing.id] = Trial.row(thing) }
            for _ in 0..<100 {
                let tree = generator.tree(made % 3)
                var writer = Trial.Writer(realm)
                let format = writer.text(tree)
                guard writer.arguments.count <= 8 else { continue }
                made += 1
                let expected = Array(things.map(\.id)).filter { world.holds(tree, world.rows[$0]!) }
                found += expected.count
                func check(_ ids: [Int], _ what: String) {
                    guard ids != expected else { return }
                    problems += 1
                    let wrong = Set(ids).symmetricDifference(expected).min()!
                    XCTFail(
                        """
                        \(what): \(format) \(writer.arguments): \(ids), not \(expected); \(wrong) is \
                        \(world.rows[wrong]!)
                        """)
                }
                check(filter(things, format, writer.arguments), "as a string")
                let typist = Trial.Typist(realm: realm)
                if typist.query(tree, .thing(Query<TrialThing>._constructForTesting())) != nil {
                    typed += 1
                    check(things.where { typist.query(tree, .thing($0))! }.map(\.id), "typed")
                }
                check(filter(things.sorted(by: \.id), format, writer.arguments), "of sorted results")
                // Inverse links are none of objects in no realm.
                if made % 4 == 0, !format.contains("linkedBy") {
                    let held = Array(things).filter { holds(TrialThing(value: $0), format, writer.arguments) }
                    check(held.map(\.id), "unmanaged")
                }
                if problems > 3 { return }
            }
        }
        XCTAssertGreaterThan(typed, made / 50)
        XCTAssertGreaterThan(found, made)
    }

    private func filter(_ things: Results<TrialThing>, _ format: String, _ a: [Any]) -> [Int] {
        let found: Results<TrialThing> =
            switch a.count {
            case 0: things.filter(format)
            case 1: things.filter(format, a[0])
            case 2: things.filter(format, a[0], a[1])
            case 3: things.filter(format, a[0], a[1], a[2])
            case 4: things.filter(format, a[0], a[1], a[2], a[3])
            case 5: things.filter(format, a[0], a[1], a[2], a[3], a[4])
            case 6: things.filter(format, a[0], a[1], a[2], a[3], a[4], a[5])
            case 7: things.filter(format, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
            default: things.filter(format, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
            }
        return found.map(\.id)
    }

    private func holds(_ thing: TrialThing, _ format: String, _ a: [Any]) -> Bool {
        let list = List<TrialThing>()
        list.append(thing)
        let index: Int? =
            switch a.count {
            case 0: list.index(matching: format)
            case 1: list.index(matching: format, a[0])
            case 2: list.index(matching: format, a[0], a[1])
            case 3: list.index(matching: format, a[0], a[1], a[2])
            case 4: list.index(matching: format, a[0], a[1], a[2], a[3])
            case 5: list.index(matching: format, a[0], a[1], a[2], a[3], a[4])
            case 6: list.index(matching: format, a[0], a[1], a[2], a[3], a[4], a[5])
            case 7: list.index(matching: format, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
            default: list.index(matching: format, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
            }
        return index != nil
    }

    private func fill(_ realm: Realm, _ generator: inout Trial.Generator) throws {
        generator.ids = Array(0..<generator.random.below(9) + 2)
        try realm.write {
            let things = generator.ids.map { realm.create(TrialThing.self, value: ["id": $0]) }
            for thing in things {
                func plain(_ kind: Trial.Kind) -> Any? {
                    if generator.random.chance(25) { return nil }
                    return Trial.plain(generator.value(kind), realm)
                }
                thing.int = plain(.integer) as? Int ?? 1
                thing.optInt = plain(.integer) as? Int
                thing.small = Int8(generator.random.below(9) - 4)
                thing.float = Float(plain(.double) as? Double ?? 0)
                thing.double = plain(.double) as? Double ?? 0
                thing.optDouble = plain(.double) as? Double
                thing.decimal = plain(.decimal) as? Decimal128 ?? 0
                thing.optDecimal = plain(.decimal) as? Decimal128
                thing.text = plain(.text) as? String ?? ""
                thing.optText = plain(.text) as? String
                thing.data = plain(.data) as? Data
                thing.flag = plain(.flag) as? Bool ?? false
                thing.date = plain(.date) as? Date
                thing.uuid = plain(.uuid) as? UUID
                thing.oid = plain(.objectId) as? ObjectId
                thing.mixed = Trial.any(generator.value(.mixed), realm)
                thing.link = plain(.link) as? TrialThing
                for _ in 0..<generator.random.below(4) {
                    thing.things.append(things[generator.random.below(things.count)])
                    if case .int(let int) = generator.value(.integer, isExtreme: false) {
                        thing.ints.append(int)
                    }
                    thing.doubles.append(plain(.double) as? Double)
                    thing.decimals.insert(plain(.decimal) as? Decimal128 ?? 1)
                    thing.mixeds.append(Trial.any(generator.value(.mixed), realm))
                    let key = ["a", "b", "c"][generator.random.below(3)]
                    thing.texts[key] = .some(plain(.text) as? String)
                    thing.mixedMap[key] = Trial.any(generator.value(.mixed), realm)
                }
            }
        }
    }
}
