import Dispatch
import Foundation
import KivoEngine

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A watch of ranges of keys: the lines of an answer that has no end, for the thread that waits for them.
package final class EtcdWatch: NSObject, URLSessionDataDelegate, Sendable {
    /// An item that the waiting thread receives.
    package enum Line: Sendable {
        /// The answer of the request, or some events.
        case text(Data)
        /// The time limit passed without a line.
        case none
        /// Another thread has asked for a check.
        case check
        /// The answer has ended.
        case end(String)
    }

    private struct State: Sendable {
        var rest = Data()
        /// The lines that have arrived, and before them those that are delivered next, the first one last.
        var lines: [Data] = []
        var next: [Data] = []
        /// The number of bytes of all of them.
        var count = 0
        /// Whether the receiving thread waits until lines are delivered.
        var isFull = false
        var end: String?
        var isCheckDue = false
        var session: URLSession?
        #if os(Linux) || os(Android)
        var socket: EtcdSocket?
        #endif
        var isCancelled = false
    }

    private let state = Lock(State())
    private let news = DispatchSemaphore(value: 0)
    /// Signalled when lines were taken by the waiting thread.
    private let room = DispatchSemaphore(value: 0)
    /// The number of bytes that may wait. More are left to the connection, and so to etcd.
    private static let capacity = 16 << 20

    /// Creates a watch that has not begun.
    package override init() {}

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - client: The client, with the token of its user.
    ///   - member: The member that is asked.
    ///   - body: The request.
    package func begin(_ client: EtcdClient, _ member: URL, _ body: String) {
        #if os(Linux) || os(Android)
        if EtcdSocket.serves(member) {
            let token = client.token
            return Thread.detachNewThread { [self] in
                do {
                    try receive(member, body, token: token)
                    end("the watch has ended")
                } catch { end((error as? EtcdFailure)?.reason ?? "\(error)") }
            }
        }
        #endif
        begin(client.request(member, "watch", body))
    }

    #if os(Linux) || os(Android)
    private func receive(_ member: URL, _ body: String, token: String?) throws {
        let socket = try EtcdSocket.connect(member, .until(.now + .seconds(5)))
        let isCancelled = state.withLock { state in
            state.socket = socket
            return state.isCancelled
        }
        if isCancelled { return }
        try socket.send(member, "watch", body, token: token, .until(.now + .seconds(5)))
        let (status, length) = try socket.head(.until(.now + .seconds(10), silence: .seconds(5)))
        guard status == 200, length == nil else { return }
        while true {
            let chunk = try socket.chunk(nil)
            if chunk.isEmpty { return }
            take(Data(chunk))
        }
    }
    #endif

    private func begin(_ request: URLRequest) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        // A watch is silent until the next write.
        configuration.timeoutIntervalForRequest = 1e6
        configuration.timeoutIntervalForResource = 1e7
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        state.withLock { $0.session = session }
        var request = request
        request.timeoutInterval = 1e6
        session.dataTask(with: request).resume()
    }

    /// Ends the watch. The session retains its delegate until then.
    package func cancel() {
        #if os(Linux) || os(Android)
        let socket = state.withLock { state in
            state.isCancelled = true
            return state.socket
        }
        socket?.cancel()
        #endif
        let session = state.withLock { state in
            state.isCancelled = true
            return state.session
        }
        room.signal()
        session?.invalidateAndCancel()
    }

    /// Returns the next line, and waits for it some time.
    package func next(atMost time: Duration) -> Line {
        let end = ContinuousClock.now + time
        while true {
            let line = state.withLock { state -> Line? in
                if state.next.isEmpty { (state.next, state.lines) = (state.lines.reversed(), []) }
                if let line = state.next.popLast() {
                    state.count -= line.count
                    if state.isFull { room.signal() }
                    return .text(line)
                }
                if let end = state.end { return .end(end) }
                defer { state.isCheckDue = false }
                return state.isCheckDue ? .check : nil
            }
            if let line { return line }
            let rest = end - .now
            if rest <= .zero { return .none }
            if news.wait(timeout: .now() + rest.inSeconds) == .timedOut { return .none }
        }
    }

    /// Lets the waiting thread check the cluster now.
    func checkSoon() {
        state.withLock { $0.isCheckDue = true }
        news.signal()
    }

    package func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) { take(data) }

    /// Takes bytes, and waits while the lines before them fill the memory that they may have.
    private func take(_ data: Data) {
        while state.withLock({ state in
            state.isFull = state.count > EtcdWatch.capacity && !state.isCancelled
            return state.isFull
        }) { room.wait() }
        state.withLock { state in
            var data = data
            while let end = data.firstIndex(of: UInt8(ascii: "\n")) {
                let line = state.rest + data[..<end]
                state.rest = Data()
                if !line.isEmpty {
                    state.lines.append(line)
                    state.count += line.count
                }
                data = data[(end + 1)...]
            }
            state.rest.append(data)
        }
        news.signal()
    }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        end(error?.localizedDescription ?? "the watch has ended")
    }

    private func end(_ reason: String) {
        state.withLock { $0.end = reason }
        news.signal()
    }
}
