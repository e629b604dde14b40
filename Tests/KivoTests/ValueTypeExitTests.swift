import Testing

@testable import Kivo

/// Malformed text in the program itself is a bug in the program, and ends it.
struct ValueTypeExitTests {
    @Test func malformedStaticObjectIdTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = ObjectId("507f1f77bcf86cd79943901g")
        }
    }

    @Test func malformedDecimalLiteralTraps() async {
        await #expect(processExitsWith: .failure) {
            let value: Decimal128 = "1,5"
            _ = value
        }
    }
}
