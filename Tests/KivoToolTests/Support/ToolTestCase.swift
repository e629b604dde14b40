import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// A test with a folder of its own, which runs commands in this process; with `KIVO_TOOL` in the environment, the program at
/// that path runs them, for example a release build.
class ToolTestCase: XCTestCase {
    private(set) var folder = URL(fileURLWithPath: "/")
    var file: URL { folder.appendingPathComponent("test.kivo") }

    /// The folder of the package.
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns a file that the established engine wrote.
    static func realmFile(_ name: String) -> URL {
        package.appendingPathComponent("Tests/KivoRealmFilesTests/Resources/Files/\(name).realm")
    }

    static let classes: [ObjectBase.Type] = [ToolPerson.self, ToolDog.self, ToolAddress.self, ToolThing.self]

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-tool-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    struct Answer {
        var code: ExitCode
        var output: String
        var errors: String

        /// The answer as lines of JSON.
        var objects: [[String: Any]] {
            output.split(separator: "\n").compactMap {
                (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
            }
        }
    }

    /// Runs a command, as on a terminal.
    func run(_ words: String...) -> Answer { run(words) }

    /// Runs a command, as on a terminal unless the result is to be JSON.
    func run(_ words: [String], isJSON: Bool = false) -> Answer {
        #if !os(Windows)
        if LaunchedTool.program != nil { return LaunchedTool.run(words, isJSON: isJSON, in: folder) }
        #endif
        let gathered = GatheredOutput()
        let code = Tool.run(words, gathered.output(isJSON: isJSON))
        return Answer(code: code, output: gathered.text, errors: gathered.errors)
    }

    /// Opens a realm, and closes it when `body` is done.
    @discardableResult
    func withRealm<Result>(_ url: URL? = nil, schemaVersion: UInt64 = 0, _ body: (Realm) throws -> Result)
        throws -> Result
    {
        try body(
            Realm(
                configuration: Realm.Configuration(
                    fileURL: url ?? file, schemaVersion: schemaVersion, objectTypes: Self.classes)))
    }

    /// A person with dogs, and two commits that change things.
    func makePets() throws {
        try withRealm { realm in
            try realm.write {
                let mia = realm.create(ToolPerson.self, value: ["id": 1, "name": "Mia"])
                mia.dogs.append(objectsIn: ["Rex", "Bo", "Zoe"].map { ToolDog(value: ["name": $0]) })
                mia.home = ToolAddress(value: ["street": "High"])
                mia.scores["chess"] = 3
                mia.pets["best"] = mia.dogs[0]
            }
            try realm.write {
                let mia = realm.objects(ToolPerson.self)[0]
                mia.name = "Mia B."
                realm.delete(mia.dogs[1])
                mia.scores["chess"] = 4
                mia.scores["go"] = 1
            }
            try realm.write { realm.objects(ToolDog.self)[0].age = 7 }
        }
    }
}
