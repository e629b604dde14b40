import Foundation
import KivoEngine
import Synchronization

/// Where Kivo's messages go.
///
///     Logger.shared.level = .debug
///     Logger.shared = Logger(level: .info) { level, message in myLog.write("\(level): \(message)") }
///
/// Thread-safe; a message is passed on by the thread that it is about.
public final class Logger: Sendable {
    private let threshold: Atomic<UInt>
    private let function: @Sendable (LogLevel, String) -> Void

    /// The logger that Kivo uses. Until another is set, one of level ``LogLevel/info`` that writes to standard error.
    public static var shared: Logger {
        get { current.withLock { $0 } }
        set {
            // The old one is let go of outside of the lock: its function may hold anything.
            let old = current.withLock { current in
                defer { current = newValue }
                return current
            }
            withExtendedLifetime(old) {}
        }
    }

    private static let current = Lock(
        Logger(level: .info) { level, message in
            FileHandle.standardError.write(Data("Kivo: \(message)\n".utf8))
        })

    /// A logger.
    ///
    /// - Parameters:
    ///   - level: what is passed on; see ``level``.
    ///   - function: called with each message that is, on any thread.
    public init(level: LogLevel = .info, function: @escaping @Sendable (LogLevel, String) -> Void) {
        threshold = Atomic(level.rawValue)
        self.function = function
    }

    /// Messages of this level and of those above it are passed on.
    public var level: LogLevel {
        get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .off }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Passes a message on, if the level lets it pass. The message is not made otherwise.
    public func log(level: LogLevel, message: @autoclosure () -> String) {
        if level == .off || level.rawValue > threshold.load(ordering: .relaxed) { return }
        function(level, message())
    }
}
