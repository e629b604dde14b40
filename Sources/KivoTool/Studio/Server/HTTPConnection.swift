#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation

/// A connection of a client: the part of a request that was received, and the part of a response that was not sent yet.
struct HTTPConnection {
    private enum State {
        /// A request is awaited.
        case receiving
        /// The handler works on a request.
        case handling
        case responding
        case streaming(any HTTPStream)
    }

    /// The next request of a connection.
    enum Next {
        case none
        case request(HTTPRequest)
        case refused(HTTPProblem)
        case close
    }

    let socket: SystemSocket
    private var state = State.receiving
    private var parser = HTTPRequestParser()
    private var output: [UInt8] = []
    private var sent = 0
    private var closesAfterOutput = false
    private var isPersistent = true
    private var isHead = false
    private var hadRequest = false
    /// Whether a piece is being produced.
    private var isProducing = false
    /// The time at which the stream is asked for its next piece, once it has produced the last one and the client has taken it.
    var nextPiece: Double?
    /// The time since which the connection is in its state, or at which bytes last moved.
    private(set) var since = HTTPLoop.now

    init(_ socket: SystemSocket) { self.socket = socket }

    private var hasOutput: Bool { sent < output.count }
    /// The time at which the stream is asked for its next piece; nil while it must not be asked.
    var pieceTime: Double? { isProducing || hasOutput ? nil : nextPiece }
    var isStreaming: Bool { if case .streaming = state { true } else { false } }
    /// Whether the connection waits for a request.
    var isIdle: Bool { if case .receiving = state { !hasOutput } else { false } }

    /// The events of the socket for which the loop has to wait.
    var events: Int16 {
        var events: Int32 = 0
        switch state {
        // Bytes from the client of a stream are not expected: they, and its end, end the stream.
        case .receiving, .streaming: events |= Int32(POLLIN)
        case .handling, .responding: break
        }
        if hasOutput { events |= Int32(POLLOUT) }
        return Int16(events)
    }

    /// The time at which the connection is closed unless something happens.
    func deadline(_ limits: HTTPServer.Limits) -> Double {
        if hasOutput { return since + limits.stall }
        switch state {
        case .receiving: return since + (hadRequest && !parser.isWithinRequest ? limits.idle : limits.request)
        case .handling, .responding, .streaming: return .infinity
        }
    }

    /// Reads what has arrived. Returns false if the connection has ended.
    mutating func receive() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { buffer in
            var total = 0
            // A client that sends without pause must not keep the loop.
            while total < 1 << 18 {
                switch socket.read(into: buffer) {
                case .blocked: return true
                case .ended: return false
                case .bytes(let count):
                    if isStreaming { return false }
                    if !parser.isWithinRequest { since = HTTPLoop.now }
                    parser.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    total += count
                }
            }
            return true
        }
    }

    /// Writes as much as the client takes. Returns false if the connection has ended.
    mutating func transmit() -> Bool {
        while hasOutput {
            let result = output.withUnsafeBytes {
                socket.write(UnsafeRawBufferPointer(rebasing: $0[sent...].prefix(1 << 17)))
            }
            switch result {
            case .blocked: return true
            case .ended: return false
            case .bytes(let count):
                sent += count
                since = HTTPLoop.now
            }
        }
        (output, sent) = ([], 0)
        if closesAfterOutput { return false }
        switch state {
        case .responding: state = .receiving
        case .streaming: if !isProducing, nextPiece == nil { nextPiece = 0 }
        case .receiving, .handling: break
        }
        return true
    }

    /// Returns the next request, if it is complete and the one before is answered.
    mutating func nextRequest() -> Next {
        guard case .receiving = state, !hasOutput else { return .none }
        do throws(HTTPProblem) {
            guard let request = try parser.next() else { return .none }
            (hadRequest, isPersistent, isHead) = (true, request.isPersistent, request.method == .head)
            state = .handling
            return .request(request)
        } catch {
            return .refused(error)
        }
    }

    mutating func respond(_ response: HTTPResponse, andCloses closes: Bool = false) {
        closesAfterOutput = closes || !isPersistent
        output += response.head(isPersistent: !closesAfterOutput)
        since = HTTPLoop.now
        switch response.body {
        case .bytes(let bytes):
            if !isHead { output += bytes }
            state = .responding
        case .stream(let stream):
            if isHead {
                stream.close()
                state = .responding
                return
            }
            // The end of the stream decides when the connection is closed.
            closesAfterOutput = false
            state = .streaming(stream)
        }
    }

    /// Returns the stream, if it may produce a piece now.
    mutating func beginPiece() -> (any HTTPStream)? {
        guard case .streaming(let stream) = state, !isProducing, !hasOutput else { return nil }
        isProducing = true
        nextPiece = nil
        return stream
    }

    /// Takes a piece that the stream has produced.
    mutating func take(_ piece: HTTPPiece) {
        guard case .streaming(let stream) = state else { return }
        isProducing = false
        switch piece {
        case .nothing(let milliseconds):
            // A poke while the piece was produced counts.
            if nextPiece == nil { nextPiece = HTTPLoop.now + Double(milliseconds) / 1000 }
        case .bytes(let bytes): append(bytes)
        case .last(let bytes):
            append(bytes)
            end(stream)
        case .end: end(stream)
        case .broken:
            stream.close()
            state = .responding
            closesAfterOutput = true
        }
    }

    private mutating func append(_ bytes: [UInt8]) {
        since = HTTPLoop.now
        output += Array((String(bytes.count, radix: 16) + "\r\n").utf8)
        output += bytes
        output += [13, 10]
    }

    private mutating func end(_ stream: any HTTPStream) {
        since = HTTPLoop.now
        output += Array("0\r\n\r\n".utf8)
        stream.close()
        state = .responding
        closesAfterOutput = !isPersistent
    }

    /// Closes the socket, and the stream if there is one.
    func close(discardingOutput: Bool) {
        if discardingOutput, hasOutput { socket.abort() } else { socket.close() }
        if case .streaming(let stream) = state { stream.close() }
    }
}
#endif
