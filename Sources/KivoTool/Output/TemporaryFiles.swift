import Foundation
import KivoEngine
import KivoJournal

/// The files of unfinished commands. A signal that ends the process removes them.
enum TemporaryFiles {
    private static let paths = Lock<Set<String>>([])

    /// Adds files and performs `body`, which may create them. The process does not end meanwhile, so that it leaves none of them.
    static func add<Result>(_ files: String..., whilePerforming body: () throws -> Result) rethrows -> Result
    {
        try paths.withLock {
            $0.formUnion(files)
            return try body()
        }
    }

    /// Performs `body`, and then forgets files: they have their final names or were removed.
    static func remove<Result>(_ files: String..., afterPerforming body: () throws -> Result) rethrows
        -> Result
    {
        try paths.withLock {
            let result = try body()
            $0.subtract(files)
            return result
        }
    }

    /// The closure that is called at the first interruption instead of ending the process; nil after that.
    private static let interruption = Lock<(@Sendable () -> Void)?>(nil)

    /// Calls a closure at the next interruption instead of ending the process. The command has to end then; another interruption
    /// ends the process, as the first one does after a call with nil.
    static func whenInterrupted(_ body: (@Sendable () -> Void)?) {
        interruption.withLock { $0 = body }
    }

    /// The closure that is called before a signal ends the process.
    private static let farewell = Lock<(@Sendable () -> Void)?>(nil)

    /// Calls a closure before a signal ends the process.
    static func beforeSignalsEnd(_ body: @escaping @Sendable () -> Void) { farewell.withLock { $0 = body } }

    private static func takeInterruption() -> (@Sendable () -> Void)? {
        interruption.withLock { closure in
            defer { closure = nil }
            return closure
        }
    }

    #if !os(Windows)
    /// Removes the files before a signal ends the process. It must be called before there are other threads.
    ///
    /// - Parameter report: Prints a message. It must not wait for a lock that a command holds.
    static func removeBeforeSignals(_ report: @escaping @Sendable (String) -> Void) {
        var handled = sigset_t()
        sigemptyset(&handled)
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { sigaddset(&handled, number) }
        // Threads inherit the mask: only the new thread receives the signals.
        pthread_sigmask(SIG_BLOCK, &handled, nil)
        Thread.detachNewThread { [handled] in
            var (handled, number) = (handled, Int32(0))
            while true {
                while sigwait(&handled, &number) != 0 {}
                guard let body = takeInterruption() else { break }
                body()
            }
            farewell.withLock { $0 }?()
            // The lock is never released, and therefore no file is created any more.
            paths.withLock { paths in
                let removed = paths.sorted().filter { (try? FileSystem.remove($0)) == true }
                if !removed.isEmpty {
                    let names = removed.map { "'\($0)'" }.joined(separator: " and ")
                    report(
                        "interrupted; the unfinished \(names) \(removed.count == 1 ? "was" : "were") removed")
                }
                // The shell sees that the process was ended by the signal.
                signal(number, SIG_DFL)
                pthread_sigmask(SIG_UNBLOCK, &handled, nil)
                raise(number)
                _exit(128 + number)
            }
        }
    }

    /// Whether the caller of the program ignores a signal, as `nohup` does.
    private static func isIgnored(_ number: Int32) -> Bool {
        let action = signal(number, SIG_IGN)
        signal(number, action)
        // Pointers to functions cannot be compared otherwise.
        return unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
    #endif
}
