import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The bar on standard error.
final class ProgressTests: ToolTestCase {
    func testABarIsShownAndRemoved() {
        let gathered = GatheredOutput()
        let output = gathered.output(progressDelay: .zero)
        output.progress("working", 1, of: 2)
        let bar = "working [###############...............] 50 %"
        XCTAssertEqual(gathered.errors, "\r" + bar)
        output.progress("", 5, of: 0)
        output.write("done\n")
        output.flush()
        XCTAssertEqual(gathered.text, "done\n")
        XCTAssertTrue(gathered.errors.hasSuffix("\r"), gathered.errors)
        let last = gathered.errors.split(separator: "\r").last ?? ""
        XCTAssertTrue(last.allSatisfy { $0 == " " }, "the line is empty again")
    }

    /// Commands show bars on a terminal, after a second, and nowhere else.
    func testCommandsShowProgress() throws {
        try makePets()
        let lines = folder.appendingPathComponent("lines")
        for (words, action) in [
            (["export", file.path], "exporting ["), (["verify", file.path], "verifying ["),
            (["diff", file.path, file.path], "comparing ["),
            (["import", lines.path, folder.appendingPathComponent("new").path], "importing ["),
        ] {
            let gathered = GatheredOutput()
            XCTAssertEqual(Tool.run(words, gathered.output(progressDelay: .zero)), .success, gathered.errors)
            XCTAssertTrue(gathered.errors.contains("\r" + action), gathered.errors)
            if words[0] == "export" { try Data(gathered.text.utf8).write(to: lines) }
            if words[0] == "import" { continue }
            for delay in [nil, Duration.seconds(3600)] {
                let quiet = GatheredOutput()
                XCTAssertEqual(Tool.run(words, quiet.output(progressDelay: delay)), .success)
                XCTAssertEqual(quiet.errors, "")
                XCTAssertEqual(quiet.text, gathered.text)
            }
        }
    }

    func testAnOperationOfUnknownLengthShowsItsTime() {
        let gathered = GatheredOutput()
        let output = gathered.output(progressDelay: .zero)
        let result = output.progress("thinking") {
            while !gathered.errors.contains("thinking for 0 s") { Thread.sleep(forTimeInterval: 0.001) }
            return 5
        }
        XCTAssertEqual(result, 5)
        let shown = gathered.errors
        Thread.sleep(forTimeInterval: 0.3)
        XCTAssertEqual(gathered.errors, shown)
        XCTAssertThrowsError(try output.progress("failing") { throw Problem("no") })
    }
}
