#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Kivo
import KivoEngine

extension StudioService {
    /// The objects of each class that are shown of those that were found.
    private static let foundCount = 10

    /// Answers with objects of all classes that have the words of a text. They are searched beside all other requests.
    func find(_ request: HTTPRequest, _ core: StudioCore, _ answer: @escaping HTTPServer.Answer) throws {
        let text = request.query["text"] ?? ""
        guard text.utf8.count <= 1000 else { throw HTTPProblem(.badRequest, "The text is too long.") }
        let (place, values) = try core.withSession { session in
            let place = try session.place(of: nil)
            return (place, StoredValues(place.history.pin(place.version), place.history.catalog))
        }
        let unpin = { @Sendable in
            _ = try? core.withSession { _ in place.history.unpin(place.version) }
        }
        let fail = { @Sendable (error: any Error) in
            unpin()
            answer(StudioService.response(to: error))
        }
        evaluate(request.subject, beside: core, fail) {
            let json = try JSONText.line { json in
                json.name("classes")
                try json.array { json in
                    for some in place.classes { try StudioService.write(text, some, values, to: &json) }
                }
            }
            unpin()
            answer(HTTPResponse(json: json))
        }
    }

    private static func write(
        _ text: String, _ some: StoredClass, _ values: StoredValues, to json: inout JSONText
    ) throws {
        let condition = StudioQuery.condition(finding: text, in: some)
        let keys = try CheckedQuery.compile(some.name, where: condition, in: values.catalog).predicate!
            .firstRows(foundCount + 1, of: some.table, values.snapshot, values.catalog)
        if keys.isEmpty { return }
        json.object { json in
            json.member("name", some.name)
            json.member("hasMore", keys.count > foundCount)
            json.name("objects")
            json.array { json in
                for key in keys.prefix(foundCount) {
                    json.object { json in
                        json.member("key", Int(key))
                        json.member("label", values.label(some, key))
                    }
                }
            }
        }
    }
}
#endif
