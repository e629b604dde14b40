#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import KivoEngine

/// A piece of work of a studio, with the answer for the case that the file cannot be read.
struct StudioWork: Sendable {
    /// The work of the current thread.
    @TaskLocal static var current: StudioWork?

    /// The subject of the work: a class, or the path of a request.
    var subject: String
    /// Whether the work writes. It holds the lock of the file meanwhile.
    var isWriting = false
    /// Does the work on the queue of a core.
    var run: @Sendable (StudioCore) -> Void
    /// Called instead of the end of `run` if the file cannot be read.
    var fail: @Sendable (HTTPProblem) -> Void

    /// Does the work on this thread.
    func perform(on core: StudioCore) {
        StudioCore.$current.withValue(core) { StudioWork.$current.withValue(self) { run(core) } }
    }
}

/// The part of a studio that is replaced when a thread met a damaged page: the session, and the queues that use it.
///
/// Nodes are read deep inside of the engine, from where no error can be thrown. So the thread that meets damage never continues, with
/// all that it holds: the core is abandoned, and another one opens the file again. Work that had not begun moves to it.
final class StudioCore: Sendable {
    /// The error of work that belongs to an abandoned core.
    struct Abandoned: Error {}

    /// The core for which the current thread works.
    @TaskLocal static var current: StudioCore?

    /// The path of the file.
    let path: String
    let queue = DispatchQueue(label: "kivo.studio")
    /// The queue on which queries of tables are evaluated, and their number.
    let queries = DispatchQueue(label: "kivo.studio.queries", attributes: .concurrent)
    let queryCount = Lock(0)
    static let largestQueryCount = 8
    /// Signalled when the thread that follows the file has ended.
    let isEnded = DispatchSemaphore(value: 0)
    private let session: Lock<StudioSession>
    private let isAbandoned = Lock(false)
    private let waiting = Lock<[StudioWork]>([])

    /// Opens a file.
    init(_ path: String, newCommits: DispatchSemaphore) throws {
        self.path = path
        session = Lock(try StudioSession(path, newCommits: newCommits))
    }

    /// Calls `body` with the session, which nothing else uses meanwhile.
    ///
    /// - Throws: ``Abandoned``; any error of `body`.
    func withSession<Result: Sendable>(_ body: (StudioSession) throws -> Result) throws -> Result {
        if isAbandoned.withLock({ $0 }) { throw Abandoned() }
        return try session.withLock { session in
            let session = session
            return try body(session)
        }
    }

    /// Does work after all that was enqueued before.
    func enqueue(_ work: StudioWork) {
        waiting.withLock { $0.append(work) }
        queue.async { [self] in
            let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?.perform(on: self)
        }
    }

    /// Stops serving. Returns the work that had not begun.
    func abandon() -> [StudioWork] {
        isAbandoned.withLock { $0 = true }
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

extension HTTPRequest {
    /// The number of the commit that the request reads; nil for the newest.
    var commit: UInt64? { count("at").map { UInt64($0) } }

    /// The subject that the request reads: a class or one of its objects, or its path if it reads the whole file.
    var subject: String {
        guard path != "/api/past", let name = query["class"] else {
            return [path, query["number"] ?? ""].joined(separator: " ")
        }
        return query["key"].map { "\(name) \($0)" } ?? name
    }
}
#endif
