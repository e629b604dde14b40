import Foundation
import KivoEngine
import Synchronization

/// A receiver of Kivo's messages.
///
///     Logger.shared.level = .debug
///     Logger.shared = Logger(level: .info) { level, message in myLog.write("\(level): \(message)") }
///
/// Thread-safe; a message is passed on by the thread that it is about.
public final class Logger: Sendable {
    private let threshold: Atomic<UInt>
    private let function: @Sendable (LogLevel, String) -> Void

    /// The logger that Kivo uses. The default has the level ``LogLevel/info`` and writes to standard error. In a test target that
    /// depends on the product `KivoTesting`, it shows its messages only with the tests that fail.
    public static var shared: Logger {
        get { current.withLock { $0 } }
        set {
            // The old logger is released outside of the lock, because its function may hold anything.
            let old = current.withLock { current in
                defer { current = newValue }
                return current
            }
            withExtendedLifetime(old) {}
        }
    }

    private static let current = Lock(
        Logger(level: .info) { level, message in
            if let log = testLog { return log.receive(message) }
            FileHandle.standardError.write(Data("Kivo: \(message)\n".utf8))
        })

    /// The log of `KivoTesting`, if the program is a test target that links the module. Found by its mangled name, so that
    /// tests are quiet without a call that each of them would have to make first.
    private static let testLog = _typeByName("11KivoTesting7TestLogO") as? any LogForTests.Type

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - level: The level down to which messages are passed on; see ``level``.
    ///   - function: A closure that is called with each of these messages, on any thread.
    public init(level: LogLevel = .info, function: @escaping @Sendable (LogLevel, String) -> Void) {
        threshold = Atomic(level.rawValue)
        self.function = function
    }

    /// The level of the least severe messages that are passed on.
    public var level: LogLevel {
        get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .off }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Passes a message on if it is severe enough for the level. The message is evaluated only then.
    public func log(level: LogLevel, message: @autoclosure () -> String) {
        if level == .off || level.rawValue > threshold.load(ordering: .relaxed) { return }
        function(level, message())
    }
}

/// A destination of the default logger's messages in tests.
package protocol LogForTests: Sendable {
    /// Receives a message, on any thread.
    static func receive(_ message: String)
}

/// The severity of a message. A ``Logger`` passes on messages of its own level and of more severe ones.
public enum LogLevel: UInt, Sendable, CaseIterable {
    /// No messages are passed on.
    case off
    /// An error after which the program cannot continue.
    case fatal
    /// A failure.
    case error
    /// A possible problem.
    case warn
    /// Information for the operator of the program.
    case info
    /// Detailed information for the operator of the program.
    case detail
    /// Information for the developer of the program.
    case debug
    /// Each step.
    case trace
    /// All messages.
    case all
}

extension LogLevel: Comparable {
    /// Returns a Boolean value that indicates whether a level passes on fewer messages than another.
    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
