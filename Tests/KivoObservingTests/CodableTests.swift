import Foundation
import KivoObserving
import XCTest

final class CodableTests: XCTestCase {
    private final class Address: KeyValueObservable, Codable {
        @Observed var city = "Bern"
        @Observed var moved: Date?
    }

    private final class Person: KeyValueObservable, Codable {
        @Observed var name = ""
        @Observed var nickname: String?
        @Observed var home: Address?
        @Observed var scores: [Int] = []
        var plain = 1
    }

    func testObservedPropertiesAreEncodedLikeStoredOnes() throws {
        let person = Person()
        person.name = "Ann"
        person.home = Address()
        person.scores = [2, 1]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // An observed object is encoded like another.
        let token = person.observe(\.home?.city) { _, _ in }
        let text = String(decoding: try encoder.encode(person), as: UTF8.self)
        XCTAssertEqual(text, #"{"home":{"city":"Bern"},"name":"Ann","plain":1,"scores":[2,1]}"#)
        token.invalidate()
    }

    func testAMissingKeyIsNilForOptionalProperties() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let text =
            #"{"name": "Ann", "home": {"city": "Biel", "moved": 3}, "scores": [], "nickname": null, "plain": 2}"#
        let person = try decoder.decode(Person.self, from: Data(text.utf8))
        XCTAssertEqual(person.name, "Ann")
        XCTAssertNil(person.nickname)
        // The strategies of the decoder apply.
        XCTAssertEqual(person.home?.moved, Date(timeIntervalSince1970: 3))
        XCTAssertEqual(person.plain, 2)
        XCTAssertThrowsError(try decoder.decode(Person.self, from: Data(#"{"scores": [], "plain": 1}"#.utf8)))
        var seen: [String] = []
        let token = person.observe(\.name, options: .new) { seen.append($1.newValue!) }
        person.name = "Bea"
        XCTAssertEqual(seen, ["Bea"])
        token.invalidate()
    }
}
