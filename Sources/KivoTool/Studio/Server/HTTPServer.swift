#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import KivoEngine

/// A small server of HTTP/1.1 on the loopback interface.
///
/// One thread waits for all sockets. Requests are passed to a handler, which answers on any thread. Clients cannot hold anything:
/// what they send is bounded, and what they do not take is not produced.
final class HTTPServer: Sendable {
    typealias Answer = @Sendable (HTTPResponse) -> Void
    typealias Handler = @Sendable (HTTPRequest, @escaping Answer) -> Void

    /// The limits of connections.
    struct Limits: Sendable {
        var connections = 256
        /// The seconds in which a request must arrive, from its beginning or that of the connection.
        var request = 10.0
        /// The seconds for which a connection stays open without a request.
        var idle = 60.0
        /// The seconds in which a client must take some bytes, if there are any.
        var stall = 20.0
    }

    /// The messages of other threads to the loop.
    enum Message: Sendable {
        case response(UInt64, HTTPResponse)
        case piece(UInt64, HTTPPiece)
        /// Streams may have something new.
        case poke
        case stop
    }

    /// The port on which the server listens.
    let port: UInt16
    private let socket: SystemSocket
    private let pipe: WakePipe
    private let limits: Limits
    private let mailbox = Lock<[Message]>([])
    private let ended = DispatchSemaphore(value: 0)

    /// Listens on a port; on one that the system chooses if it is 0.
    init(port: UInt16, limits: Limits = Limits()) throws {
        (socket, self.port) = try SystemSocket.listening(port: port)
        pipe = try WakePipe()
        self.limits = limits
    }

    /// Begins to serve requests. Call this once.
    func start(_ handler: @escaping Handler) {
        Thread.detachNewThread { [self] in
            var loop = HTTPLoop(socket, pipe, limits, server: self, handler)
            loop.run()
            ended.signal()
        }
    }

    /// Closes all connections. Call this once, after ``start(_:)``.
    func stop() {
        send(.stop)
        ended.wait()
        socket.close()
        pipe.close()
    }

    /// Tells the loop that streams may have something new.
    func poke() { send(.poke) }

    func send(_ message: Message) {
        mailbox.withLock { $0.append(message) }
        pipe.wake()
    }

    func takeMessages() -> [Message] {
        mailbox.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
#endif
