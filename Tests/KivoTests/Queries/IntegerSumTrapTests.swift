#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// A sum that does not fit its type ends in words.
struct IntegerSumTrapTests {
    @Test func ofObjects() async throws {
        let managed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "exit"))
            try realm.write {
                for id in 0..<2 { realm.create(Tally.self, value: ["id": id, "amount": Int.max]) }
            }
            _ = realm.objects(Tally.self).sum(of: \.amount)
        }
        try check(
            managed,
            says: ["sum of 'amount'", "18446744073709551614", "does not fit 'Int'", "'sum(ofProperty:)'"])
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let list = List<Tally>()
            for id in 0..<2 { list.append(Tally(value: ["id": id, "amount": Int.min])) }
            _ = list.sum(of: \.amount)
        }
        try check(
            unmanaged, says: ["sum of 'amount'", "-18446744073709551616", "does not fit 'Int'", "'Double'"])
    }

    @Test func ofPlainValues() async throws {
        let wide = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let list = List<Int>()
            list.append(objectsIn: [.max, 1])
            _ = list.sum()
        }
        try check(wide, says: ["9223372036854775808", "does not fit 'Int'"])
        let narrow = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let list = List<Int8>()
            list.append(objectsIn: [100, 100])
            _ = list.sum()
        }
        try check(narrow, says: ["200", "does not fit 'Int8'"])
    }
}
#endif
