#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine

extension StudioService {
    /// Answers with the stream of events of a table of the page, or of none. Queries are evaluated beside all other requests.
    func live(_ request: HTTPRequest, _ core: StudioCore, _ answer: @escaping HTTPServer.Answer) throws {
        guard let opening = try core.withSession({ try begin(request, $0) }) else {
            return answer(stream(nil, of: "", core))
        }
        if opening.isImmediate { return answer(try stream(opening.open(), core)) }
        let fail = { @Sendable (error: any Error) in
            try? core.withSession { _ in opening.history.unpin(opening.version) }
            answer(StudioService.response(to: error))
        }
        evaluate(opening.some.name, beside: core, fail) { [self] in
            answer(try stream(opening.open(), core))
        }
    }

    private func stream(_ view: Int?, of subject: String, _ core: StudioCore) -> HTTPResponse {
        HTTPResponse(
            type: "text/event-stream; charset=utf-8", StudioLive(self, core, view: view, subject: subject))
    }

    /// Returns the stream of the events of a view that was opened.
    private func stream(_ view: StudioView, _ core: StudioCore) throws -> HTTPResponse {
        try core.withSession { session in
            session.add(view)
            return stream(view.id, of: view.some.name, core)
        }
    }

    private func begin(_ request: HTTPRequest, _ session: StudioSession) throws -> StudioViewOpening? {
        guard let name = request.query["class"] else { return nil }
        return try session.begin(name, at: request.commit) {
            (try StudioQuery.compile(request, $0, $1), StudioQuery.numbers(request, $0))
        }
    }

    /// Holds a view at its version, or lets it go on.
    func pause(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        guard let body = JSONValue(request.body), let id = body["view"]?.int,
            let isPaused = body["isPaused"]?.bool
        else { throw HTTPProblem(.badRequest, "The body has no 'view' and 'isPaused'.") }
        try session.view(id).isPaused = isPaused
        server.poke()
        return HTTPResponse(json: JSONText.line { $0.member("isPaused", isPaused) })
    }
}

/// The server-sent events of one page.
///
/// An event is made when the page has taken the one before, and covers all commits since: a slow page gets fewer events, not more
/// to read. Between two events lie at least some milliseconds, because a screen cannot show more.
final class StudioLive: HTTPStream {
    private let service: StudioService
    private let core: StudioCore
    private let view: Int?
    /// The class of the view.
    private let subject: String
    private let state = Lock(State())

    private struct State {
        var hasBegun = false
        var isEnded = false
        /// The number of commits when the last event was made.
        var number: UInt64 = 0
        var generation = 0
        var lastEvent = 0.0
        var lastSummary = 0.0
        /// What the page knows of the file.
        var known = Known()
        /// The number of commits that the page knows of, while it is paused.
        var isPaused = false
    }

    /// What a page knows of the file: when it is other, an event says so.
    private struct Known: Equatable {
        var counts: [Int] = []
        var bytes = 0
        var commit: UInt64 = 0
        var isGone = false
    }

    /// The milliseconds between two events, between two summaries of the file, and between signs of life.
    private static let (pace, summaryPace, alive) = (16, 250, 15_000)

    init(_ service: StudioService, _ core: StudioCore, view: Int?, subject: String) {
        (self.service, self.core, self.view, self.subject) = (service, core, view, subject)
    }

    func produce(_ take: @escaping @Sendable (HTTPPiece) -> Void) {
        service.enqueue(
            StudioWork(
                subject: subject, run: { [self] _ in take(next()) },
                fail: { problem in
                    take(StudioLive.event("problem", isLast: true) { $0.member("message", problem.message) })
                }))
    }

    func close() {
        guard let view else { return }
        core.queue.async { [core] in
            try? core.withSession { session in if let view = try? session.view(view) { session.close(view) } }
        }
    }

    private func next() -> HTTPPiece {
        let piece = try? core.withSession { session in
            state.withLock { state in
                var text = JSONText()
                let piece = next(session, &state, &text)
                return piece
            }
        }
        // The page asks for another stream, which belongs to the core that serves.
        return piece ?? .end
    }

