#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Kivo
import KivoEngine

extension StudioService {
    /// Carries out edits in one transaction.
    func edit(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        try change(session) { editor in
            let created = try editor.perform(
                try StudioEdit.all(request.body), on: queue, schemaVersion: session.schemaVersion)
            return { json in json.member("created", created.map { Int($0) }) }
        }
    }

    /// Undoes the last edit.
    func undo(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        try change(session) { editor in
            let missing = try editor.undo(on: queue, schemaVersion: session.schemaVersion)
            return { json in
                json.member("isUndone", missing != nil)
                json.member("missingLinks", missing ?? 0)
            }
        }
    }

    private func change(
        _ session: StudioSession, _ body: (StudioEditor) throws -> (inout JSONText) -> Void
    ) throws -> HTTPResponse {
        guard let editor else {
            throw HTTPProblem(
                .forbidden, "The file is only looked at: call kivo studio with --writable to edit it.")
        }
        do {
            let write = try body(editor)
            try session.follow()
            server.poke()
            return HTTPResponse(
                json: JSONText.line { json in
                    json.member("commit", Int(clamping: session.recent.number))
                    json.member("undoCount", editor.undoCount)
                    write(&json)
                })
        } catch let problem as EditProblem {
            return HTTPResponse(
                problem.status,
                json: JSONText.line { json in
                    json.member("message", problem.message)
                    json.member("property", problem.property)
                    if let theirs = problem.theirs {
                        json.name("theirs")
                        json.value(theirs, .cell, session.history.catalog)
                    }
                })
        }
    }
}
#endif
