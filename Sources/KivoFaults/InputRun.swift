#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// A test of processes that assign random JSON values to a realm. A rejected value must end its process with a message. Every
/// commit must be readable, with and without a checkpoint.
struct InputRun {
    private(set) var failures: [String] = []
    /// The number of processes, the number of those that ended with a message, and the number of all commits.
    private(set) var processCount = 0
    private(set) var refusalCount = 0
    private(set) var commitCount = 0

    private let program: URL
    private let file: URL
    private var random: SeededNumbers

    /// Creates a run on a new file in a folder. `program` is this program.
    init(_ program: URL, in folder: URL, seed: UInt64) {
        self.program = program
        file = folder.appendingPathComponent("input.kivo")
        random = SeededNumbers(seed)
    }

    /// Runs a number of processes, one after the other; stops at the first failure.
    mutating func run(processes: Int, progress: (InputRun) -> Void = { _ in }) throws {
        for _ in 0..<processes where failures.isEmpty {
            let seed = random.next() >> 1
            let acknowledged = try runOne(seed)
            processCount += 1
            try check(acknowledged, seed)
            progress(self)
        }
    }

    /// Runs a process to its end. Returns the contents of the file after its last commit, as text.
    private mutating func runOne(_ seed: UInt64) throws -> String? {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = program
        process.arguments = ["give", file.path, "\(seed)"]
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
            $1
        }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
        // The output may be larger than a pipe's buffer; the errors are a few lines. Therefore the output is read first.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = text.split(separator: "\n")
        commitCount += lines.count
        if process.terminationReason == .exit, process.terminationStatus == 0 {
            return lines.last.map(String.init)
        }
        refusalCount += 1
        // The messages for invalid values. Any other end is a bug of Kivo.
        let isTold =
            [
                "is no value of", "is no element of", "are no elements of", "cannot make an object",
                "values for class", "is no key of", "cannot be a member of a set",
                "is an invalid argument for key", "it has one owner",
            ]
            .contains { words.contains($0) }
        if !isTold { failures.append("seed \(seed): a process ended with '\(words.prefix(600))'") }
        return lines.last.map(String.init)
    }

    private mutating func check(_ acknowledged: String?, _ seed: UInt64) throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        do {
            for compacts in [false, true] {
                let recovered = try InputRun.contents(file, compacts: compacts)
                if let acknowledged, recovered != acknowledged {
                    failures.append("seed \(seed): the file holds\n\(recovered)\nand not\n\(acknowledged)")
                }
            }
            let report = try Realm.verify(fileURL: file)
            if !report.isIntact { failures.append("seed \(seed): \(report)") }
        } catch {
            failures.append("seed \(seed): \(error)")
        }
    }

    private static func configuration(_ file: URL) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: file, objectTypes: [InputOwner.self, InputPart.self, InputPlace.self])
    }

    private static func contents(_ realm: Realm) -> String {
        let owners: [String] = realm.objects(InputOwner.self).map { $0.contents }
        return owners.joined(separator: "; ").replacingOccurrences(of: "\n", with: " ")
    }

    private static func contents(_ file: URL, compacts: Bool) throws -> String {
        var configuration = InputRun.configuration(file)
        if compacts { configuration.shouldCompactOnLaunch = { _, _ in true } }
        return contents(try Realm(configuration: configuration))
    }

    /// Writes transactions of a few values each until a value is rejected, and prints the contents after each commit.
    static func give(_ path: String, seed: UInt64) throws {
        var json = InputJSON(seed: seed, senseless: seed % 3 == 0 ? 0 : 1)
        let realm = try Realm(configuration: configuration(URL(fileURLWithPath: path)))
        for _ in 0..<12 {
            do {
                try realm.write {
                    for _ in 0...json.below(3) { give(&json, to: realm) }
                }
            } catch let error as Realm.Error where error.code == .invalidInput {
                continue
            }
            FileHandle.standardOutput.write(Data((contents(realm) + "\n").utf8))
        }
    }

    private static func give(_ json: inout InputJSON, to realm: Realm) {
        let key = InputJSON.keys[json.below(InputJSON.keys.count)]
        let list = InputJSON.lists[json.below(InputJSON.lists.count)]
        let owners = realm.objects(InputOwner.self)
        let owner = owners.isEmpty ? nil : owners[json.below(owners.count)]
        switch json.below(14) {
        case 0, 1: realm.create(InputOwner.self, value: json.owner(), update: .modified)
        case 2: realm.create(InputOwner.self, value: json.owner(), update: .all)
        case 3: realm.dynamicCreate("InputOwner", value: json.owner(), update: .modified)
        case 4: realm.add(InputOwner(value: json.owner()), update: .modified)
        case 5: owner?.setValue(json.value(of: key), forKey: key)
        case 6: realm.dynamicObjects("InputOwner").first?[key] = json.value(of: key)
        case 7: owner?.mutableArrayValue(forKey: list).add(json.element(of: list))
        case 8:
            guard let owner else { break }
            let elements = owner.mutableArrayValue(forKey: list)
            if elements.count > 0 {
                elements.replaceObject(at: json.below(elements.count), with: json.element(of: list))
            }
        case 9:
            if json.chance(50) {
                owner?.mutableSetValue(forKey: "set").add(InputPart(value: json.element(of: "set")))
            } else {
                owner?.mutableSetValue(forKey: "wordSet").add(json.element(of: "wordSet"))
            }
        case 10: owners.where { $0.id < 3 }.setValue(json.value(of: key), forKey: key)
        case 11: owner?.setValue(json.element(of: "words"), forKeyPath: "part.name")
        case 12:
            // The value of another object. Embedded objects have one owner.
            guard let owner, let other = owners.last, !key.hasPrefix("place") || json.chance(3) else { break }
            owner.setValue(other.value(forKey: key), forKey: key)
        default: if let owner, json.chance(20) { realm.delete(owner) }
        }
    }
}
#endif
