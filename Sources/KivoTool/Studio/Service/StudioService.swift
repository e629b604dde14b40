#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// The studio of a file: the server, the file that it shows, and the thread that follows the file.
///
/// All requests are served on one queue, one after the other: each reads only as much as a page shows. Exports and the queries of
/// tables, which read pinned versions, have queues of their own.
final class StudioService: Sendable {
    typealias Route = @Sendable (StudioService, StudioSession, HTTPRequest) throws -> HTTPResponse

    enum State: Sendable {
        case serving(StudioCore)
        /// The file is so damaged that nothing of it can be shown.
        case unreadable(String)
    }

    let server: HTTPServer
    let access: StudioAccess
    /// The name of the file that the page shows.
    let name: String
    let path: String
    /// The object that edits the file; nil if it is only looked at.
    let editor: StudioEditor?
    /// The files of the program, of which this is one.
    let files: StudioFiles
    let downloads = StudioDownloads()
    let state: Lock<State>
    let damage = Lock(StudioDamage())
    let newCommits: DispatchSemaphore
    private let isStopped = Lock(false)
    /// Called with the address of the page: at first, and again whenever it was used.
    private let announce: @Sendable (String) -> Void

    /// Opens a file and listens.
    ///
    /// - Parameters:
    ///   - name: The name of the file for the page, if another one is shown in its place.
    ///   - files: The files of the program, to which this one is added.
    ///   - port: The port; nil for the one that belongs to the file, or if that is taken, one that the system chooses.
    init(
        _ path: String, name: String? = nil, in files: StudioFiles = StudioFiles(), port: UInt16? = nil,
        isWritable: Bool = false, limits: HTTPServer.Limits = HTTPServer.Limits(),
        announce: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        newCommits = DispatchSemaphore(value: 0)
        state = Lock(.serving(try StudioCore(path, newCommits: newCommits)))
        let own = port == nil ? try? HTTPServer(port: StudioService.usualPort(of: path), limits: limits) : nil
        server = try own ?? HTTPServer(port: port ?? 0, limits: limits)
        access = StudioAccess(port: server.port)
        (self.path, self.name, self.files, self.announce) = (path, name ?? path, files, announce)
        editor = isWritable ? StudioEditor(path) : nil
        files.add(self)
    }

    /// The port that belongs to a file. A browser keeps what a person arranges by the port: so it is there again the next time.
    private static func usualPort(of path: String) -> UInt16 {
        let bytes = Array(URL(fileURLWithPath: path).standardizedFileURL.path.utf8)
        return 20_000 + UInt16(bytes.withUnsafeBytes { Checksum.of($0, seed: 0) } % 12_000)
    }

    /// Begins to serve and to follow the file. Call this once.
    func start() {
        server.start { [self] request, answer in respond(to: request, answer) }
        if let core = try? core { begin(core) }
        announce(access.address)
    }

    /// Ends everything. Call this once, after ``start()``.
    func stop() {
        isStopped.withLock { $0 = true }
        newCommits.signal()
        if let core = try? core {
            core.isEnded.wait()
            server.stop()
            core.queue.sync {}
        } else {
            server.stop()
        }
        downloads.removeAll()
        files.removeAll()
    }

    // MARK: The file

    /// The core that serves.
    ///
    /// - Throws: ``HTTPProblem`` if the file cannot be read.
    var core: StudioCore {
        get throws {
            switch state.withLock({ $0 }) {
            case .serving(let core): core
            case .unreadable(let message): throw HTTPProblem(.failed, message)
            }
        }
    }

    /// Calls `body` with the session of the core that serves.
    func withSession<Result: Sendable>(_ body: (StudioSession) throws -> Result) throws -> Result {
        try core.withSession(body)
    }

    /// Does work after all that was enqueued before, unless it is known that what it reads is damaged.
    func enqueue(_ work: StudioWork) {
        if let message = damage.withLock({ $0.subjects[work.subject] }) {
            return work.fail(HTTPProblem(.failed, message))
        }
        let message: String? = state.withLock { state in
            switch state {
            case .serving(let core):
                core.enqueue(work)
                return nil
            case .unreadable(let message): return message
            }
        }
        if let message { work.fail(HTTPProblem(.failed, message)) }
    }

    /// Serves from a core, and follows its file.
    func begin(_ core: StudioCore) {
        state.withLock { $0 = .serving(core) }
        let work = StudioWork(subject: "following", run: { [self] in follow($0) }, fail: { _ in })
        Thread.detachNewThread {
            work.perform(on: core)
            core.isEnded.signal()
        }
    }

    /// The least time, in seconds, between two readings of the file. Commits that come faster are read together: to wake up for each
    /// costs many times what reading it does.
    private static let pace = 0.003

    private func follow(_ core: StudioCore) {
        while !isStopped.withLock({ $0 }) {
            guard let isAnnounced = try? core.withSession({ $0.history.isAnnounced }) else { return }
            StudioSession.wait(newCommits, isAnnounced: isAnnounced)
            if isStopped.withLock({ $0 }) { return }
            // A file that cannot be read for a moment, because it is being replaced, is tried again.
            let news = try? core.withSession { session in
                let generation = session.generation
                let hasChanged = try session.follow()
                return (hasChanged: hasChanged, isOther: session.generation != generation)
            }
            guard news?.hasChanged == true else { continue }
            // The damage may be that of the former file.
            if news?.isOther == true { damage.withLock { $0.subjects = [:] } }
            server.poke()
            Thread.sleep(forTimeInterval: StudioService.pace)
        }
    }

