#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Slices of collections that have become shorter trap in words, whatever is asked of them.
struct SliceTrapTests {
    private static func bag() throws -> Bag {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "slices"))
        return try realm.write { realm.create(Bag.self, value: ["numbers": [1, 2, 3, 4, 5]]) }
    }

    @Test func theCountOfASliceOfAList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bag = try SliceTrapTests.bag()
            let slice = bag.numbers[0..<4]
            try bag.realm!.write { bag.numbers.removeLast(3) }
            print(slice.count)
        }
        try check(result, says: ["Position 4", "'List<Int>' of 2 elements", "Array of the slice"])
    }

    @Test func theElementsOfASliceOfResults() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bag = try SliceTrapTests.bag()
            let slice = bag.numbers.where { $0 > 0 }.prefix(5)
            try bag.realm!.write { bag.numbers.removeLast(3) }
            print(Array(slice))
        }
        try check(result, says: ["Position 5", "'Results<Int>' of 2 elements"])
    }

    @Test func aSliceOfMoreThanThereIs() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let bag = try SliceTrapTests.bag()
            print(bag.numbers.sorted()[2..<9])
        }
        try check(result, says: ["Position 9", "'Results<Int>' of 5 elements"])
    }

    @Test func aSliceOfAnUnmanagedList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let list = List<Int>()
            list.append(objectsIn: [1, 2, 3])
            let slice = list.prefix(3)
            list.removeAll()
            print(Array(slice))
        }
        try check(result, says: ["Position 3", "'List<Int>' of 0 elements"])
    }
}
#endif
