#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import KivoEngine

/// The known damage of a studio's file.
struct StudioDamage: Sendable {
    /// The threads that may be stopped, with what they hold, before the studio gives up on its file.
    static let largestCount = 20

    /// The number of threads that were stopped.
    var count = 0
    /// The reasons why subjects cannot be read: see ``StudioWork/subject``.
    var subjects: [String: String] = [:]
}

extension StudioService {
    /// Goes on after this thread met a damaged page: its work is answered with the message, and everything else is served from the file
    /// opened again. Then the thread sleeps for ever. Returns if that is not possible: the thread does no work of this studio, or it
    /// writes and would keep the lock of the file.
    func abandonWork(_ message: String) {
        guard let work = StudioWork.current, StudioCore.current?.path == path, !work.isWriting else { return }
        let count = damage.withLock { damage in
            damage.subjects[work.subject] = message
            damage.count += 1
            return damage.count
        }
        let rest = state.withLock { state in
            guard case .serving(let core) = state else { return [StudioWork]() }
            state = .unreadable(message)
            return core.abandon()
        }
        let finish = { @Sendable [self] in
            work.fail(HTTPProblem(.failed, message))
            for some in rest { enqueue(some) }
            // The streams of the abandoned core end now.
            server.poke()
        }
        if count < StudioDamage.largestCount, work.subject != StudioService.opening {
            // The newest commits themselves may lead to the damage.
            let again = StudioWork(subject: StudioService.opening, run: { _ in }) { _ in
                finish()
            }
            StudioWork.$current.withValue(again) { reopen() }
        }
        finish()
        while true { Thread.sleep(forTimeInterval: 3600) }
    }

    /// The subject of a thread that opens the file again.
    private static let opening = "opening"

    private func reopen() {
        if let core = try? StudioCore(path, newCommits: newCommits) { begin(core) }
    }
}
#endif
