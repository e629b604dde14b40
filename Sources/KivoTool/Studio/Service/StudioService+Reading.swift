#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine
import KivoJournal
import KivoSchemaDrawing

extension StudioService {
    /// The file, its classes with their counts, and its size.
    func file(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        HTTPResponse(
            json: JSONText.line { json in
                json.member("path", name)
                json.member("isWritable", editor != nil)
                json.member("bytes", session.history.size)
                json.member("schemaVersion", Int(clamping: session.schemaVersion))
                json.member("commit", Int(clamping: session.recent.number))
                json.member("generation", session.schemaGeneration)
                json.name("classes")
                json.array { json in
                    for some in session.classes {
                        json.object { StudioService.write(some, session.values, to: &$0) }
                    }
                }
            })
    }

    /// What the classes occupy in the file, as of its newest checkpoint.
    func sizes(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let sizes = try session.history.sizes()
        return HTTPResponse(
            json: JSONText.line { json in
                json.member("bytes", session.history.size)
                json.member("dataBytes", sizes.total)
                json.member("commits", Int(clamping: sizes.commits))
                json.name("classes")
                json.object { json in
                    for some in session.classes { json.member(some.name, sizes.bytes[some.name] ?? 0) }
                }
            })
    }

    /// A class as it is, or was at a commit.
    func someClass(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let place = try session.place(of: request.commit)
        let some = try place.some(request.query["class"] ?? "")
        return HTTPResponse(json: JSONText.line { StudioService.write(some, place.values, to: &$0) })
    }

    private static func write(_ some: StoredClass, _ values: StoredValues, to json: inout JSONText) {
        let catalog = values.catalog
        json.member("name", some.name)
        json.member("isEmbedded", some.isEmbedded)
        json.member("count", values.snapshot.table(some.table).count)
        json.name("properties")
        json.array { json in
            for property in some.properties {
                json.object { json in
                    json.member("name", property.name)
                    json.member("type", property.type(catalog))
                    json.member("collection", property.collection?.rawValue)
                    json.member("target", property.spec.target.map { catalog.tables[$0].name })
                    json.member(
                        "ownsTarget", property.spec.target.map { catalog.tables[$0].isEmbedded } ?? false)
                    json.member("isOptional", property.spec.isOptional || property.spec.kind == .link)
                    json.member("isPrimaryKey", property.spec.isPrimaryKey)
                    json.member("isIndexed", property.spec.isIndexed)
                }
            }
        }
    }

    /// A page of a view's rows by position.
    func rows(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let view = try session.view(request.count("view") ?? -1)
        let (offset, count) = (request.count("offset") ?? 0, request.count("count") ?? 100)
        guard count <= 500, offset <= 1 << 48 else {
            throw HTTPProblem(.badRequest, "A page has at most 500 rows.")
        }
        let keys = view.show(offset..<(offset + count), isAnchored: request.query["anchored"] == "1")
        let (values, targets) = (view.values, view.some.targets(in: view.catalog))
        return HTTPResponse(
            json: JSONText.line { json in
                json.member("commit", Int(clamping: view.number))
                json.member("version", Int(clamping: view.version))
                json.member("count", view.count)
                json.member("offset", offset)
                json.name("rows")
                json.array { json in for key in keys { json.row(key, view.some, values, targets) } }
            })
    }

    /// The keys of a view's rows by position, for a selection.
    func keys(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let view = try session.view(request.count("view") ?? -1)
        let (offset, count) = (request.count("offset") ?? 0, request.count("count") ?? 0)
        guard count <= 100_000, offset <= 1 << 48 else {
            throw HTTPProblem(.badRequest, "At most 100,000 rows are selected.")
        }
        let keys = view.keys(in: offset..<(offset + count))
        return HTTPResponse(
            json: JSONText.line { json in
                json.name("keys")
                json.array { json in for key in keys { json.number(Int(key)) } }
            })
    }

    /// The position of an object in a view.
    func position(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let view = try session.view(request.count("view") ?? -1)
        let position = view.position(of: ObjectKey(request.count("key") ?? 0))
        return HTTPResponse(json: JSONText.line { $0.member("position", position) })
    }

    /// The page of an object: its values, what links to it, and its owner.
    func object(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        try readObject(session, request) { place, values, some, key in
            let targets = some.targets(in: values.catalog)
            return HTTPResponse(
                json: JSONText.line { json in
                    json.member("class", some.name)
                    json.member("key", Int(key))
                    json.member("label", values.label(some, key))
                    json.name("values")
                    json.object { json in
                        for property in some.properties {
                            json.name(property.name)
                            values.write(property, some.table, key, .whole, targets, to: &json)
                        }
                    }
                    json.name("labels")
                    json.object { json in labels(of: some, key, values, place, to: &json) }
                    json.name("backlinks")
                    json.array { json in backlinks(to: some, key, values, place, to: &json) }
                })
        }
    }

