#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Code of the program that opens a realm while that is being opened.
struct OpeningWithinOpeningTests {
    /// Ends a process that waits for itself.
    private static func limitTime() { alarm(120) }

    private static func newFile() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("kivo-\(UUID().uuidString).kivo")
    }

    private static let fileVariable = "KIVO_TEST_OPENED_FILE"

    // MARK: Blocks of the configuration

    private static func configuration(_ file: URL, version: UInt64 = 0) -> Realm.Configuration {
        Realm.Configuration(fileURL: file, schemaVersion: version, objectTypes: [Dog.self])
    }

    private static func prepare(_ file: URL) throws {
        let realm = try Realm(configuration: configuration(file))
        try realm.write { realm.add(Dog()) }
    }

    @Test func aMigrationThatOpensItsFileIsToldSo() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            OpeningWithinOpeningTests.limitTime()
            let file = OpeningWithinOpeningTests.newFile()
            try OpeningWithinOpeningTests.prepare(file)
            var configuration = OpeningWithinOpeningTests.configuration(file, version: 1)
            let inner = configuration
            configuration.migrationBlock = { _, _ in _ = try? Realm(configuration: inner) }
            _ = try Realm(configuration: configuration)
        }
        try check(
            result, says: ["is opened by code that runs while it is opened", "'migrationBlock'", ".kivo'"])
    }

    @Test func aQuestionAboutCompactionThatOpensItsFileIsToldSo() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            OpeningWithinOpeningTests.limitTime()
            let file = OpeningWithinOpeningTests.newFile()
            try OpeningWithinOpeningTests.prepare(file)
            var configuration = OpeningWithinOpeningTests.configuration(file)
            let inner = configuration
            configuration.shouldCompactOnLaunch = { _, _ in (try? Realm(configuration: inner)) != nil }
            _ = try Realm(configuration: configuration)
        }
        try check(
            result, says: ["is opened by code that runs while it is opened", "'shouldCompactOnLaunch'"])
    }

    /// Another file does not matter.
    @Test func aMigrationCanOpenAnotherFile() throws {
        let (file, other) = (Self.newFile(), Self.newFile())
        defer { for url in [file, other] { try? FileManager.default.removeItem(at: url) } }
        try Self.prepare(file)
        var configuration = Self.configuration(file, version: 1)
        configuration.migrationBlock = { _, _ in try! OpeningWithinOpeningTests.prepare(other) }
        #expect(try Realm(configuration: configuration).objects(Dog.self).count == 1)
        #expect(try Realm(configuration: Self.configuration(other)).objects(Dog.self).count == 1)
    }

    // MARK: Default values

    /// A start of a program that makes one object, whose default value opens the realm.
    private static func start(schemaVersion: UInt64 = 0) throws {
        limitTime()
        var configuration = Realm.Configuration.defaultConfiguration
        configuration.fileURL = URL(fileURLWithPath: ProcessInfo.processInfo.environment[fileVariable]!)
        configuration.schemaVersion = schemaVersion
        Realm.Configuration.defaultConfiguration = configuration
        let realm = try Realm()
        let before = realm.objects(NumberedThing.self).count
        let thing = NumberedThing()
        try realm.write { realm.add(thing) }
        precondition(realm.objects(NumberedThing.self).count == before + 1)
        precondition(thing.id == realm.objects(NumberGiver.self).first?.last)
    }

    @Test func aDefaultValueOpensTheRealmAtEachStart() async throws {
        let file = Self.newFile()
        setenv(Self.fileVariable, file.path, 1)
        for _ in 0..<3 {
            await #expect(processExitsWith: .success) { try OpeningWithinOpeningTests.start() }
        }
        for suffix in ["", ".lock"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }

    @Test func aDefaultValueDoesNotOpenWhatHasToBeMigrated() async throws {
        let file = Self.newFile()
        setenv(Self.otherVariable, file.path, 1)
        await #expect(processExitsWith: .success) { try OpeningWithinOpeningTests.startOther(0) }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try OpeningWithinOpeningTests.startOther(1)
        }
        try check(result, says: ["has to be migrated before a default value", "'NumberedThing'"])
        for suffix in ["", ".lock"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }

    private static let otherVariable = "KIVO_TEST_MIGRATED_FILE"

    private static func startOther(_ schemaVersion: UInt64) throws {
        setenv(fileVariable, ProcessInfo.processInfo.environment[otherVariable]!, 1)
        try start(schemaVersion: schemaVersion)
    }
}

/// A class whose primary key is given by the realm.
final class NumberedThing: Object {
    @Persisted(primaryKey: true) var id = NumberGiver.next()
    @Persisted var giver: NumberGiver?
}

final class NumberGiver: Object {
    @Persisted var last = 0

    static func next() -> Int {
        let realm = try! Realm()
        return try! realm.write {
            let giver = realm.objects(NumberGiver.self).first ?? realm.create(NumberGiver.self)
            giver.last += 1
            return giver.last
        }
    }
}
#endif
