import Foundation
import KivoEngine

/// The end of a program that has files open: their closing checkpoints are made then, as if the files had been closed.
///
/// A thread of its own does all of the work, and the end of the program waits for it for a limited time: code that `exit`
/// interrupted may hold any lock. A process that ends otherwise, by a signal or `_exit`, makes no checkpoints, and neither does a
/// child that was forked.
enum ProgramEnd {
    /// Registers the closing checkpoints of the files that are open when the program ends. Repeated calls have no effect.
    static func watch() { _ = registration }

    private static let registration: ProcessID = {
        #if !os(WASI)
        atexit { ProgramEnd.finish() }
        #endif
        return .current
    }()

    private struct ProcessID: Equatable {
        let number: Int32
        static var current: ProcessID { ProcessID(number: ProcessInfo.processInfo.processIdentifier) }
    }

    private static func finish() {
        guard registration == .current, StoreEntry.hasEntries else { return }
        let done = DispatchSemaphore(value: 0)
        let seconds = Lock(0.0)
        let found = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let stores = StoreEntry.openStores.filter { $0.configuration.fileURL != nil }
            seconds.withLock { $0 = stores.map(\.configuration.closingSeconds).max() ?? 0 }
            found.signal()
            for store in stores where store.configuration.closingSeconds > 0 { store.checkpointAtExit() }
            done.signal()
        }
        guard found.wait(timeout: .now() + 1) == .success else { return }
        _ = done.wait(timeout: .now() + seconds.withLock { $0 })
    }
}
