import Foundation
import Kivo
import KivoEngine
import XCTest

/// Applications' code for queries, references, values, errors and logs compiles as they write it. Blocks 18, 20 and 23 to 25 of
/// the description of the interface.
final class APISurfaceValueTests: RealmTestCase {
    func testQueries() throws {
        let realm = try openRealm()
        let part = SurfaceThing(value: ["name": "c", "numbers": [1, 2], "words": ["x"], "counts": ["k": 1]])
        try realm.write {
            realm.add(SurfaceThing(value: ["name": "abc", "number": 5, "other": part, "things": [part]]))
        }
        let all = realm.objects(SurfaceThing.self)
        func count(_ isIncluded: (Query<SurfaceThing>) -> Query<Bool>) -> Int { all.where(isIncluded).count }
        XCTAssertEqual(count { $0.number == 5 && $0.name != "b" }, 1)
        XCTAssertEqual(count { !($0.number > 5) || $0.number >= 5 }, 2)
        XCTAssertEqual(count { $0.number < 6 && $0.number <= 5 }, 2)
        XCTAssertEqual(count { $0.other.name == "c" }, 1)
        XCTAssertEqual(count { $0.number.contains(1...5) }, 1)
        XCTAssertEqual(count { $0.numbers.contains(2) }, 1)
        XCTAssertEqual(count { $0.numbers.containsAny(in: [2, 3]) }, 1)
        XCTAssertEqual(count { $0.name.in(["c", "d"]) }, 1)
        XCTAssertEqual(count { $0.name.starts(with: "AB", options: [.caseInsensitive]) }, 1)
        XCTAssertEqual(count { $0.name.ends(with: "c") && $0.name.contains("b") }, 1)
        XCTAssertEqual(count { $0.name.like("?b*") && $0.name.equals("abc") && $0.name.notEquals("c") }, 1)
        XCTAssertEqual(count { $0.things.count == 1 }, 1)
        XCTAssertEqual(count { $0.numbers.sum > 2 && $0.numbers.max == 2 && $0.numbers.avg >= 1 }, 1)
        XCTAssertEqual(count { $0.counts["k"] == 1 && $0.counts.keys == "k" }, 1)
        XCTAssertEqual(count { ($0.things.name == "c").count == 1 }, 1)
        XCTAssertEqual(count { $0.kind == .small && $0.kind.rawValue < 2 }, 2)
        let descriptor: Kivo.SortDescriptor = "name"
        XCTAssertEqual(descriptor, Kivo.SortDescriptor(keyPath: \SurfaceThing.name, ascending: true))
        XCTAssertFalse(descriptor.reversed().ascending)
        XCTAssertEqual(descriptor.keyPath, "name")
    }

    func testReferences() throws {
        let (realm, thing) = (try openRealm(), SurfaceThing())
        try realm.write { realm.add(thing) }
        func send<T: Sendable>(_ value: T) -> T { value }
        let reference: ThreadSafeReference<SurfaceThing> = send(ThreadSafeReference(to: thing))
        XCTAssertFalse(reference.isInvalidated)
        let resolved: SurfaceThing? = realm.resolve(reference)
        XCTAssertEqual(resolved, thing)
        @ThreadSafe var variable: SurfaceThing? = thing
        XCTAssertEqual(variable, thing)
        variable = nil
        XCTAssertNil(variable)
        let wrapper: ThreadSafe<SurfaceThing> = send(ThreadSafe(wrappedValue: thing))
        XCTAssertEqual(wrapper.wrappedValue, thing)
    }

    func testObjectIds() throws {
        let id: ObjectId = .generate()
        XCTAssertEqual(try ObjectId(string: id.stringValue), id)
        let literal = ObjectId("0123456789abcdef01234567" as StaticString)
        XCTAssertEqual(literal.stringValue, "0123456789abcdef01234567")
        XCTAssertEqual(ObjectId(), ObjectId(), "all zeros")
        let made = ObjectId(timestamp: Date(timeIntervalSince1970: 5), machineId: 1, processId: 2)
        XCTAssertEqual(made.timestamp, Date(timeIntervalSince1970: 5))
        XCTAssertLessThan(made, id)
        XCTAssertThrowsError(try ObjectId(string: "short"))
    }

