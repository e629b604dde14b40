import Dispatch

/// The executor of actors of a test that run on a dispatch queue.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(_ name: String = "actors of a test") { queue = DispatchQueue(label: name) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
