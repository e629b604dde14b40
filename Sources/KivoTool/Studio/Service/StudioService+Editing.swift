#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Kivo
import KivoEngine

extension StudioService {
    /// Carries out edits in one transaction.
    func edit(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        try change(session, request) { editor, body, tab in
            let created = try editor.perform(
                try StudioEdit.all(body), of: tab, on: try core.queue, schemaVersion: session.schemaVersion)
            return { json in json.member("created", created.map { Int($0) }) }
        }
    }

    /// Undoes the last edit of a tab, or does it again.
    func undo(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        try change(session, request) { editor, body, tab in
            let isRedo = body?["isRedo"]?.bool == true
            let missing = try editor.undo(
                of: tab, isRedo: isRedo, on: try core.queue, schemaVersion: session.schemaVersion)
            return { json in
                json.member("isUndone", missing != nil)
                json.member("missingLinks", missing ?? 0)
            }
        }
    }

    private func change(
        _ session: StudioSession, _ request: HTTPRequest,
        _ perform: (StudioEditor, _ body: JSONValue?, _ tab: String) throws -> (inout JSONText) -> Void
    ) throws -> HTTPResponse {
        guard let editor else {
            throw HTTPProblem(
                .forbidden, "The file is only looked at: call kivo studio with --writable to edit it.")
        }
        do {
            // A file that is gone is said to be so by the editor.
            if (try? session.follow()) == true { server.poke() }
            let body = JSONValue(request.body)
            let tab = body?["tab"]?.string ?? ""
            if let known = body?["generation"]?.int, known != session.schemaGeneration {
                throw EditProblem.outdated
            }
            editor.begin(session.schemaGeneration)
            let write = try perform(editor, body, tab)
            try session.follow()
            server.poke()
            return HTTPResponse(
                json: JSONText.line { json in
                    json.member("commit", Int(clamping: session.recent.number))
                    json.member("undoCount", editor.counts(of: tab).undo)
                    json.member("redoCount", editor.counts(of: tab).redo)
                    write(&json)
                })
        } catch let problem as EditProblem {
            return HTTPResponse(
                problem.status,
                json: JSONText.line { json in
                    json.member("message", problem.message)
                    json.member("property", problem.property)
                    if problem.isOutdated { json.member("isOutdated", true) }
                    if let theirs = problem.theirs {
                        json.name("theirs")
                        json.value(theirs, .cell)
                        json.member("theirHash", theirs.fingerprint)
                    }
                })
        }
    }
}
#endif
