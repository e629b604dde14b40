#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine

/// The studio of a file: the server, the file that it shows, and the thread that follows the file.
///
/// All requests are served on one queue, one after the other: each reads only as much as a page shows. Exports and the queries of
/// tables, which read pinned versions, have queues of their own.
final class StudioService: Sendable {
    typealias Route = @Sendable (StudioService, StudioSession, HTTPRequest) throws -> HTTPResponse

    let server: HTTPServer
    let access: StudioAccess
    /// The name of the file that the page shows.
    let name: String
    let path: String
    /// The object that edits the file; nil if it is only looked at.
    let editor: StudioEditor?
    let queue = DispatchQueue(label: "kivo.studio")
    let downloads = StudioDownloads()
    /// The queue on which queries of tables are evaluated, and their number.
    let queries = DispatchQueue(label: "kivo.studio.queries", attributes: .concurrent)
    let queryCount = Lock(0)
    static let largestQueryCount = 8
    private let session: Lock<StudioSession>
    private let newCommits: DispatchSemaphore
    private let isStopped = Lock(false)
    private let isEnded = DispatchSemaphore(value: 0)
    /// Called with the address of the page: at first, and again whenever it was used.
    private let announce: @Sendable (String) -> Void

    /// Opens a file and listens.
    ///
    /// - Parameters:
    ///   - name: The name of the file for the page, if another one is shown in its place.
    ///   - port: The port; 0 lets the system choose.
    init(
        _ path: String, name: String? = nil, port: UInt16 = 0, isWritable: Bool = false,
        limits: HTTPServer.Limits = HTTPServer.Limits(),
        announce: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        let newCommits = DispatchSemaphore(value: 0)
        self.newCommits = newCommits
        session = Lock(try StudioSession(path, newCommits: newCommits))
        server = try HTTPServer(port: port, limits: limits)
        access = StudioAccess(port: server.port)
        (self.path, self.name, self.announce) = (path, name ?? path, announce)
        editor = isWritable ? StudioEditor(path) : nil
    }

    /// Begins to serve and to follow the file. Call this once.
    func start() {
        server.start { [self] request, answer in
            queue.async { [self] in respond(to: request, answer) }
        }
        Thread.detachNewThread { [self] in
            followFile()
            isEnded.signal()
        }
        announce(access.address)
    }

    /// Ends everything. Call this once, after ``start()``.
    func stop() {
        isStopped.withLock { $0 = true }
        newCommits.signal()
        isEnded.wait()
        server.stop()
        queue.sync {}
        downloads.removeAll()
    }

    /// Calls `body` with the session, which nothing else uses meanwhile.
    func withSession<Result: Sendable>(_ body: (StudioSession) throws -> Result) rethrows -> Result {
        try session.withLock { session in
            let session = session
            return try body(session)
        }
    }

    /// The least time, in seconds, between two readings of the file. Commits that come faster are read together: to wake up for each
    /// costs many times what reading it does.
    private static let pace = 0.003

    private func followFile() {
        while !isStopped.withLock({ $0 }) {
            StudioSession.wait(newCommits, isAnnounced: withSession { $0.history.isAnnounced })
            if isStopped.withLock({ $0 }) { return }
            // A file that cannot be read for a moment, because it is being replaced, is tried again.
            guard (try? withSession { try $0.follow() }) == true else { continue }
            server.poke()
            Thread.sleep(forTimeInterval: StudioService.pace)
        }
    }

    // MARK: Requests

    private func respond(to request: HTTPRequest, _ answer: @escaping HTTPServer.Answer) {
        do {
            try access.checkHost(request)
            if let asset = StudioPage.asset(request.path) {
                if request.method == .post { throw HTTPProblem(.methodNotAllowed, "This is only read.") }
                return answer(HTTPResponse(type: asset.type, asset.bytes))
            }
            if let export = downloads.take(request) { return answer(export) }
            try access.checkOrigin(request)
            if request.path == "/api/session" { return answer(try exchange(request)) }
            guard request.path.hasPrefix("/api/") else { throw StudioService.nothing }
            try access.checkSecret(request)
            if request.path == "/api/live", request.method == .get { return live(request, answer) }
            answer(try response(to: request))
        } catch {
            answer(StudioService.response(to: error, isForPerson: !request.path.hasPrefix("/api/")))
        }
    }

    private static let nothing = HTTPProblem(.notFound, "There is nothing here.")

    private func response(to request: HTTPRequest) throws -> HTTPResponse {
        guard let route = StudioService.routes[request.path] else { throw StudioService.nothing }
        guard route.method == request.method else {
            throw HTTPProblem(.methodNotAllowed, "This path takes \(route.method.rawValue).")
        }
        return try withSession { try route.serve(self, $0, request) }
    }

    /// Returns the answer that says why a request failed: as JSON, or as a text for a person who opened an address.
    static func response(to error: any Error, isForPerson: Bool = false) -> HTTPResponse {
        let problem =
            switch error {
            case let problem as HTTPProblem: problem
            case let problem as Problem: HTTPProblem(.failed, problem.message)
            default: HTTPProblem(.failed, (error as? any LocalizedError)?.errorDescription ?? "\(error)")
            }
        if !isForPerson { return HTTPResponse(problem) }
        return HTTPResponse(
            problem.status, type: "text/plain; charset=utf-8", Array((problem.message + "\n").utf8))
    }

    /// Answers with the secret that a token is exchanged for.
    private func exchange(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.method == .post else { throw HTTPProblem(.methodNotAllowed, "This path takes POST.") }
        guard let secret = access.exchange(JSONValue(request.body)?["token"]?.string ?? "") else {
            throw HTTPProblem(
                .forbidden, "This address was used already. The terminal has a new one for another browser.")
        }
        announce(access.address)
        return HTTPResponse(json: JSONText.line { $0.member("secret", secret) })
    }

    /// All paths besides those of the page.
    private static let routes: [String: (method: HTTPRequest.Method, serve: Route)] = [
        "/api/file": (.get, { try $0.file($1, $2) }),
        "/api/sizes": (.get, { try $0.sizes($1, $2) }),
        "/api/rows": (.get, { try $0.rows($1, $2) }),
        "/api/position": (.get, { try $0.position($1, $2) }),
        "/api/object": (.get, { try $0.object($1, $2) }),
        "/api/choices": (.get, { try $0.choices($1, $2) }),
        "/api/elements": (.get, { try $0.elements($1, $2) }),
        "/api/value": (.get, { try $0.value($1, $2) }),
        "/api/check": (.get, { try $0.check($1, $2) }),
        "/api/schema.svg": (.get, { try $0.schema($1, $2) }),
        "/api/history": (.get, { try $0.commits($1, $2) }),
        "/api/commit": (.get, { try $0.commit($1, $2) }),
        "/api/pause": (.post, { try $0.pause($1, $2) }),
        "/api/export": (.post, { try $0.export($1, $2) }),
        "/api/edit": (.post, { try $0.edit($1, $2) }),
        "/api/undo": (.post, { try $0.undo($1, $2) }),
    ]
}
#endif
