import Foundation
import TestRandomness
import XCTest

@testable import KivoTool

/// Tests of `verify`.
final class VerifyTests: ToolTestCase {
    func testAnIntactFile() throws {
        try makePets()
        let answer = run("verify", file.path)
        XCTAssertEqual(answer.code, .success)
        XCTAssertEqual(answer.output, "intact: 3 records, 4 objects\n")
        XCTAssertEqual(run("verify", file.path, "--json").objects.first?["isIntact"] as? Bool, true)
    }

    /// Wherever a byte of a record is changed, that is found; the rest of the file is allocated ahead.
    func testEveryDamagedByteOfARecordIsFound() throws {
        try makePets()
        let bytes = try Data(contentsOf: file)
        let end = try XCTUnwrap(bytes.lastIndex { $0 != 0 })
        for place in TestEffort.cases(Array(stride(from: 8192, through: end, by: 7)), within: 0.3) {
            var damaged = bytes
            damaged[place] ^= 0x40
            try damaged.write(to: file)
            let answer = run("verify", file.path, "--json")
            XCTAssertEqual(answer.code, .problem, "byte \(place)")
            let problems = answer.objects.first?["problems"] as? [[String: Any]] ?? []
            XCTAssertFalse(problems.isEmpty, "byte \(place)")
            XCTAssertEqual(answer.objects.first?["isIntact"] as? Bool, false)
        }
    }

    func testAFileThatCannotBeReadGetsNoVerdict() throws {
        for path in [file.path, folder.path] {
            let answer = run("verify", path)
            XCTAssertEqual(answer.code, .problem)
            XCTAssertEqual(answer.output, "", "no verdict")
            XCTAssertTrue(answer.errors.hasPrefix("kivo: '\(path)'"), answer.errors)
            XCTAssertEqual(run("verify", path, "--json").output, "")
        }
        try Data(repeating: 7, count: 20_000).write(to: file)
        XCTAssertTrue(run("verify", file.path).output.hasSuffix("damaged\n"))
    }

    func testReindexing() throws {
        try makePets()
        let dump = run("dump", file.path).output
        let answer = run("reindex", file.path)
        XCTAssertEqual(answer.code, .success, answer.errors)
        XCTAssertTrue(answer.output.hasPrefix("intact: "), answer.output)
        XCTAssertEqual(run("dump", file.path).output, dump)
        XCTAssertEqual(run("reindex", file.path, "--json").objects.first?["isIntact"] as? Bool, true)
        try withRealm { _ in
            let refused = run("reindex", file.path)
            XCTAssertEqual(refused.code, .problem)
            XCTAssertTrue(refused.errors.contains(file.path), refused.errors)
        }
        XCTAssertEqual(run("verify", file.path, "--indexes").code, .success)
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".unfinished")
            }, [])
    }

    func testInfoOfADamagedFileSaysSo() throws {
        try makePets()
        XCTAssertEqual(run("info", file.path, "--json").objects.first?["isIntact"] as? Bool, true)
        XCTAssertEqual(run("compact", file.path).code, .success)
        let bytes = try Data(contentsOf: file)
        let end = try XCTUnwrap(bytes.lastIndex { $0 != 0 })
        for place in stride(from: 2_050, through: end, by: 97) {
            var damaged = bytes
            damaged[place] ^= 0x40
            try damaged.write(to: file)
            let isIntact = run("verify", file.path).code == .success
            let answer = run("info", file.path)
            XCTAssertEqual(answer.code, isIntact ? .success : .problem, "byte \(place)")
            XCTAssertEqual((answer.output + answer.errors).contains("damage"), !isIntact, "byte \(place)")
        }
        XCTAssertEqual(run("verify", file.path).code, .problem, "the last byte is one of the data")
    }

    func testEachDamagedPlaceIsNamed() throws {
        try withRealm { realm in
            for age in 0..<20 { try realm.write { realm.add(ToolDog(value: ["age": age])) } }
        }
        var bytes = try Data(contentsOf: file)
        let log = run("log", file.path, "--json").objects
        let offsets = [5, 12].map { log[$0]["offset"] as! Int }
        for offset in offsets { bytes[offset + 40] ^= 1 }
        try bytes.write(to: file)
        let answer = run("verify", file.path, "--json")
        let problems = try XCTUnwrap(answer.objects.first?["problems"] as? [[String: Any]])
        XCTAssertEqual(Array(problems.compactMap { $0["offset"] as? Int }.prefix(2)), offsets)
        let text = run("verify", file.path).output
        XCTAssertTrue(text.contains("record 6 is damaged"), text)
        XCTAssertTrue(text.hasSuffix("damaged\n"), text)
    }

    func testADamagedCopyOfTheHeaderIsFound() throws {
        try makePets()
        var bytes = try Data(contentsOf: file)
        bytes[2050] ^= 1
        try bytes.write(to: file)
        let answer = run("verify", file.path)
        XCTAssertEqual(answer.code, .problem)
        XCTAssertTrue(answer.output.contains("one copy of the header is damaged"), answer.output)
    }

    func testACommitThatWasNotFinishedIsNoDamage() throws {
        try makePets()
        var bytes = try Data(contentsOf: file)
        let end = try XCTUnwrap(bytes.lastIndex { $0 != 0 })
        let last = run("log", file.path, "--json").objects[2]["offset"] as! Int
        // Simulates that the machine stopped in the middle of the last commit.
        bytes.resetBytes(in: 512..<536)
        bytes.resetBytes(in: last + 60...end)
        try bytes.write(to: file)
        let answer = run("verify", file.path)
        XCTAssertEqual(answer.code, .success, answer.output)
        XCTAssertTrue(answer.output.contains("a commit that was not finished"), answer.output)
        XCTAssertTrue(answer.output.contains("2 records"), answer.output)
    }
}