    /// Writes the labels of the objects to which values of type any lead. Links have theirs.
    private func labels(
        of some: StoredClass, _ key: ObjectKey, _ values: StoredValues, _ place: StudioPlace,
        to json: inout JSONText
    ) {
        for property in some.properties where property.collection == nil && property.spec.isAny {
            guard case .any(.link(let name, let target)) = values.value(property, some.table, key),
                let targetClass = place.classes.first(where: { $0.name == name })
            else { continue }
            json.member(property.name, values.label(targetClass, target))
        }
    }

    private func backlinks(
        to some: StoredClass, _ key: ObjectKey, _ values: StoredValues, _ place: StudioPlace,
        to json: inout JSONText
    ) {
        let catalog = values.catalog
        for origins in catalog.tables[some.table].incoming
        where catalog.tables[origins.table].container == nil {
            let keys = values.snapshot.backlinks(origins.backlinks, of: key)
            guard !keys.isEmpty, let origin = place.classes.first(where: { $0.table == origins.table }),
                let property = origin.properties.owner(ofColumn: origins.column)
            else { continue }
            json.object { json in
                json.member("class", origin.name)
                json.member("property", property.name)
                json.member("count", keys.count)
                json.name("objects")
                json.array { json in
                    for position in 0..<min(keys.count, 50) {
                        let key = keys.key(at: position)
                        json.object { json in
                            json.member("key", Int(key))
                            json.member("label", values.label(origin, key))
                        }
                    }
                }
            }
        }
    }

    /// Elements of a list, a set or a map by position; the whole value of another property.
    func elements(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let (offset, count) = (request.count("offset") ?? 0, request.count("count") ?? 100)
        guard count <= 500 else { throw HTTPProblem(.badRequest, "A page has at most 500 elements.") }
        return try readProperty(session, request) { values, some, property, key in
            return HTTPResponse(
                json: JSONText.line { json in
                    guard property.collection != nil else {
                        json.name("value")
                        values.write(property, some.table, key, .whole, to: &json)
                        return
                    }
                    let total = values.elements(
                        property, some.table, key, from: offset, count: count, .whole, to: &json)
                    json.member("count", total)
                    json.member("offset", offset)
                })
        }
    }

    /// The exact value of a property, as in exports, for an editor: strings and data as `value`, others as the lines of a text of JSON,
    /// because a script would round their numbers. Of one that is too large for that, only the size and the fingerprint.
    func value(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        try readProperty(session, request) { values, some, property, key in
            let value = values.value(property, some.table, key)
            let text = value.json
            return HTTPResponse(
                json: JSONText.line { json in
                    json.member("hash", value.fingerprint)
                    json.member("size", text.utf8.count)
                    if text.utf8.count > StudioService.largestEditedValue { return }
                    switch value {
                    case .list(let elements): json.lines(elements.map(\.json))
                    case .map(let entries):
                        json.lines(
                            entries.map { StoredValue.map([$0]).json }.map {
                                String($0.dropFirst().dropLast())
                            })
                    case .string, .data:
                        json.name("value")
                        json.value(value)
                    default: json.lines([text])
                    }
                })
        }
    }

    /// Calls `body` with the object that a request names, in the version that it names.
    private func readObject(
        _ session: StudioSession, _ request: HTTPRequest,
        _ body: (StudioPlace, StoredValues, StoredClass, ObjectKey) throws -> HTTPResponse
    ) throws -> HTTPResponse {
        let place = try session.place(of: request.commit)
        let some = try place.some(request.query["class"] ?? "")
        let key = ObjectKey(request.count("key") ?? 0)
        return try withExtendedLifetime(place) {
            let values = place.values
            guard values.snapshot.table(some.table).contains(key) else {
                throw HTTPProblem(.gone, "\(some.name) \(key) does not exist in this version.")
            }
            return try body(place, values, some, key)
        }
    }

    /// Calls `body` with the property of an object that a request names, in the version that it names.
    private func readProperty(
        _ session: StudioSession, _ request: HTTPRequest,
        _ body: (StoredValues, StoredClass, TableProperty, ObjectKey) throws -> HTTPResponse
    ) throws -> HTTPResponse {
        try readObject(session, request) { _, values, some, key in
            guard let property = some.properties.first(where: { $0.name == request.query["property"] }) else {
                throw HTTPProblem(.notFound, "Class '\(some.name)' has no such property.")
            }
            return try body(values, some, property, key)
        }
    }

    /// The bytes of a value in JSON that can be edited: with the rest of a request, they have to fit into one.
    private static let largestEditedValue = HTTPRequest.Limits.body - (1 << 12)

    /// Whether a predicate can be used, and if not where its mistake is.
    func check(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let place = try session.place(of: request.commit)
        let some = try place.some(request.query["class"] ?? "")
        _ = try StudioQuery.compile(request, some, place.history.catalog)
        return HTTPResponse(json: JSONText.line { $0.member("isValid", true) })
    }

    /// The diagram of the classes.
    func schema(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let text = SchemaOutline(session.history.catalog).drawn(as: .svg)
        return HTTPResponse(type: "image/svg+xml; charset=utf-8", Array(text.utf8))
    }
}

extension JSONText {
    fileprivate mutating func lines(_ lines: [String]) {
        name("lines")
        array { json in for line in lines { json.string(line) } }
    }
}
#endif