    private func next(_ session: StudioSession, _ state: inout State, _ text: inout JSONText) -> HTTPPiece {
        if state.isEnded { return .end }
        let now = HTTPLoop.now
        let view = self.view.flatMap { try? session.view($0) }
        if !state.hasBegun {
            state.hasBegun = true
            // There may be newer commits: the query was evaluated meanwhile.
            state.number = view?.number ?? session.recent.number
            state.generation = view?.generation ?? session.generation
            state.known = known(session)
            (state.lastEvent, state.lastSummary) = (now, now)
            return StudioLive.event("begin") { json in
                json.member("view", view?.id)
                json.member("generation", session.schemaGeneration)
                json.member("count", view?.count)
                json.member("version", view.map { Int(clamping: $0.version) })
                json.member("commit", Int(clamping: view?.number ?? session.recent.number))
                if let view { view.numbers.write(view.values, to: &json) }
            }
        }
        if session.generation != state.generation || view.map(session.isCurrent) == false {
            state.isEnded = true
            return StudioLive.event("reset") { _ in }
        }
        if session.recent.number == state.number, state.isPaused == view?.isPaused ?? false {
            let waited = Int((now - state.lastEvent) * 1000)
            if waited >= StudioLive.alive {
                state.lastEvent = now
                return .bytes(Array(": alive\n\n".utf8))
            }
            return summary(session, &state, now) ?? .nothing(milliseconds: StudioLive.alive - waited)
        }
        let waited = Int((now - state.lastEvent) * 1000)
        if waited < StudioLive.pace { return .nothing(milliseconds: StudioLive.pace - waited) }
        state.isPaused = view?.isPaused ?? false
        if let view, !view.isFrozen {
            if view.isPaused {
                if let piece = pending(session, view, &state, now) { return piece }
                return .nothing(milliseconds: StudioLive.summaryPace)
            }
            let commits = session.recent.number - min(view.number, session.recent.number)
            state.number = session.recent.number
            if let update = view.advance(number: session.recent.number), !update.isEmpty {
                state.lastEvent = now
                return StudioLive.event("change") { view.write(update, commits: commits, to: &$0) }
            }
        }
        state.number = session.recent.number
        return summary(session, &state, now) ?? .nothing(milliseconds: StudioLive.summaryPace)
    }

    private func known(_ session: StudioSession) -> Known {
        Known(
            counts: session.classes.map { session.history.snapshot.table($0.table).count },
            bytes: session.history.size, commit: session.recent.number, isGone: session.isGone)
    }

    /// Returns the event with the counts of all classes and the newest commits, if the page does not know them and the last one is not
    /// recent.
    private func summary(_ session: StudioSession, _ state: inout State, _ now: Double) -> HTTPPiece? {
        let known = known(session)
        guard known != state.known else { return nil }
        let rest = StudioLive.summaryPace - Int((now - state.lastSummary) * 1000)
        if rest > 0 { return .nothing(milliseconds: rest) }
        (state.known, state.lastSummary) = (known, now)
        return StudioLive.event("file") { json in
            json.member("commit", Int(clamping: known.commit))
            json.member("bytes", known.bytes)
            json.member("isGone", known.isGone)
            json.name("counts")
            json.object { json in
                for (some, count) in zip(session.classes, known.counts) { json.member(some.name, count) }
            }
            json.name("commits")
            json.array { json in
                for commit in session.recent.summaries.suffix(20).reversed() {
                    json.object { commit.write(to: &$0) }
                }
            }
        }
    }

    /// Returns the event that says how much has happened behind a paused view.
    private func pending(
        _ session: StudioSession, _ view: StudioView, _ state: inout State, _ now: Double
    ) -> HTTPPiece? {
        guard (now - state.lastEvent) * 1000 >= Double(StudioLive.summaryPace) else { return nil }
        state.lastEvent = now
        state.number = session.recent.number
        let pending = view.pending
        return StudioLive.event("pending") { json in
            json.member("commits", Int(clamping: session.recent.number - view.number))
            json.member("inserted", pending.inserted)
            json.member("modified", pending.modified)
            json.member("deleted", pending.deleted)
        }
    }

    private static func event(
        _ name: String, isLast: Bool = false, _ body: (inout JSONText) -> Void
    ) -> HTTPPiece {
        let line = JSONText.line(body)
        var bytes = Array("event: \(name)\ndata: ".utf8)
        line.withBytes { bytes += $0 }
        bytes.append(UInt8(ascii: "\n"))
        return isLast ? .last(bytes) : .bytes(bytes)
    }
}

extension StudioView {
    /// The numbers of objects of the class that were changed since the version of a paused view.
    fileprivate var pending: (inserted: Int, modified: Int, deleted: Int) {
        guard let change = history.changes(from: version, to: history.version).table(some.table) else {
            return (0, 0, 0)
        }
        return change.leaves.reduce((0, 0, 0)) {
            ($0.0 + $1.inserted.count, $0.1 + $1.modified().count, $0.2 + $1.deleted.count)
        }
    }

    /// Writes an update as members of a JSON object.
    fileprivate func write(_ update: StudioUpdate, commits: UInt64, to json: inout JSONText) {
        json.member("commit", Int(clamping: number))
        json.member("version", Int(clamping: version))
        json.member("commits", Int(clamping: commits))
        json.member("count", count)
        json.member("inserted", update.inserted)
        json.member("deleted", update.deleted)
        json.member("modified", update.modified)
        json.member("moved", update.moved)
        if update.hasOtherNumbers { numbers.write(values, to: &json) }
        json.member("offset", window.lowerBound)
        json.name("keys")
        json.array { json in for key in update.keys { json.number(Int(key)) } }
        json.name("changed")
        json.object { json in
            for (index, kind) in update.changed.sorted(by: { $0.key < $1.key }) {
                json.member(String(index), kind.rawValue)
            }
        }
        json.name("rows")
        json.array { json in
            if update.read.isEmpty { return }
            let targets = some.targets(in: catalog)
            for index in update.read { json.row(update.keys[index], some, values, targets) }
        }
        json.name("gone")
        json.array { json in for key in update.gone { json.number(Int(key)) } }
    }
}
#endif
