import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The signals by which a server is asked to end: from a container or service manager, and from the keyboard.
struct Signals {
    private let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// From here on these signals do not end the program.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
        // A client that is gone makes a call fail, and does not end the program.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Suspends until the first of them arrives.
    func first() async {
        for await _ in stream { return }
    }

    /// Sends this program the signal by which a service manager ends it.
    static func terminate() { kill(getpid(), SIGTERM) }
}
