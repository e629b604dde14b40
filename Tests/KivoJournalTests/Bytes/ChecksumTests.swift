import TestRandomness
import XCTest

@testable import KivoJournal

final class ChecksumTests: XCTestCase {
    func testEveryChangedBitChangesIt() {
        var random = TestRandom()
        for count in [1, 7, 8, 24, 31, 32, 33, 72, 100] {
            var bytes = random.bytes(count)
            let seed = random.next()
            let checksum = bytes.withUnsafeBytes { Checksum.of($0, seed: seed) }
            for bit in 0..<count * 8 {
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                XCTAssertNotEqual(bytes.withUnsafeBytes { Checksum.of($0, seed: seed) }, checksum)
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                XCTAssertNotEqual(
                    bytes.withUnsafeBytes { Checksum.of($0, seed: seed ^ 1 << UInt64(bit % 64)) }, checksum)
            }
        }
    }

    func testSwappedWordsChangeIt() {
        var random = TestRandom()
        let words = (0..<12).map { _ in random.next() }
        let checksum = words.withUnsafeBytes { Checksum.of($0, seed: 1) }
        withEvery("first", in: 0..<12) { first in
            withEvery("second", in: 0..<first) { second in
                var swapped = words
                swapped.swapAt(first, second)
                XCTAssertNotEqual(swapped.withUnsafeBytes { Checksum.of($0, seed: 1) }, checksum)
            }
        }
    }

    /// The values are part of the file format.
    func testValuesStay() {
        let bytes = (0..<45).map { UInt8($0) }
        let checksums = [0, 5, 24, 45].map { count in
            bytes[..<count].withUnsafeBytes { Checksum.of($0, seed: 42) }
        }
        XCTAssertEqual(
            checksums,
            [
                6_523_517_180_137_129_394, 17_333_906_712_866_620_630, 3_626_903_170_947_084_029,
                6_425_992_764_390_898_262,
            ])
    }

    func testZerosThatFillAWordDoNotCount() {
        let bytes = TestRecord.numbered(1, length: 13).payload
        XCTAssertEqual(
            bytes.withUnsafeBytes { Checksum.of($0, seed: 3) },
            (bytes + [0, 0, 0]).withUnsafeBytes { Checksum.of($0, seed: 3) })
    }
}
