import Foundation
import Kivo
import KivoJournal
import TestRandomness
import XCTest

/// The checkpoint of closing, for which the last release of a realm waits a limited time.
final class ClosingTests: FileTestCase {
    private func fill(_ configuration: Realm.Configuration, _ count: Int = 20_000) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { for number in 0..<count { realm.create(Dog.self, value: ["name": "\(number)"]) } }
    }

    /// The bytes of the file without the zeros that were allocated ahead.
    private func usedBytes() throws -> Int {
        let bytes = [UInt8](try Data(contentsOf: file))
        return (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    }

    private func configuration(limit: TimeInterval, background: Bool = false) -> Realm.Configuration {
        var configuration = configuration
        configuration.objectTypes = [Dog.self, Person.self]
        configuration.closingTimeLimit = limit
        configuration.checkpoints.smallestTail = background ? 1 << 10 : .max
        return configuration
    }

    func testClosingWaitsForTheCheckpointThatIsUnderWay() throws {
        for _ in TestEffort.rounds(5, within: 0.3) {
            try fill(configuration(limit: 600, background: true))
            // The slots of the header lead to the newest checkpoint. Who made it may close the file a moment later.
            XCTAssertTrue(try Data(contentsOf: file)[1024..<2048].contains { $0 != 0 })
            try waitUntilClosed()
            try FileManager.default.removeItem(at: file)
        }
    }

    func testClosingMakesACheckpointUnlessItIsDeclined() throws {
        var sizes: [Int] = []
        for limit in [600] + TestEffort.sample([0, 0.000_000_1, -.infinity, .nan], 1) {
            try fill(configuration(limit: limit))
            sizes.append(try usedBytes())
            try withRealm(configuration(limit: 0)) { XCTAssertEqual($0.objects(Dog.self).count, 20_000) }
            try FileManager.default.removeItem(at: file)
        }
        // A checkpoint that was declined, or took too long, is not in the file.
        for size in sizes.dropFirst() { XCTAssertGreaterThan(sizes[0], size + size / 4) }
    }

    #if compiler(>=6.2) && (os(Linux) || os(macOS))
    /// A program that ends while a realm is open makes the checkpoint as well.
    func testTheEndOfTheProgramMakesTheCheckpoint() throws {
        try XCTSkipUnless(ProgramRunner.isAvailable, "There is nothing to link with.")
        for limit in TestEffort.sample(["60", "0"], 1) {
            let runner = try ProgramRunner()
            let source = """
                import Foundation
                import Kivo

                final class Thing: Object {
                    @Persisted var name = ""
                }

                @main
                struct Program {
                    static func main() throws {
                        var configuration = Realm.Configuration(
                            fileURL: URL(fileURLWithPath: "\(file.path)"), objectTypes: [Thing.self])
                        configuration.closingTimeLimit = \(limit)
                        let realm = try Realm(configuration: configuration)
                        for _ in 0..<10 {
                            try realm.write {
                                for number in 0..<2000 { realm.create(Thing.self).name = "thing \\(number)" }
                            }
                        }
                        withExtendedLifetime(realm) { exit(0) }
                    }
                }
                """
            let result = try runner.run(source)
            XCTAssertEqual(result.status, 0, result.output)
            // The slots of the header lead to the newest checkpoint.
            let slots = try Data(contentsOf: file)[1024..<2048]
            XCTAssertEqual(slots.contains { $0 != 0 }, limit != "0")
            try FileManager.default.removeItem(at: file)
        }
    }
    #endif
}
