import Foundation
import XCTest

/// The program of the article about moving data does what the article says.
final class ArticleTests: ImportTestCase {
    func testTheProgramOfTheArticle() throws {
        var said: [String] = []
        try move(
            ImportFixtures.url("group-write-1"), to: folder.appendingPathComponent("new.kivo"),
            say: { said.append($0) })
        XCTAssertEqual(
            said,
            [
                #"Dog: 6 objects, ["name", "age"]"#, #"Person: 6 objects, ["name", "dogs"]"#,
                "Dog: 6 new\nPerson: 6 new", "changed: [0]",
            ])
    }

    func testTheArticleShowsThatProgram() throws {
        let sources = ImportFixtures.tests.deletingLastPathComponent().appendingPathComponent("Sources")
        let article = sources.appendingPathComponent(
            "KivoRealmImport/KivoRealmImport.docc/MovingAnApplicationsData.md")
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("ArticleProgram.swift")
        let text = try String(contentsOf: article, encoding: .utf8)
        let running = try String(contentsOf: program, encoding: .utf8)
        XCTAssert(text.contains("```swift\n\(running)```"))
        XCTAssertLessThanOrEqual(running.split(separator: "\n").count, 30)
    }
}
