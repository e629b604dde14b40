import Dispatch
import Foundation
import Kivo
import KivoEtcd
import KivoLog

extension Rows {
    /// The rows of realms over etcd, with one member on this machine; none if etcd is not installed.
    static var etcd: [Row] {
        if EtcdServer.program == nil { return [] }
        let transaction = Row("floor.txn", .floor, .ms, measure: appendWithoutKivo)
        let image = Row("floor.image", .floor, .ms, measure: readImage)
        let commit = Row(
            "etcd.commit", .etcd, .ms, .timesFloor(1.2), floor: FloorReference(transaction),
            measure: commitUnderLease)
        return [
            transaction,
            Row("floor.watch", .floor, .ms, measure: watchWithoutKivo),
            image,
            commit,
            Row("etcd.callback", .etcd, .ms, .atMost(1), measure: hearOfCommitOverEtcd),
            Row(
                "etcd.grouped", .etcd, .ms, .timesFloor(0.1), floor: FloorReference(commit),
                measure: writeInGroupsOverEtcd),
            Row(
                "etcd.start/checkpoint", .etcd, .ms, .timesFloor(2), floor: FloorReference(image),
                measure: startFromCheckpoint),
            Row("etcd.start/replica", .etcd, .ms, .atMost(5), measure: startFromReplica),
        ]
    }

    // MARK: Commits

    private static func withItem<Result>(
        _ realm: URL, _ change: (inout EtcdOptions) -> Void = { _ in }, _ body: (Realm, Item) throws -> Result
    ) throws -> Result {
        let realm = try Realm(configuration: EtcdServer.configuration(realm, change))
        try realm.addItems(1, name: ItemData.name)
        return try body(realm, realm.objects(Item.self)[0])
    }

    /// Measures a write of one value, while this realm has the right to write.
    private static func commitUnderLease(_ fixtures: Fixtures) throws -> Samples {
        let server = try fixtures.etcd()
        return try withItem(server.newRealm(), { $0.writing = .lease(seconds: 30) }) { realm, item in
            var value = 0
            return try Sampling.steps(atMost: 500, seconds: 1) {
                value += 1
                return try nanoseconds { try realm.write { item.value = value } }
            }
        }
    }

    /// Measures the same transactions with the same bytes, sent by the same client.
    private static func appendWithoutKivo(_ fixtures: Fixtures) throws -> Samples {
        let appends = try RawAppends(fixtures.etcd())
        return try Sampling.steps(atMost: 500, seconds: 1) {
            let body = appends.next()
            return try nanoseconds {
                let answer = try appends.server.send("kv/txn", body)
                expect(answer.json["succeeded"] as? Bool == true, "floor.txn appended nothing")
            }
        }
    }