    func testErrors() throws {
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())/x.kivo")
        do {
            _ = try Realm(configuration: Realm.Configuration(fileURL: missing, readOnly: true))
            XCTFail("opened")
        } catch Realm.Error.fileNotFound {
        }
        do {
            _ = try Realm(configuration: Realm.Configuration(fileURL: missing, readOnly: true))
        } catch let error as Realm.Error {
            XCTAssertEqual(error.code, .fileNotFound)
            XCTAssertEqual(error.fileURL?.lastPathComponent, "x.kivo")
            XCTAssertEqual(error.errorCode, 5)
            XCTAssertEqual(Realm.Error.errorDomain, "io.realm")
            XCTAssertEqual(error.errorUserInfo[NSLocalizedDescriptionKey] as? String, error.message)
            XCTAssertEqual(error.errorUserInfo[NSFilePathErrorKey] as? String, error.fileURL?.path)
            XCTAssertEqual(error.localizedDescription, error.message)
        }
        let codes: [(Realm.Error.Code, Int)] = [
            (Realm.Error.fail, 1), (Realm.Error.fileAccess, 2), (Realm.Error.filePermissionDenied, 3),
            (Realm.Error.fileExists, 4), (Realm.Error.fileNotFound, 5),
            (Realm.Error.fileFormatUpgradeRequired, 6), (Realm.Error.incompatibleLockFile, 8),
            (Realm.Error.addressSpaceExhausted, 9), (Realm.Error.schemaMismatch, 10),
            (Realm.Error.alreadyOpen, 12), (Realm.Error.invalidInput, 13), (Realm.Error.outOfDiskSpace, 14),
            (Realm.Error.incompatibleSession, 15), (Realm.Error.unsupportedFileFormatVersion, 16),
            (Realm.Error.multipleSyncAgents, 17), (Realm.Error.subscriptionFailed, 18),
            (Realm.Error.fileOperationFailed, 19), (Realm.Error.invalidDatabase, 20),
            (Realm.Error.incompatibleHistories, 21), (Realm.Error.noSubscriptionForWrite, 22),
        ]
        for (code, number) in codes {
            XCTAssertEqual(code.rawValue, number)
            do { throw Realm.Error(code, "words") } catch code {} catch { XCTFail("\(code)") }
        }
        XCTAssertEqual(Realm.Error.callFailed.code, .fail)
        XCTAssertEqual(Realm.Error(.fail), Realm.Error(.fail))
        XCTAssertFalse(Realm.Error(.fail).localizedDescription.isEmpty)
        let told = Realm.Error(
            .fileAccess, userInfo: [NSLocalizedDescriptionKey: "words", NSFilePathErrorKey: "/a/b.kivo"])
        XCTAssertEqual(told.localizedDescription, "words")
        XCTAssertEqual(told.userInfo[NSFilePathErrorKey] as? String, "/a/b.kivo")
    }

    func testLogging() {
        let levels: [LogLevel] = [.off, .fatal, .error, .warn, .info, .detail, .debug, .trace, .all]
        XCTAssertEqual(levels, LogLevel.allCases)
        XCTAssertEqual(levels.map(\.rawValue), Array(0..<9))
        let messages = Shared<[String]>([])
        let logger = Logger(level: .info) { level, message in
            messages.update { $0.append("\(level): \(message)") }
        }
        logger.log(level: .warn, message: "a")
        logger.log(level: .info, message: "b")
        logger.log(level: .debug, message: "not \({ XCTFail("not asked for") }())")
        logger.level = .off
        logger.log(level: .fatal, message: "c")
        logger.log(level: .off, message: "d")
        logger.level = .all
        logger.log(level: .trace, message: "e")
        XCTAssertEqual(messages.value, ["warn: a", "info: b", "trace: e"])
        let before = Logger.shared
        XCTAssertEqual(before.level, .info)
        Logger.shared = logger
        XCTAssertTrue(Logger.shared === logger)
        Logger.shared = before
    }
}
