import Foundation
import Kivo
import KivoEtcd

/// One entry of the history that the clients write together. Its position is what the client read, plus one.
class ChaosEntry: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(indexed: true) var position: Int
}

/// The number of entries, which each write reads and increments.
class ChaosTally: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var count: Int
}

/// A client of the chaos test: writes entries as fast as it can, observes those of others, and prints its notifications on
/// standard output, one line for each event:
///
///     S name nanoseconds             a write begins
///     A name position nanoseconds    it was acknowledged
///     F name                         it failed, and nothing was carried out
///     U name                         its outcome is unknown
///     R count                        the number of entries that it reads
///     X text                         an inconsistency in the notifications of its listeners
///
/// Arguments: the prefix, the name of the client, the mode of writing, the path of its replica, and the members of the cluster. In
/// the mode `read` it prints all entries, `E name position`, and ends.
@main
struct KivoEtcdClient {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 5 else { return }
        // A reader has no replica, so that its entries are not those of an earlier process.
        let isReader = arguments[3] == "read"
        var options = EtcdOptions(
            endpoints: arguments[5...].compactMap { URL(string: $0) }, prefix: arguments[1])
        options.writing = arguments[3] == "lease" ? .lease(seconds: 3) : .optimistic
        options.replicaPath = isReader ? nil : arguments[4]
        options.checkpointInterval = 100
        options.openTimeout = 30
        var configuration = Realm.Configuration.etcd(
            options, objectTypes: [ChaosEntry.self, ChaosTally.self])
        configuration.commitTimeout = 5
        if isReader {
            let entries = try Realm(configuration: configuration).objects(ChaosEntry.self)
            let lines = entries.sorted(byKeyPath: "position").map { "E \($0.name) \($0.position)\n" }
            return FileHandle.standardOutput.write(Data(lines.joined().utf8))
        }
        // Not the main thread, which waits for no lease.
        let (started, name) = (configuration, arguments[2])
        Thread.detachNewThread {
            while true {
                do {
                    try Client(Realm(configuration: started), name).run()
                } catch { Thread.sleep(forTimeInterval: 0.1) }
            }
        }
        while true { Thread.sleep(forTimeInterval: 1000) }
    }
}

private final class Client {
    private let realm: Realm
    private let name: String
    private let entries: Results<ChaosEntry>
    private var token: NotificationToken?
    /// The entries according to the listener's notifications.
    private var told: [String] = []
    private var number = 0

    init(_ realm: Realm, _ name: String) {
        (self.realm, self.name) = (realm, name)
        entries = realm.objects(ChaosEntry.self).sorted(byKeyPath: "position")
        token = entries.observe { [unowned self] change in take(change) }
    }

    private func say(_ words: String) {
        FileHandle.standardOutput.write(Data((words + "\n").utf8))
    }

    private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    private func take(_ change: RealmCollectionChange<Results<ChaosEntry>>) {
        switch change {
        case .initial(let entries): told = entries.map(\.name)
        case .update(let entries, let deletions, let insertions, _):
            for index in deletions.reversed() { told.remove(at: index) }
            for index in insertions { told.insert(entries[index].name, at: index) }
        case .error: break
        }
    }

    func run() throws {
        while true {
            realm.refresh()
            if told.count != entries.count || told.last != entries.last?.name {
                say("X \(told.count) entries were told of, and there are \(entries.count)")
            }
            let count = realm.object(ofType: ChaosTally.self, forPrimaryKey: 0)?.count ?? 0
            if count != entries.count {
                say("X the tally is \(count), and there are \(entries.count) entries")
            }
            say("R \(count)")
            write()
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.002))
        }
    }

    private func write() {
        number += 1
        let entry = "\(name)-\(number)"
        say("S \(entry) \(now)")
        do {
            let position = try realm.write { () -> Int in
                let tally =
                    realm.object(ofType: ChaosTally.self, forPrimaryKey: 0)
                    ?? realm.create(ChaosTally.self, value: ["number": 0, "count": 0])
                tally.count += 1
                realm.add(ChaosEntry(value: ["name": entry, "position": tally.count] as [String: Any]))
                return tally.count
            }
            say("A \(entry) \(position) \(now)")
        } catch let error as Realm.Error where error.code == .unknownOutcome {
            // Half of them are resolved: whatever is said then has to stay true.
            if number % 2 == 0, let isThere = try? realm.wasCarriedOut(error) {
                say(isThere ? "A \(entry) 0 \(now)" : "F \(entry)")
            } else {
                say("U \(entry)")
            }
        } catch {
            say("F \(entry)")
        }
    }
}
