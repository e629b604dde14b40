import Foundation
import Kivo
import KivoEngine
import XCTest

@testable import KivoTool

/// The commits that `watch` reports while they are made.
final class WatchTests: ToolTestCase {
    /// Watches the file on another thread until there were so many commits, while `body` makes them.
    private func watch(_ count: Int, _ body: () throws -> Void) throws -> [[String: Any]] {
        let gathered = GatheredOutput()
        let ended = DispatchSemaphore(value: 0)
        let path = file.path
        let code = Lock<ExitCode?>(nil)
        // The current contents are read before the wait begins; earlier commits would not be reported.
        let source = try FollowedFile(path)
        let output = gathered.output(isJSON: true)
        let following = Following(source)
        Thread.detachNewThread {
            code.withLock { $0 = following.run(count, output) }
            ended.signal()
        }
        try body()
        XCTAssertEqual(
            ended.wait(timeout: .now() + 120), .success, "it did not end; errors: \(gathered.errors)")
        XCTAssertEqual(code.withLock { $0 }, .success, gathered.errors)
        return gathered.text.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }

    /// A file that is followed on another thread. Handed over once.
    private final class Following: @unchecked Sendable {
        private var source: FollowedFile

        init(_ source: FollowedFile) { self.source = source }

        func run(_ count: Int, _ output: Output) -> ExitCode {
            do {
                var numbers: WatchedNumbers?
                try CommitPrinter(output).follow(&source, limit: count, &numbers)
                output.flush()
                return .success
            } catch {
                output.complain("\(error)")
                return .problem
            }
        }
    }

    func testCommitsAreToldAsTheyAreMade() throws {
        try makePets()
        let told = try watch(2) {
            try withRealm { realm in
                try realm.write { realm.objects(ToolDog.self)[0].age = 8 }
                try realm.write { realm.add(ToolDog(value: ["name": "Kit"])) }
            }
        }
        XCTAssertEqual(told.count, 2)
        let first = try XCTUnwrap(told.first?["changes"] as? [[String: Any]])
        let modified = try XCTUnwrap((first[0]["modified"] as? [[String: Any]])?.first)
        XCTAssertEqual((modified["values"] as? [String: [String: Int]])?["age"], ["old": 7, "new": 8])
        let second = try XCTUnwrap(told.last?["changes"] as? [[String: Any]])
        XCTAssertEqual((second[0]["inserted"] as? [[String: Any]])?.count, 1)
    }

    /// Numbers, offsets and contents are those of the log, also behind commits and a schema version that were there before.
    func testTheLogSaysTheSame() throws {
        try makePets()
        try withRealm(schemaVersion: 2) { realm in
            try realm.write { realm.add(ToolDog(value: ["name": "Kit"])) }
            let watched = try watch(2) {
                try realm.write { realm.objects(ToolDog.self)[0].age = 8 }
                try realm.write { realm.objects(ToolDog.self)[0].age = 9 }
            }
            let log = run("log", file.path, "--json", "--last", "2").objects
            // The schema version is a commit, too.
            XCTAssertEqual(watched.map { $0["commit"] as? Int }, [6, 7])
            XCTAssertEqual(
                watched.map(NSDictionary.init(dictionary:)), log.map(NSDictionary.init(dictionary:)))
        }
    }

    func testAFileThatIsMadeSmallIsWatchedOn() throws {
        try makePets()
        let told = try watch(2) {
            try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 8 } }
            XCTAssertEqual(run("compact", file.path).code, .success)
            try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 9 } }
        }
        let ages = told.compactMap { commit -> [String: Int]? in
            let changes = commit["changes"] as? [[String: Any]]
            let modified = changes?.first?["modified"] as? [[String: Any]]
            return (modified?.first?["values"] as? [String: [String: Int]])?["age"]
        }
        XCTAssertEqual(ages, [["old": 7, "new": 8], ["old": 8, "new": 9]])
    }

    func testACommitThatIsBeingWrittenIsNotTold() throws {
        try makePets()
        let whole = try Data(contentsOf: file)
        let last = run("log", file.path, "--json").objects[2]["offset"] as! Int
        let end = try XCTUnwrap(whole.lastIndex { $0 != 0 }) + 1
        var half = whole
        half.resetBytes(in: 512..<536)
        half.resetBytes(in: last..<end)
        try half.write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var source = try FollowedFile(file.path)
        var count = 0
        for upTo in stride(from: last, to: end, by: 9) {
            try handle.seek(toOffset: UInt64(last))
            try handle.write(contentsOf: whole[last..<upTo])
            try source.read { _, _ in count += 1 }
            XCTAssertEqual(count, 0, "\(upTo - last) bytes")
        }
        try handle.seek(toOffset: UInt64(last))
        try handle.write(contentsOf: whole[last..<end])
        try source.read { _, _ in count += 1 }
        XCTAssertEqual(count, 1)
    }
}
