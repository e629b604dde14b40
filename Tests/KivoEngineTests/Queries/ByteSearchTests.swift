import XCTest

@testable import KivoEngine

/// Searches of bytes, compared with looking at each place.
final class ByteSearchTests: XCTestCase {
    private func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        if needle.count > bytes.count { return false }
        return (0...bytes.count - needle.count).contains { bytes[$0..<$0 + needle.count] == needle[...] }
    }

    private func succeeds(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { ByteSearch(needle).succeeds(in: $0) }
    }

    func testRandomBytes() {
        var random = TestRandom()
        for _ in 0..<4_000 {
            // Few different letters, so that needles repeat themselves and are found often.
            let letters = 1 + random.below(3)
            let bytes = (0..<random.below(80)).map { _ in UInt8(random.below(letters)) }
            var needle = (0..<random.below(12)).map { _ in UInt8(random.below(letters)) }
            if random.chance(30), !bytes.isEmpty {
                let start = random.below(bytes.count)
                needle = Array(bytes[start..<start + random.below(bytes.count - start + 1)])
            }
            XCTAssertEqual(succeeds(needle, in: bytes), contains(bytes, needle), "\(needle) in \(bytes)")
        }
    }

    /// Comparisons that fail in the middle of the needle, at every place. Place by place this would take minutes.
    func testBytesThatAreChosenToBeSlow() {
        let half = [UInt8](repeating: 7, count: 20_000)
        let (needle, bytes) = (half + [8] + half, [UInt8](repeating: 7, count: 400_000))
        XCTAssertFalse(succeeds(needle, in: bytes))
        XCTAssertTrue(succeeds(needle, in: bytes + needle))
        XCTAssertTrue(succeeds(needle, in: needle + bytes))
    }
}
