#if os(Linux) || os(Android)
import Dispatch
import Foundation
import KivoEngine

/// The connections with the members. Thread-safe.
final class EtcdSockets: Sendable {
    private struct State: Sendable {
        /// The connections that are in no request.
        var idle: [URL: [EtcdSocket]] = [:]
        /// The others.
        var active: [ObjectIdentifier: EtcdSocket] = [:]
        var isClosed = false
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "Kivo: requests to etcd", attributes: .concurrent)

    /// Sends a request, and calls the completion with the answer, on another thread.
    func send(
        _ url: URL, _ path: String, _ body: String, token: String?, _ patience: EtcdPatience,
        _ completion: @escaping @Sendable (Result<EtcdAnswer, EtcdFailure>) -> Void
    ) {
        queue.async { [self] in
            let result = Result { () throws(EtcdFailure) in
                let socket: EtcdSocket
                if let kept = take(url) { socket = kept } else { socket = try .connect(url, patience) }
                guard begin(socket) else { throw .notSent("the log is closed") }
                defer { state.withLock { _ = $0.active.removeValue(forKey: ObjectIdentifier(socket)) } }
                try socket.send(url, path, body, token: token, patience)
                let (status, bytes) = try socket.answer(patience)
                state.withLock { $0.idle[url, default: []].append(socket) }
                return try EtcdAnswer.result(Data(bytes), status: status).get()
            }
            completion(result)
        }
    }

    private func take(_ url: URL) -> EtcdSocket? {
        while let socket = state.withLock({ $0.idle[url]?.popLast() }) {
            if !socket.isStale { return socket }
        }
        return nil
    }

    private func begin(_ socket: EtcdSocket) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.active[ObjectIdentifier(socket)] = socket }
            return !state.isClosed
        }
    }

    /// Ends all requests, and closes the connections.
    func close() {
        let active = state.withLock { state in
            (state.isClosed, state.idle) = (true, [:])
            return Array(state.active.values)
        }
        for socket in active { socket.cancel() }
    }
}
#endif
