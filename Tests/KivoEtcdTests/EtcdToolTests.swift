import Foundation
import Kivo
import KivoEtcd
import XCTest

/// The commands of `kivo` that read a realm over etcd in place of a file.
final class EtcdToolTests: EtcdTestCase {
    private struct Answer {
        var code: Int32 = 0
        var output = ""
        var errors = ""

        var lines: [[String: Any]] {
            output.split(separator: "\n").compactMap {
                (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
            }
        }
    }

    /// The files that the tool has not removed from the folder for temporary files.
    private var leftFiles: [String] {
        let folder = FileManager.default.temporaryDirectory.path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.range(of: #"^kivo-\d+\.kivo"#, options: .regularExpression) != nil
        }
    }

    private func start(
        _ words: [String], _ output: Pipe, _ errors: Pipe, _ environment: [String: String] = [:]
    ) throws -> Process {
        let process = Process()
        process.executableURL = try BuiltProgram.named("kivo")
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        (process.arguments, process.standardOutput, process.standardError) = (words, output, errors)
        try process.run()
        return process
    }

    private func run(_ words: String..., environment: [String: String] = [:]) throws -> Answer {
        let (output, errors) = (Pipe(), Pipe())
        let process = try start(words, output, errors, environment)
        var answer = Answer()
        answer.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        answer.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        answer.code = process.terminationStatus
        return answer
    }

    private func address(_ options: EtcdOptions) -> String {
        let hosts = options.endpoints.map { "\($0.host!):\($0.port!)" }.joined(separator: ",")
        return "etcd://\(hosts)/\(options.prefix)"
    }

    func testCommandsReadTheLog() throws {
        let cluster = try EtcdCluster(3)
        let left = leftFiles
        var options = cluster.options()
        options.checkpointInterval = 10
        let realm = try realm(options)
        for number in 1...25 { try write(realm, number, text: "note \(number)") }
        let address = address(options)
        // The first member may be down.
        cluster.kill(0)

        let info = try run("info", address)
        XCTAssertEqual(info.code, 0, info.errors)
        XCTAssertEqual(info.lines.first?["file"] as? String, address)
        let classes = info.lines.first?["classes"] as? [[String: Any]]
        XCTAssertEqual(classes?.first { $0["name"] as? String == "EtcdNote" }?["objects"] as? Int, 25)

        let dump = try run("dump", address, "--class", "EtcdNote", "--where", "number > 23")
        XCTAssertEqual(dump.lines.count, 2, dump.output + dump.errors)
        XCTAssertTrue(dump.output.contains("note 24") && dump.output.contains("note 25"), dump.output)
        let export = try run("export", address)
        XCTAssertEqual(export.code, 0, export.errors)
        XCTAssertTrue(export.output.contains("note 25"))

        let log = try run("log", address, "--last", "1")
        XCTAssertTrue(log.output.contains("note 25"), log.output + log.errors)
        XCTAssertFalse(log.output.contains("note 24"))
        XCTAssertEqual(leftFiles, left)
    }

    func testTheLogIsWatched() throws {
        let cluster = try EtcdCluster(1)
        let left = leftFiles
        let realm = try realm(cluster.options())
        try write(realm, 1)
        let (output, errors) = (Pipe(), Pipe())
        let process = try start(["watch", "--count", "3", address(cluster.options())], output, errors)
        // Commits from before the tool's start are not printed, so commit more until it has ended.
        var number = 1
        while process.isRunning, number < 2_000 {
            number += 1
            try write(realm, number, text: "new \(number)")
            Thread.sleep(forTimeInterval: 0.02)
        }
        process.waitUntilExit()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let lines = text.split(separator: "\n")
        XCTAssertEqual(lines.count, 3, text)
        let numbers = lines.compactMap { line in line.firstMatch(of: #/new (\d+)/#).flatMap { Int($0.1) } }
        XCTAssertEqual(numbers.count, 3, text)
        XCTAssertEqual(numbers, Array((numbers.first ?? 0)..<(numbers.first ?? 0) + 3), "some are missing")
        XCTAssertEqual(leftFiles, left)
    }

    func testAnInterruptionLeavesNoFiles() throws {
        let cluster = try EtcdCluster(1)
        let left = leftFiles
        let realm = try realm(cluster.options())
        try write(realm, 1)
        let (output, errors) = (Pipe(), Pipe())
        let process = try start(["watch", address(cluster.options())], output, errors)
        wait("the temporary file") { self.leftFiles.count > left.count }
        process.interrupt()
        process.waitUntilExit()
        XCTAssertEqual(leftFiles, left)
    }

    /// The password of a user comes from the environment or from a file, and is not printed.
    func testPasswords() throws {
        let cluster = try EtcdCluster(1)
        try cluster.addRootUser(password: "secret")
        let address = address(cluster.options()).replacingOccurrences(of: "//", with: "//root@")
        let missing = try run("info", address)
        XCTAssertEqual(missing.code, 2)
        XCTAssertTrue(missing.errors.contains("KIVO_ETCD_PASSWORD_FILE"), missing.errors)
        let wrong = try run("info", address, environment: ["KIVO_ETCD_PASSWORD": "hidden"])
        XCTAssertEqual(wrong.code, 1)
        XCTAssertTrue(wrong.errors.contains("does not let this program in"), wrong.errors)
        XCTAssertFalse(wrong.errors.contains("hidden"), wrong.errors)
        let right = try run("info", address, environment: ["KIVO_ETCD_PASSWORD": "secret"])
        XCTAssertEqual(right.code, 0, right.errors)
        try Data("secret\n".utf8).write(to: URL(fileURLWithPath: path("password")))
        let file = try run("info", address, environment: ["KIVO_ETCD_PASSWORD_FILE": path("password")])
        XCTAssertEqual(file.code, 0, file.errors)
    }

    func testWhatIsNoLog() throws {
        let cluster = try EtcdCluster(1)
        let host = "127.0.0.1:\(cluster.options().endpoints[0].port!)"
        let empty = try run("info", "etcd://\(host)/nothing")
        XCTAssertEqual(empty.code, 0, empty.errors)
        XCTAssertEqual(empty.lines.first?["classes"] as? [String], [])
        for (words, message) in [
            (["info", "etcd://\(host)"], "no prefix"),
            (["info", "etcd://127.0.0.1/a"], "no host with a port"),
            (["info", "etcd://me:secret@\(host)/a"], "contains a password"),
            (["info", "etcd://me:secret@\(host)"], "contains a password"),
            (["compact", "etcd://\(host)/a"], "takes a file"),
        ] {
            let answer = try run(words[0], words[1])
            XCTAssertEqual(answer.code, 2, words[1])
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
            XCTAssertFalse(answer.errors.contains("secret"), answer.errors)
        }
        #if os(Linux)
        let encrypted = try run("info", "etcds://\(host)/a")
        XCTAssertEqual(encrypted.code, 1)
        XCTAssertTrue(encrypted.errors.contains("https is not used on Linux"), encrypted.errors)
        #endif
        cluster.kill(0)
        let dead = try run("info", "etcd://\(host)/a")
        XCTAssertEqual(dead.code, 1)
        XCTAssertTrue(dead.errors.contains("does not answer"), dead.errors)
    }
}
