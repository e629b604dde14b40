#if compiler(>=6.2)
import Testing

@testable import Kivo

/// Malformed text in the program itself is a bug in the program, and ends it.
struct ValueTypeExitTests {
    @Test func malformedStaticObjectIdTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObjectId("507f1f77bcf86cd79943901g")
        }
        try check(result, says: ["507f1f77bcf86cd79943901g", "24 hexadecimal digits"])
    }

    @Test func malformedDecimalLiteralTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let value: Decimal128 = "1,5"
            _ = value
        }
        try check(result, says: ["1,5", "Decimal128"])
    }
}
#endif
