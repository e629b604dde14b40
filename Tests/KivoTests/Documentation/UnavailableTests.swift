import Foundation
import TestRandomness
import XCTest

/// The API of synchronised realms and of Objective-C fails to compile, with a message that says what to do instead.
final class UnavailableTests: XCTestCase {
    /// Returns the compiler's messages about a program of one function.
    private func problems(_ line: String) throws -> String {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let source = """
            import Foundation
            import RealmSwift
            class Dog: RealmSwift.Object { @Persisted var name = ""; @Persisted var codes: RealmSwift.List<Int> }
            func work(_ realm: Realm, _ dogs: Results<Dog>) async throws { \(line) }
            """
        return try XCTUnwrap(try compiler.problems(inSource: source), "'\(line)' compiles")
    }

    private func check(
        _ line: String, says words: String, file: StaticString = #filePath, at number: UInt = #line
    )
        throws
    {
        let problems = try problems(line)
        XCTAssertTrue(problems.contains(words), problems, file: file, line: number)
        let lines = problems.components(separatedBy: "\n").filter { $0.contains(": error: ") }
        XCTAssertEqual(lines.count, 1, problems, file: file, line: number)
    }

    func testServers() throws {
        let refusals = [
            (#"_ = App(id: "x")"#, "'App' is unavailable: there is no server"),
            ("_ = Credentials.anonymous", "'Credentials' is unavailable"),
            ("let session: SyncSession?; session = nil; _ = session", "not synchronised"),
            ("_ = realm.syncSession", "there is no session"),
            ("_ = realm.subscriptions", "query them"),
            ("_ = try await dogs.subscribe()", "observe the results"),
            ("var c = Realm.Configuration(); c.syncConfiguration = nil", "open the realm by its file"),
            (
                "_ = Realm.Configuration(syncConfiguration: nil, readOnly: true)",
                "leave 'syncConfiguration' out"
            ),
            ("class Note: AsymmetricObject {}", "derive the class from 'Object'"),
            ("Realm.asyncOpen { _ in }.addProgressNotification { _ in }", "there is no progress"),
        ]
        for (line, words) in TestEffort.sample(refusals, 3) { try check(line, says: words) }
    }

    func testObjectiveC() throws {
        try check("_ = ObjectiveCSupport.convert(object: realm)", says: "no Objective-C counterparts")
        try check(
            "let token: RLMNotificationToken? = nil; _ = token",
            says: "has been renamed to 'NotificationToken'")
    }

    func testOlderBoxesAreDeprecated() throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let source = """
            import Kivo
            class Dog: Object { let age = RealmOptional<Int>(); let any = RealmProperty<AnyRealmValue>() }
            """
        XCTAssertNil(try compiler.problems(inSource: source))
        let warnings = try XCTUnwrap(compiler.problems(inSource: source, warningsFail: true))
        XCTAssertTrue(
            warnings.contains("'RealmOptional' is deprecated: declare '@Persisted var name: Type?'"), warnings
        )
        XCTAssertTrue(
            warnings.contains("'RealmProperty' is deprecated: declare '@Persisted var name: Type'"), warnings)
    }
}
