#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// A read traps, and reports a damaged file, if a page differs from the description in the page that refers to it.
struct ForgedPageTrapTests {
    /// `list[128]` read the memory behind a leaf of 128 elements.
    @Test func theTotalsOfAList() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try ForgedPage.read(kind: 4) { $0[$1.lowerBound + 24 + 8 * Int($0[$1.lowerBound + 16]) + 4] ^= 1 }
        }
        try check(result, says: ["is damaged at byte", "elements"])
    }

    /// A leaf of another level or place was taken for an inner node.
    @Test func childrenInEachOthersPlace() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try ForgedPage.read(kind: 1) { bytes, page in
                for offset in 0..<8 {
                    bytes.swapAt(page.lowerBound + 24 + offset, page.lowerBound + 32 + offset)
                }
            }
        }
        try check(result, says: ["is damaged at byte"])
    }

    private func check(_ result: ExitTest.Result?, says words: [String]) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        for word in words { #expect(text.contains(word), "\(text)") }
    }
}

private enum ForgedPage {
    /// Reads a file of which the pages of a kind were changed.
    static func read(kind: UInt8, _ change: (inout [UInt8], Range<Int>) -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-\(UUID()).kivo")
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = Realm.Configuration(fileURL: file)
        configuration.checkpoints.smallestTailOfClosing = 1
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let person = Person(value: ["name": "Ann"])
                realm.add(person)
                for number in 0..<700 { person.dogs.append(Dog(value: ["name": "dog \(number)"])) }
            }
        }
        try FileTestCase.waitUntilClosed(file)
        var forger = PageForger([UInt8](try Data(contentsOf: file)))
        for page in try forger.livePages() where forger.bytes[page.lowerBound + 12] == kind {
            change(&forger.bytes, page)
            forger.seal(page: page)
        }
        try Data(forger.bytes).write(to: file)
        let realm = try Realm(configuration: configuration)
        let dogs = realm.objects(Person.self)[0].dogs
        for place in dogs.indices { precondition(dogs[place].name == "dog \(place)") }
    }
}
#endif