    // MARK: Requests

    private func respond(to request: HTTPRequest, _ answer: @escaping HTTPServer.Answer) {
        let fail = { @Sendable (error: any Error) in
            answer(StudioService.response(to: error, isForPerson: !request.path.hasPrefix("/api/")))
        }
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
            enqueue(
                StudioWork(
                    subject: request.subject,
                    isWriting: ["/api/edit", "/api/undo"].contains(request.path) && editor != nil,
                    run: { [self] core in serve(request, from: core, answer, fail) }, fail: fail))
        } catch {
            fail(error)
        }
    }

    private static let nothing = HTTPProblem(.notFound, "There is nothing here.")

    /// Serves a request that may read the file; once more after a part of the past was read for it.
    private func serve(
        _ request: HTTPRequest, from core: StudioCore, isAgain: Bool = false,
        _ answer: @escaping HTTPServer.Answer, _ fail: @escaping @Sendable (any Error) -> Void
    ) {
        do {
            if request.path == "/api/live", request.method == .get {
                try live(request, core, answer)
            } else if request.path == "/api/find", request.method == .get {
                try find(request, core, answer)
            } else if request.path == "/api/past", request.method == .get {
                try past(request, core, answer)
            } else {
                answer(try response(to: request, core))
            }
        } catch let replay as StudioReplay where !isAgain {
            evaluate(request.subject, beside: core, fail) { [self, path] in
                let past = try replay.read(path)
                try core.withSession { $0.add(past) }
                enqueue(
                    StudioWork(
                        subject: request.subject,
                        run: { [self] core in serve(request, from: core, isAgain: true, answer, fail) },
                        fail: fail))
            }
        } catch {
            fail(error)
        }
    }

    /// Does what takes long beside all requests.
    func evaluate(
        _ subject: String, beside core: StudioCore, _ fail: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable () throws -> Void
    ) {
        let isFree = core.queryCount.withLock { count in
            guard count < StudioCore.largestQueryCount else { return false }
            count += 1
            return true
        }
        guard isFree else { return fail(HTTPProblem(.unavailable, "Other queries are still running.")) }
        let work = StudioWork(
            subject: subject,
            run: { core in
                let result = Result { try body() }
                core.queryCount.withLock { $0 -= 1 }
                if case .failure(let error) = result { fail(error) }
            }, fail: fail)
        core.queries.async { work.perform(on: core) }
    }

    private func response(to request: HTTPRequest, _ core: StudioCore) throws -> HTTPResponse {
        guard let route = StudioService.routes[request.path] else { throw StudioService.nothing }
        guard route.method == request.method else {
            throw HTTPProblem(.methodNotAllowed, "This path takes \(route.method.rawValue).")
        }
        return try core.withSession { try route.serve(self, $0, request) }
    }

    /// Returns the answer that says why a request failed: as JSON, or as a text for a person who opened an address.
    static func response(to error: any Error, isForPerson: Bool = false) -> HTTPResponse {
        let problem: HTTPProblem
        switch error {
        case let mistake as StudioQuery.Mistake:
            return HTTPResponse(.invalid, json: JSONText.line(mistake.write))
        case let some as HTTPProblem: problem = some
        case let some as Problem: problem = HTTPProblem(.failed, some.message)
        case is StudioCore.Abandoned, is StudioReplay:
            problem = HTTPProblem(.unavailable, "The file is being read. Try it again.")
        default:
            problem = HTTPProblem(.failed, (error as? any LocalizedError)?.errorDescription ?? "\(error)")
        }
        if !isForPerson { return HTTPResponse(problem) }
        return HTTPResponse(
            problem.status, type: "text/plain; charset=utf-8", Array((problem.message + "\n").utf8))
    }

    /// Answers with the secret that a token is exchanged for.
    private func exchange(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.method == .post else { throw HTTPProblem(.methodNotAllowed, "This path takes POST.") }
        guard let (secret, wasPrinted) = access.exchange(JSONValue(request.body)?["token"]?.string ?? "")
        else {
            throw HTTPProblem(
                .forbidden, "This address was used already. The terminal has a new one for another browser.")
        }
        if wasPrinted { announce(access.address) }
        return HTTPResponse(json: JSONText.line { $0.member("secret", secret) })
    }

    /// All paths besides those of the page.
    private static let routes: [String: (method: HTTPRequest.Method, serve: Route)] = [
        "/api/file": (.get, { try $0.file($1, $2) }),
        "/api/files": (.get, { try $0.files($1, $2) }),
        "/api/open": (.post, { try $0.open($1, $2) }),
        "/api/class": (.get, { try $0.someClass($1, $2) }),
        "/api/sizes": (.get, { try $0.sizes($1, $2) }),
        "/api/rows": (.get, { try $0.rows($1, $2) }),
        "/api/keys": (.get, { try $0.keys($1, $2) }),
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
