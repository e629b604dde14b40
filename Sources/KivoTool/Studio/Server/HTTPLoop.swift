#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation

/// The loop of a server: it waits for sockets and messages, and moves bytes. Only the thread of the loop uses it.
struct HTTPLoop {
    private let listener: SystemSocket
    private let pipe: WakePipe
    private let limits: HTTPServer.Limits
    private unowned let server: HTTPServer
    private let handler: HTTPServer.Handler
    private var connections: [UInt64: HTTPConnection] = [:]
    private var lastID: UInt64 = 0
    private var isStopped = false

    init(
        _ listener: SystemSocket, _ pipe: WakePipe, _ limits: HTTPServer.Limits, server: HTTPServer,
        _ handler: @escaping HTTPServer.Handler
    ) {
        (self.listener, self.pipe, self.limits) = (listener, pipe, limits)
        (self.server, self.handler) = (server, handler)
    }

    /// The seconds of a clock that never goes back.
    static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    mutating func run() {
        var waiting: [pollfd] = []
        while !isStopped {
            let now = HTTPLoop.now
            let ids = Array(connections.keys)
            waiting.removeAll(keepingCapacity: true)
            waiting.append(pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0))
            waiting.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
            var next = now + 60
            for id in ids {
                let connection = connections[id]!
                waiting.append(
                    pollfd(fd: connection.socket.descriptor, events: connection.events, revents: 0))
                next = min(next, connection.deadline(limits), connection.pieceTime ?? next)
            }
            let timeout = Int32(min(60_000, max(0, ((next - now) * 1000).rounded(.up))))
            guard poll(&waiting, nfds_t(waiting.count), timeout) >= 0 || errno == EINTR else { break }
            if waiting[0].revents != 0 {
                pipe.drain()
                for message in server.takeMessages() { take(message) }
            }
            for (id, ready) in zip(ids, waiting.dropFirst(2)) where ready.revents != 0 {
                serve(id, ready.revents)
            }
            if waiting[1].revents != 0 { acceptAll() }
            closeOverdue()
            askStreams()
        }
        for id in Array(connections.keys) { close(id) }
    }

    private mutating func take(_ message: HTTPServer.Message) {
        switch message {
        case .stop: isStopped = true
        case .poke:
            for (id, connection) in connections where connection.isStreaming {
                connections[id]!.nextPiece = 0
            }
        case .response(let id, let response):
            // The client may be gone; its stream still has to be closed.
            guard connections[id] != nil else { return response.body.close() }
            connections[id]!.respond(response)
            progress(id)
        case .piece(let id, let piece):
            guard connections[id] != nil else { return }
            connections[id]!.take(piece)
            progress(id)
        }
    }

    private mutating func serve(_ id: UInt64, _ events: Int16) {
        guard connections[id] != nil else { return }
        if events & Int16(POLLIN) != 0, !connections[id]!.receive() { return close(id) }
        if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0, events & Int16(POLLIN) == 0 { return close(id) }
        progress(id)
    }

    /// Writes what can be written, and passes on the next request.
    private mutating func progress(_ id: UInt64) {
        while connections[id] != nil {
            guard connections[id]!.transmit() else { return close(id) }
            switch connections[id]!.nextRequest() {
            case .none: return
            case .close: return close(id)
            case .refused(let problem): connections[id]!.respond(HTTPResponse(problem), andCloses: true)
            case .request(let request):
                handler(request) { [server] response in server.send(.response(id, response)) }
                return
            }
        }
    }

    private mutating func acceptAll() {
        while let socket = listener.accepted() {
            // A client that sends nothing must not lock out others.
            if connections.count >= limits.connections {
                let idle = connections.filter { $0.value.isIdle }.min { $0.value.since < $1.value.since }
                guard let idle else {
                    socket.close()
                    continue
                }
                close(idle.key)
            }
            lastID += 1
            connections[lastID] = HTTPConnection(socket)
        }
    }

    private mutating func closeOverdue() {
        let now = HTTPLoop.now
        for (id, connection) in connections where connection.deadline(limits) <= now {
            close(id, discardingOutput: true)
        }
    }

    /// Lets the streams whose clients have taken everything produce their next pieces.
    private mutating func askStreams() {
        let now = HTTPLoop.now
        for id in Array(connections.keys) {
            guard let next = connections[id]!.pieceTime, next <= now,
                let stream = connections[id]!.beginPiece()
            else { continue }
            stream.produce { [server] piece in server.send(.piece(id, piece)) }
        }
    }

    private mutating func close(_ id: UInt64, discardingOutput: Bool = false) {
        connections.removeValue(forKey: id)?.close(discardingOutput: discardingOutput)
    }
}
#endif