    /// Measures queued writes of one value each while 32 are waiting, from the first call until the last is durable, for each.
    private static func writeInGroupsOverEtcd(_ fixtures: Fixtures) throws -> Samples {
        let server = try fixtures.etcd()
        return try withItem(server.newRealm(), { $0.writing = .lease(seconds: 30) }) { realm, item in
            let count = 1_600
            return Sampling.repetitions {
                var (begun, completed) = (0, 0)
                func write() {
                    begun += 1
                    let value = begun
                    realm.writeAsync {
                        item.value = value
                    } onComplete: { error in
                        expect(error == nil, "etcd.grouped: a write failed")
                        completed += 1
                        if begun < count { write() }
                    }
                }
                return nanoseconds {
                    for _ in 0..<32 { write() }
                    while completed < count { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
                } / Double(count)
            }
        }
    }

    // MARK: Others' commits

    /// Measures from the beginning of another process' write to the callback in this process, beyond the time in which a watch hears
    /// of the same transaction.
    private static func hearOfCommitOverEtcd(_ fixtures: Fixtures) throws -> Samples {
        let floor = try watchWithoutKivo(fixtures).median
        let server = try fixtures.etcd()
        let place = server.newRealm()
        return try withItem(place) { _, item in
            var samples: [Double] = []
            let token = item.observe { (change: ObjectChange<Item>) in
                guard case .change(let item, _) = change else { return }
                samples.append(
                    Double(DispatchTime.now().uptimeNanoseconds) - Double(item.value) - floor)
            }
            defer { token.invalidate() }
            let count = fixtures.size(500)
            let end = ProcessWriter(path: place.absoluteString, count: count).start()
            while !end.isReached.load(ordering: .acquiring) {
                _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
            }
            expect(samples.count > count / 2, "etcd.callback told of \(samples.count) of \(count) commits")
            return Samples(steps: samples)
        }
    }

    /// Measures from sending a transaction to its event in a watch.
    private static func watchWithoutKivo(_ fixtures: Fixtures) throws -> Samples {
        let server = try fixtures.etcd()
        let appends = try RawAppends(server)
        let watch = EtcdWatch()
        watch.begin(server.client, server.endpoint, EtcdJSON.watch([appends.keys.commitRange], from: nil))
        defer { watch.cancel() }
        func line() {
            guard case .text = watch.next(atMost: .seconds(5)) else {
                fatalError("kivo-bench: floor.watch heard nothing")
            }
        }
        line()
        return Sampling.steps(atMost: 200, seconds: 1) {
            // The pace of the other process in `etcd.callback`.
            Thread.sleep(forTimeInterval: ProcessWriter.pause)
            let body = appends.next()
            let answered = Signal()
            let time = nanoseconds {
                server.client.send("kv/txn", body, .until(.now + .seconds(5))) { _ in answered.send() }
                line()
            }
            answered.wait()
            return time
        }
    }

    // MARK: Starts

    /// Returns a realm of 100k items that has a checkpoint of them, and the note of the checkpoint.
    private static func checkpoint(_ fixtures: Fixtures) throws -> (place: URL, note: CheckpointNote) {
        let server = try fixtures.etcd()
        let place = server.endpoint.appendingPathComponent("checkpoint")
        let key = EtcdServer.keys(place).checkpoint
        // Commits that are still in the log would be read from there.
        func note() throws -> CheckpointNote? {
            let note = try server.pair(key).flatMap { CheckpointNote($0.text) }
            return note.flatMap { $0.version > 2 ? $0 : nil }
        }
        if let note = try note() { return (place, note) }
        let realm = try Realm(configuration: EtcdServer.configuration(place) { $0.checkpointInterval = 1 })
        try realm.addItems(fixtures.size(100_000), name: ItemData.name)
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            if let note = try note() { return (place, note) }
            expect(.now < deadline, "no checkpoint was made")
            try realm.write { realm.objects(Item.self)[0].value += 1 }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// Measures opening the realm without a replica, and one access.
    private static func startFromCheckpoint(_ fixtures: Fixtures) throws -> Samples {
        let (place, _) = try checkpoint(fixtures)
        return try Sampling.repetitions(5) { try open(EtcdServer.configuration(place), fixtures) }
    }

    /// Measures reading the parts of the checkpoint.
    private static func readImage(_ fixtures: Fixtures) throws -> Samples {
        let server = try fixtures.etcd()
        let (place, note) = try checkpoint(fixtures)
        let prefix = EtcdServer.keys(place).image(note.image)
        return try Sampling.repetitions(5) {
            try nanoseconds {
                var size = 0
                for number in 0..<note.partCount {
                    size += try server.pair(prefix + EtcdKeys.padded(UInt64(number)))?.value.count ?? 0
                }
                expect(size == note.size, "floor.image read \(size) of \(note.size) bytes")
            }
        }
    }

    /// Measures opening the realm with a replica that has everything, and one access, beyond one round trip.
    private static func startFromReplica(_ fixtures: Fixtures) throws -> Samples {
        let (place, _) = try checkpoint(fixtures)
        let server = try fixtures.etcd()
        let path = try fixtures.filesDirectory().appendingPathComponent("bench.replica").path
        let configuration = EtcdServer.configuration(place) { $0.replicaPath = path }
        let key = EtcdServer.keys(place).log
        let trip = try Sampling.steps(atMost: 100) { try nanoseconds { _ = try server.pair(key) } }.median
        return try Sampling.repetitions(11) { try open(configuration, fixtures) - trip }
    }

    private static func open(_ configuration: Realm.Configuration, _ fixtures: Fixtures) throws -> Double {
        try nanoseconds {
            let realm = try Realm(configuration: configuration)
            expect(realm.objects(Item.self).count == fixtures.size(100_000), "items are missing")
        }
    }
}

/// The transactions that commits of one value are, without a realm.
private final class RawAppends {
    let server: EtcdServer
    let keys: EtcdKeys
    private var version: UInt64 = 0
    private var known: String?
    /// A commit that a realm has made.
    private let sample: EncodedCommit
    private static let lease = LogLease(token: .max / 3)

    init(_ server: EtcdServer) throws {
        self.server = server
        let place = server.newRealm()
        let realm = try Realm(configuration: EtcdServer.configuration(place))
        try realm.addItems(1, name: ItemData.name)
        try realm.write { realm.objects(Item.self)[0].value += 1 }
        let key = EtcdServer.keys(place)
        let newest = EtcdJSON.range(key.commits, toEndOf: key.commits, limit: 1, isDescending: true)
        let pair = EtcdAnswer.pairs(try server.send("kv/range", newest).json)[0]
        sample = EncodedCommit(bytes: pair.value)!
        keys = EtcdServer.keys(server.newRealm())
        _ = try server.send("kv/put", EtcdJSON.put(keys.log, "\(sample.log)".utf8))
        _ = try server.send("kv/put", EtcdJSON.put(keys.writer, "\(RawAppends.lease.token)".utf8))
    }

    func next() -> String {
        var commit = sample
        commit.identity.number = version + 1
        let transaction = AppendTransaction(
            keys: keys, log: sample.log, commit: commit, after: version, lease: RawAppends.lease, known: known
        )
        version += 1
        known = HeadNote.text(version, commit.identity)
        return transaction.body
    }
}
