import Foundation
import Kivo
import Synchronization

/// A process that repeatedly commits the time at which it began to, for another process that has the realm open.
struct ProcessWriter: Equatable {
    /// The path of a file, or the address of a realm over etcd.
    let path: String
    let count: Int
    /// The time, in seconds, before each commit.
    static let pause = 0.005

    /// A flag that is set when the process has ended.
    final class End: Sendable {
        let isReached = Atomic(false)
    }

    /// Starts this program as a child, which calls ``run()``.
    func start() -> End {
        let end = End()
        let arguments = [Options.writingFlag, path, "\(count)"]
        Thread {
            do {
                try ChildProcess(arguments: arguments).run { _ in }
            } catch { fatalError("kivo-bench: \(error)") }
            end.isReached.store(true, ordering: .releasing)
        }.start()
        return end
    }

    private var configuration: Realm.Configuration {
        if let address = URL(string: path), address.scheme == "http" {
            return EtcdServer.configuration(address)
        }
        return Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Holder.self])
    }

    func run() throws {
        let realm = try Realm(configuration: configuration)
        let item = realm.objects(Item.self)[0]
        for _ in 0..<count {
            Thread.sleep(forTimeInterval: Self.pause)
            // The clock counts from the start of the machine in all processes.
            try realm.write { item.value = Int(DispatchTime.now().uptimeNanoseconds) }
        }
    }
}
