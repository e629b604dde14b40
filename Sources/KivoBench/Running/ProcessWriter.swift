import Foundation
import Kivo
import Synchronization

/// A process that repeatedly commits the time at which it began to, for another process that has the file open.
struct ProcessWriter: Equatable {
    let path: String
    let count: Int
    private static let pause = 0.005

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

    func run() throws {
        let realm = try Realm(
            configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Holder.self]))
        let item = realm.objects(Item.self)[0]
        for _ in 0..<count {
            Thread.sleep(forTimeInterval: Self.pause)
            // The clock counts from the start of the machine in all processes.
            try realm.write { item.value = Int(DispatchTime.now().uptimeNanoseconds) }
        }
    }
}
