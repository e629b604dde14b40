import Foundation
import Kivo
import KivoEtcd
import KivoLog
import KivoTesting
import XCTest

class EtcdNote: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var text = ""
}

/// A test with a cluster of its own.
class EtcdTestCase: XCTestCase {
    private var folder: URL!

    override func setUpWithError() throws {
        _ = try EtcdCluster.require()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDown() {
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Opens a realm with a store of its own, as another process would have it.
    func realm(
        _ options: EtcdOptions, readOnly: Bool = false, timeout: TimeInterval = 20
    ) throws -> Realm {
        var configuration = Realm.Configuration.etcd(
            options, readOnly: readOnly, objectTypes: [EtcdNote.self])
        let source = configuration.commitLog!
        configuration.commitLog = CommitLogSource(
            identifier: "\(source.identifier) \(UUID())", open: source.open)
        configuration.commitTimeout = timeout
        return try Realm(configuration: configuration)
    }

    func write(_ realm: Realm, _ numbers: Int..., text: String = "") throws {
        try realm.write(attempts: 50) {
            for number in numbers { realm.add(EtcdNote(value: ["number": number, "text": text])) }
        }
    }

    func numbers(_ realm: Realm) -> [Int] {
        realm.refresh()
        return realm.objects(EtcdNote.self).map(\.number).sorted()
    }

    /// The keys that begin with a prefix, which ends in a slash.
    func keys(_ prefix: String, of cluster: EtcdCluster) throws -> [String] {
        let (start, end) = (base64(prefix), base64(prefix.dropLast() + "0"))
        let range = "{\"key\":\"\(start)\",\"range_end\":\"\(end)\",\"keys_only\":true}"
        let pairs = try cluster.post("kv/range", range)["kvs"] as? [[String: Any]] ?? []
        return pairs.map { pair in
            String(decoding: Data(base64Encoded: pair["key"] as? String ?? "") ?? Data(), as: UTF8.self)
        }
    }

    /// A key as etcd's gateway takes it.
    func base64(_ key: String) -> String { Data(key.utf8).base64EncodedString() }

    /// Waits until a condition holds, while the run loop delivers notifications.
    func wait(
        _ what: String, _ seconds: TimeInterval = 60, line: UInt = #line, until condition: () throws -> Bool
    ) rethrows {
        let end = Date(timeIntervalSinceNow: seconds)
        var holds = try condition()
        while !holds, Date() < end {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
            holds = try condition()
        }
        XCTAssert(holds, what, line: line)
    }
}
