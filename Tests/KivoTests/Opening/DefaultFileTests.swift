#if compiler(>=6.2) && os(Linux)
import Foundation
import Glibc
import Kivo
import Testing

/// The default file of an account without folders. Each test is a process of its own, because the environment is read
/// once.
struct DefaultFileTests {
    @Test func itIsInTheUsersDataFolder() async {
        await #expect(processExitsWith: .success) {
            try DefaultFile.check(variable: "HOME", data: ".local/share")
        }
    }

    @Test func itIsWhereTheDataFolderIsSaidToBe() async {
        await #expect(processExitsWith: .success) {
            try DefaultFile.check(variable: "XDG_DATA_HOME", data: "")
        }
    }

    /// Creating a default file beside one of the established engine logs one message.
    @Test func anOldFileBesideIt() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory.appendingPathComponent(
                "kivo-" + UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: home) }
            setenv("XDG_DATA_HOME", home.path, 1)
            let folder = home.appendingPathComponent(ProcessInfo.processInfo.processName)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let old = folder.appendingPathComponent("default.realm")
            try (Data(count: 16) + Data("T-DB".utf8) + Data(count: 4)).write(to: old)
            let lines = Lines()
            Logger.shared = Logger(level: .warn) { _, line in lines.add(line) }
            for _ in 0..<3 { _ = try Realm() }
            let told = lines.all.filter { $0.contains(old.path) }
            precondition(told.count == 1, "\(lines.all)")
            precondition(told[0].contains("importObjects(fromRealmFile:)"), told[0])
        }
    }

    @Test func aFolderThatCannotBeMadeIsAnError() async {
        await #expect(processExitsWith: .success) {
            setenv("XDG_DATA_HOME", "/dev/null/data", 1)
            do {
                _ = try Realm()
                exit(1)
            } catch let error as Realm.Error {
                precondition(error.code == .filePermissionDenied, "\(error)")
                precondition(error.message.contains("/dev/null/data"), "\(error)")
            }
        }
    }
}

private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    // Accessed under the lock only.
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }
    func add(_ line: String) { lock.withLock { lines.append(line) } }
}

private enum DefaultFile {
    static func check(variable: String, data: String) throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        unsetenv("XDG_DATA_HOME")
        setenv(variable, home.path, 1)
        do {
            let realm = try Realm()
            try realm.write { realm.add(Dog(value: ["name": "Rex"])) }
        }
        let folder = home.appendingPathComponent(data)
        let programs = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        precondition(programs.count == 1, "\(programs)")
        let file = folder.appendingPathComponent(programs[0]).appendingPathComponent("default.kivo")
        let (named, standard) = (try Realm(fileURL: file), try Realm())
        precondition(named.objects(Dog.self).first?.name == "Rex", "\(file)")
        precondition(standard == named, "\(file)")
    }
}
#endif
