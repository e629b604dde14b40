import Dispatch
import Foundation
import KivoEngine
import KivoLog

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reason why a request to etcd has no answer.
package enum EtcdFailure: Error, Sendable {
    /// The request was not sent, and so it was not carried out.
    case notSent(String)
    /// The request was sent, and its outcome is unknown.
    case unanswered(String)
    /// The server refused it.
    case refused(code: Int, String)

    /// The failure in words.
    var reason: String {
        switch self {
        case .notSent(let text), .unanswered(let text), .refused(_, let text): text
        }
    }

    /// The failure as an error of the log.
    var logError: CommitLogError {
        guard case .refused(let code, let reason) = self else { return .unavailable(reason) }
        // A name or a password that is missing or wrong is refused as an invalid argument.
        let isDenied =
            code == EtcdAnswer.unauthenticated || code == EtcdAnswer.permissionDenied
            || reason.contains("authentication failed") || reason.contains("user name is empty")
        return isDenied ? .accessDenied(reason) : .unavailable(reason)
    }
}

/// A client of the JSON gateway of an etcd cluster: one request at a time to one member, and the next member after a failure.
///
/// Thread-safe.
package final class EtcdClient: Sendable {
    private struct State: Sendable {
        /// The number of the member that is asked.
        var member = 0
        var token: String?
        var isClosed = false
    }

    /// The members, one of which is asked.
    package let endpoints: [URL]
    private let credentials: (@Sendable () throws -> EtcdOptions.Credentials)?
    private let session: URLSession
    #if os(Linux) || os(Android)
    private let sockets = EtcdSockets()
    #endif
    private let state = Lock(State())

    /// Creates a client, which connects with its first request.
    package init(
        _ endpoints: [URL], _ credentials: (@Sendable () throws -> EtcdOptions.Credentials)? = nil
    ) {
        precondition(!endpoints.isEmpty, "etcd has at least one endpoint")
        (self.endpoints, self.credentials) = (endpoints, credentials)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 8
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    /// The member that is asked next.
    var endpoint: URL { endpoints[state.withLock { $0.member } % endpoints.count] }

    /// Asks another member from now on, unless that has happened since `failed` was asked.
    func turn(from failed: URL) {
        state.withLock { state in
            if endpoints[state.member % endpoints.count] == failed { state.member += 1 }
        }
    }

    private func turn(from member: URL, after failure: EtcdFailure) {
        if case .refused = failure { return }
        turn(from: member)
    }

    /// The token of the user; nil if there is none.
    var token: String? { state.withLock { $0.token } }

    /// Releases the connections.
    package func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        session.invalidateAndCancel()
        #if os(Linux) || os(Android)
        sockets.close()
        #endif
    }

    /// Returns a request to a member, with what it needs to be let in.
    func request(_ url: URL, _ path: String, _ body: String) -> URLRequest {
        var request = URLRequest(url: url.appendingPathComponent("v3/" + path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token = state.withLock({ $0.token }) {
            request.setValue(token, forHTTPHeaderField: "Authorization")
        }
        request.httpBody = Data(body.utf8)
        return request
    }

    /// Sends a request to one member, once, and calls the completion with its answer.
    package func send(
        _ path: String, _ body: String, _ patience: EtcdPatience,
        _ completion: @escaping @Sendable (Result<EtcdAnswer, EtcdFailure>) -> Void
    ) {
        if credentials != nil, path != "auth/authenticate", state.withLock({ $0.token == nil }) {
            return authenticate(patience) { failure in
                if let failure { return completion(.failure(failure)) }
                self.sendOnce(path, body, patience, completion)
            }
        }
        sendOnce(path, body, patience) { [self] result in
            // A token lasts some minutes; nothing is carried out with one that has ended.
            guard credentials != nil, case .failure(.refused(let code, let reason)) = result,
                code == EtcdAnswer.unauthenticated || reason.contains("auth store is old")
            else { return completion(result) }
            state.withLock { $0.token = nil }
            authenticate(patience) { failure in
                if let failure { return completion(.failure(failure)) }
                self.sendOnce(path, body, patience, completion)
            }
        }
    }

    private func sendOnce(
        _ path: String, _ body: String, _ patience: EtcdPatience,
        _ completion: @escaping @Sendable (Result<EtcdAnswer, EtcdFailure>) -> Void
    ) {
        let member = endpoint
        #if os(Linux) || os(Android)
        if EtcdSocket.serves(member) {
            let (isClosed, token) = state.withLock { ($0.isClosed, $0.token) }
            if isClosed { return completion(.failure(.notSent("the log is closed"))) }
            return sockets.send(member, path, body, token: token, patience) { [self] result in
                if case .failure(let failure) = result { turn(from: member, after: failure) }
                completion(result)
            }
        }
        #endif
        var request = request(member, path, body)
        // The system restarts it with each byte.
        request.timeoutInterval = max(0.05, (patience.deadline - .now).inSeconds)
        let started = request
        // No task can be made in a session that has ended.
        let task = state.withLock { state -> URLSessionDataTask? in
            state.isClosed ? nil : session.dataTask(with: started, completionHandler: answered)
        }
        guard let task else { return completion(.failure(.notSent("the log is closed"))) }
        task.resume()
        if let end = patience.end {
            let rest = max(0, (end - .now).inSeconds)
            DispatchQueue.global().asyncAfter(deadline: .now() + rest) { [weak task] in task?.cancel() }
        }
        @Sendable func answered(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
            let result = EtcdAnswer.result(data, response, error)
            if case .failure(let failure) = result { turn(from: member, after: failure) }
            completion(result)
        }
    }

    private func authenticate(
        _ patience: EtcdPatience, _ completion: @escaping @Sendable (EtcdFailure?) -> Void
    ) {
        guard let credentials else { return completion(nil) }
        let user: EtcdOptions.Credentials
        do {
            user = try credentials()
        } catch {
            return completion(
                .refused(code: EtcdAnswer.unauthenticated, "there are no credentials: \(error)"))
        }
        let body = EtcdJSON.object([
            ("name", EtcdJSON.string(user.user)), ("password", EtcdJSON.string(user.password)),
        ])
        sendOnce("auth/authenticate", body, patience) { [self] result in
            switch result {
            case .failure(.unanswered(let reason)): completion(.notSent(reason))
            case .failure(let failure): completion(failure)
            case .success(let answer):
                guard let token = answer.json["token"] as? String else {
                    return completion(.refused(code: EtcdAnswer.unauthenticated, "no token was given"))
                }
                state.withLock { $0.token = token }
                completion(nil)
            }
        }
    }

    /// Sends a request that may be carried out more than once, until a member answers or the patience is over.
    ///
    /// - Throws: ``CommitLogError/unavailable(_:)`` or ``CommitLogError/accessDenied(_:)``.
    package func ask(_ path: String, _ body: String, _ patience: EtcdPatience) throws -> EtcdAnswer {
        var patience = patience
        var lastAttempt = patience.lastAttempt
        var pause = 0.002
        while true {
            let (begin, silence) = (ContinuousClock.now, patience.silence)
            let answer = Answer()
            send(path, body, patience) { answer.set($0) }
            switch answer.wait() {
            case .success(let found): return found
            case .failure(let failure):
                if case .refused = failure { throw failure.logError }
                if case .unanswered = failure {
                    // An attempt of that length has moved something, and is worth another one.
                    if .now - begin > silence * 2 { lastAttempt = max(lastAttempt, patience.lastAttempt) }
                    patience.prolong()
                }
                guard .now + .seconds(pause) < lastAttempt, !isClosed else {
                    throw failure.logError
                }
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, 0.2)
            }
        }
    }

    /// Sends a request that may be carried out more than once, until a member answers or a deadline has passed.
    ///
    /// - Throws: ``CommitLogError/unavailable(_:)`` or ``CommitLogError/accessDenied(_:)``.
    package func ask(
        _ path: String, _ body: String, until deadline: ContinuousClock.Instant
    ) throws -> EtcdAnswer { try ask(path, body, .until(max(deadline, .now + .milliseconds(50)))) }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    /// An answer for the thread that waits for it.
    private final class Answer: Sendable {
        private let result = Lock<Result<EtcdAnswer, EtcdFailure>?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)

        func set(_ answer: Result<EtcdAnswer, EtcdFailure>) {
            result.withLock { $0 = answer }
            semaphore.signal()
        }

        func wait() -> Result<EtcdAnswer, EtcdFailure> {
            semaphore.wait()
            return result.withLock { $0! }
        }
    }
}
