import Dispatch
import Foundation

/// How others ask a realm instance to look for new versions.
///
/// Thread-safe; requests that have not been carried out yet are merged by the instance.
enum Scheduler: Sendable {
    /// The main thread: its run loop and `dispatchMain()` both serve the main queue.
    case main
    /// A thread whose run loop may or may not run; a bare thread refreshes by hand.
    case runLoop(RunLoopHandle)
    case queue(DispatchQueue)
    case none

    /// The scheduler of the thread that runs this code, or of a queue.
    static func current(_ queue: DispatchQueue?) -> Scheduler {
        let confinement = Confinement.of(queue)
        if confinement == .main { return .main }
        return queue.map { .queue($0) } ?? .runLoop(RunLoopHandle(.current))
    }

    /// Has `work` carried out where the realm belongs, later.
    func schedule(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .main: DispatchQueue.main.async(execute: work)
        case .runLoop(let handle): handle.perform(work)
        case .queue(let queue): queue.async(execute: work)
        case .none: break
        }
    }
}

/// Another thread's run loop, to which a timer can be added: the one thing that also wakes it everywhere.
///
/// Adding a timer locks the run loop; Foundation's run loop object itself is only asked for that.
final class RunLoopHandle: @unchecked Sendable {
    private let runLoop: RunLoop

    init(_ runLoop: RunLoop) { self.runLoop = runLoop }

    func perform(_ work: @escaping @Sendable () -> Void) {
        let timer = Timer(timeInterval: 0, repeats: false) { _ in work() }
        runLoop.add(timer, forMode: .default)
    }
}
