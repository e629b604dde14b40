import Foundation
import XCTest

@testable import Kivo

final class ObjectIdTests: XCTestCase {
    private let text = "507f1f77bcf86cd799439011"

    func testTextIsParsedAndGivenBack() throws {
        let id = try ObjectId(string: text)
        XCTAssertEqual(id.stringValue, text)
        XCTAssertEqual(id.description, text)
        XCTAssertEqual("\(id)", text)
        XCTAssertEqual(try ObjectId(string: text.uppercased()), id)
        XCTAssertEqual(id, ObjectId("507f1f77bcf86cd799439011"))
        XCTAssertEqual(id.high, 0x507f_1f77_bcf8_6cd7)
        XCTAssertEqual(id.low, 0x9943_9011)
        XCTAssertEqual(id.timestamp, Date(timeIntervalSince1970: 1_350_508_407))
    }

    func testMalformedTextIsRefused() {
        let malformed = [
            "", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g",
            "507f1f77bcf86cd79943901 ", "０07f1f77bcf86cd7994390", "-07f1f77bcf86cd799439011",
        ]
        for text in malformed {
            XCTAssertThrowsError(try ObjectId(string: text), text) { error in
                XCTAssertEqual(error as? ObjectId.ParseError, ObjectId.ParseError(text: text))
                XCTAssertTrue("\(error)".contains("'\(text)'"))
            }
        }
    }

    func testZeroIsTheLeastId() {
        XCTAssertEqual(ObjectId.zero.stringValue, String(repeating: "0", count: 24))
        XCTAssertLessThan(ObjectId.zero, ObjectId.generate())
        XCTAssertEqual(ObjectId(), ObjectId.zero)
        XCTAssertNotEqual(ObjectId.generate(), ObjectId.generate())
    }

    func testOrderIsTheOrderOfTheText() {
        var random = RandomSource()
        for _ in 0..<2_000 {
            let lhs = ObjectId(
                high: random.next() >> 62, low: UInt32(truncatingIfNeeded: random.next() >> 62))
            let rhs = ObjectId(
                high: random.next() >> 62, low: UInt32(truncatingIfNeeded: random.next() >> 62))
            XCTAssertEqual(lhs < rhs, lhs.stringValue < rhs.stringValue)
            XCTAssertEqual(lhs == rhs, lhs.stringValue == rhs.stringValue)
            XCTAssertEqual(lhs < rhs, lhs.bits < rhs.bits)
        }
    }

    func testBitsRoundTrip() throws {
        for text in [text, String(repeating: "0", count: 24), String(repeating: "f", count: 24)] {
            let id = try ObjectId(string: text)
            XCTAssertEqual(ObjectId(bits: id.bits), id)
            XCTAssertEqual(ObjectId(bits: (id.bits.0, id.bits.1 | 0xFFFF_FFFF << 32)), id)
        }
    }

    func testGeneratedIdsAscendAndCarryTheTime() {
        let before = Date().timeIntervalSince1970.rounded(.down)
        let ids = (0..<10_000).map { _ in ObjectId.generate() }
        let after = Date().timeIntervalSince1970
        XCTAssertTrue(zip(ids, ids.dropFirst()).allSatisfy(<))
        XCTAssertEqual(Set(ids).count, ids.count)
        XCTAssertGreaterThanOrEqual(ids[0].timestamp.timeIntervalSince1970, before)
        XCTAssertLessThanOrEqual(ids[9_999].timestamp.timeIntervalSince1970, after)
        let processPart = ids[0].stringValue.dropFirst(8).prefix(10)
        XCTAssertTrue(ids.allSatisfy { $0.stringValue.dropFirst(8).prefix(10) == processPart })
    }

    func testThreadsNeverGenerateTheSameId() async {
        let perTask = 20_000
        let all = await withTaskGroup(of: [ObjectId].self, returning: [[ObjectId]].self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<perTask).map { _ in ObjectId.generate() } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for ids in all {
            XCTAssertTrue(zip(ids, ids.dropFirst()).allSatisfy(<))
        }
        XCTAssertEqual(Set(all.joined()).count, 4 * perTask)
    }

    func testIdOfAMomentAMachineAndAProcess() {
        let moment = Date(timeIntervalSince1970: 1_700_000_000.75)
        let first = ObjectId(timestamp: moment, machineId: 0x1234567, processId: 0x1ABCD)
        let second = ObjectId(timestamp: moment, machineId: 0x1234567, processId: 0x1ABCD)
        XCTAssertEqual(first.timestamp, Date(timeIntervalSince1970: 1_700_000_000))
        XCTAssertTrue(first.stringValue.hasPrefix("6553f100" + "234567" + "abcd"))
        XCTAssertNotEqual(first, second)
    }

    func testMomentsOutOfRangeAreClamped() {
        func storedSeconds(_ seconds: Double) -> Double {
            ObjectId(timestamp: Date(timeIntervalSince1970: seconds), machineId: -1, processId: -1)
                .timestamp.timeIntervalSince1970
        }
        XCTAssertEqual(storedSeconds(-1), 0)
        XCTAssertEqual(storedSeconds(.nan), 0)
        XCTAssertEqual(storedSeconds(4_294_967_295), 4_294_967_295)
        XCTAssertEqual(storedSeconds(4_294_967_296), 4_294_967_295)
        XCTAssertEqual(storedSeconds(.infinity), 4_294_967_295)
    }

    func testCodingUsesTheText() throws {
        let ids = [try ObjectId(string: text), .zero, .generate()]
        let data = try JSONEncoder().encode(ids)
        XCTAssertTrue(
            String(decoding: data, as: UTF8.self).hasPrefix("[\"\(text)\",\"000000000000000000000000\""))
        XCTAssertEqual(try JSONDecoder().decode([ObjectId].self, from: data), ids)
        for malformed in ["[\"507f\"]", "[12]", "[null]"] {
            XCTAssertThrowsError(try JSONDecoder().decode([ObjectId].self, from: Data(malformed.utf8))) {
                XCTAssertTrue($0 is DecodingError)
            }
        }
    }

    func testAnIdIsTwelveBytes() {
        XCTAssertEqual(MemoryLayout<ObjectId>.size, 12)
    }
}
