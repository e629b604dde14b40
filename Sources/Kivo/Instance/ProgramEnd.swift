import Foundation
import KivoEngine

/// The end of a program that has files open: their checkpoints of closing are made then, as if they had been closed.
///
/// Everything is done by a thread of its own, for which the end of the program waits a limited time: code that `exit` interrupted
/// may hold any lock. A process that ends otherwise, by a signal or `_exit`, does nothing of this, and neither does a child that
/// was forked.
enum ProgramEnd {
    /// Registers the checkpoint of the files that are open when the program ends. Harmless when repeated.
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
        guard registration == .current, StorePlace.hasPlaces else { return }
        let done = DispatchSemaphore(value: 0)
        let seconds = Lock(0.0)
        let found = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let stores = StorePlace.openStores.filter { $0.configuration.fileURL != nil }
            seconds.withLock { $0 = stores.map(\.configuration.closingSeconds).max() ?? 0 }
            found.signal()
            for store in stores where store.configuration.closingSeconds > 0 { store.checkpointAtExit() }
            done.signal()
        }
        guard found.wait(timeout: .now() + 1) == .success else { return }
        _ = done.wait(timeout: .now() + seconds.withLock { $0 })
    }
}
