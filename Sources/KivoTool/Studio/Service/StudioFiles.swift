#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import KivoEngine

/// The files that one program shows.
///
/// Each has a server, a port and a secret of its own, as if it were alone: what a browser keeps belongs to a port. A page with the secret
/// of one file gets addresses of the others, which work once.
final class StudioFiles: Sendable {
    private let services = Lock<[StudioService]>([])

    /// The studios of the files, in the order in which the files were given.
    var all: [StudioService] { services.withLock { $0 } }

    func add(_ service: StudioService) { services.withLock { $0.append(service) } }

    /// Forgets the studios, each of which refers to this object.
    func removeAll() { services.withLock { $0 = [] } }
}

extension StudioService {
    /// The names of the files, and which of them the page shows.
    func files(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let all = files.all
        return HTTPResponse(
            json: JSONText.line { json in
                json.member("current", all.firstIndex { $0 === self })
                json.name("files")
                json.array { json in for service in all { json.string(service.name) } }
            })
    }

    /// Answers with an address that opens the page of another file.
    func open(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let all = files.all
        guard let index = JSONValue(request.body)?["file"]?.int, all.indices.contains(index) else {
            throw HTTPProblem(.notFound, "This program shows no such file.")
        }
        return HTTPResponse(json: JSONText.line { $0.member("address", all[index].access.invitation()) })
    }
}
#endif
