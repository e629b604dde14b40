#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Kivo
import KivoEngine

extension StudioService {
    /// The number of objects from which a person chooses at once.
    private static let choiceCount = 20

    /// The objects to which a link can lead, chosen by a part of their label or by their key.
    func choices(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let some = try session.some(request.query["class"] ?? "")
        let text = request.query["text"] ?? ""
        guard text.utf8.count <= 1000 else { throw HTTPProblem(.badRequest, "The text is too long.") }
        let (snapshot, catalog) = (session.history.snapshot, session.history.catalog)
        var keys =
            try StudioService.condition(text, some).map { condition in
                try CheckedQuery.compile(some.name, where: condition, in: catalog).predicate!
                    .firstRows(StudioService.choiceCount + 1, of: some.table, snapshot, catalog)
            } ?? []
        if let key = Int64(text), snapshot.table(some.table).contains(key), !keys.contains(key) {
            keys.insert(key, at: 0)
        }
        let values = session.values
        return HTTPResponse(
            json: JSONText.line { json in
                json.member("hasMore", keys.count > StudioService.choiceCount)
                json.name("objects")
                json.array { json in
                    for key in keys.prefix(StudioService.choiceCount) {
                        json.object { json in
                            json.member("key", Int(key))
                            json.member("label", values.label(some, key))
                        }
                    }
                }
            })
    }

    /// Returns the predicate for objects whose label or primary key fits a text; nil if it can fit none.
    private static func condition(_ text: String, _ some: StoredClass) -> String? {
        if text.isEmpty { return "TRUEPREDICATE" }
        var parts: [String] = []
        if let label = some.labelProperty, label.spec.typeCode == ScalarType.string.rawValue {
            parts.append("#\(StudioQuery.quoted(label.name)) CONTAINS[c] \(StudioQuery.quoted(text))")
        }
        let primary = some.properties.first {
            $0.spec.isPrimaryKey && $0.spec.typeCode == ScalarType.int.rawValue
        }
        if let primary, let number = Int(text) {
            parts.append("#\(StudioQuery.quoted(primary.name)) == \(number)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " OR ")
    }
}
#endif
