#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine

extension StudioService {
    /// Prepares the objects of a view, or some of them, as lines of JSON or as CSV. Answers with the path from which a browser takes them.
    func export(_ session: StudioSession, _ request: HTTPRequest) throws -> HTTPResponse {
        let body = JSONValue(request.body)
        let view = try session.view(body?["view"]?.int ?? -1)
        guard let format = RowWriter.Format(rawValue: body?["format"]?.string ?? ""), format != .table else {
            throw HTTPProblem(.badRequest, "The format is jsonl or csv.")
        }
        let chosen = body?["keys"]?.array?.compactMap(\.int).map { ObjectKey($0) }
        let stream = StudioExport(try core, view, format, chosen)
        let name = view.some.name.unicodeScalars.map {
            CharacterSet.alphanumerics.contains($0) && $0.isASCII ? Character($0) : "_"
        }
        let response = HTTPResponse(
            type: format == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8", stream,
            [("Content-Disposition", "attachment; filename=\"\(String(name)).\(format.rawValue)\"")])
        let path = downloads.add(response)
        DispatchQueue.global().asyncAfter(deadline: .now() + StudioDownloads.lifetime) { [downloads] in
            downloads.remove(path)?.body.close()
        }
        return HTTPResponse(json: JSONText.line { $0.member("path", path) })
    }
}

/// The exports that a page asked for and that its browser has not begun to take. A browser takes a file without headers of the page:
/// its path is the secret, once and for a minute.
final class StudioDownloads: Sendable {
    /// The seconds in which an export has to be taken.
    static let lifetime = 60.0
    private let waiting = Lock<[String: HTTPResponse]>([:])

    func add(_ response: HTTPResponse) -> String {
        let path = "/download/" + StudioAccess.random()
        waiting.withLock { $0[path] = response }
        return path
    }

    func remove(_ path: String) -> HTTPResponse? { waiting.withLock { $0.removeValue(forKey: path) } }

    /// Closes all exports.
    func removeAll() {
        let rest = waiting.withLock { waiting in
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        for response in rest { response.body.close() }
    }

    /// Returns the export that a request takes, if there is one.
    func take(_ request: HTTPRequest) -> HTTPResponse? { request.method == .get ? remove(request.path) : nil }
}

/// The rows of a view as a file. They are those of one version, which is pinned until the client has them or is gone, and are
/// written on a queue of their own.
final class StudioExport: HTTPStream {
    private let core: StudioCore
    private let queue = DispatchQueue(label: "kivo.studio.export")
    private let state: Lock<State>

    private struct State: Sendable {
        let history: StudioHistory
        let version: UInt64
        let values: StoredValues
        let some: StoredClass
        let format: RowWriter.Format
        /// The keys of all rows; nil if they are those of the class, in order.
        let keys: [ObjectKey]?
        var position = 0
        var hasHeader = false
    }

    /// The size of a piece in bytes.
    private static let pieceSize = 1 << 17

    init(_ core: StudioCore, _ view: StudioView, _ format: RowWriter.Format, _ chosen: [ObjectKey]?) {
        self.core = core
        let keys = chosen?.filter { view.position(of: $0) != nil } ?? view.listedKeys
        state = Lock(
            State(
                history: view.history, version: view.version,
                values: StoredValues(view.history.pin(view.version), view.catalog),
                some: view.some, format: format, keys: keys))
    }

    func produce(_ take: @escaping @Sendable (HTTPPiece) -> Void) {
        let work = StudioWork(
            subject: state.withLock { $0.some.name }, run: { [self] _ in take(next()) },
            fail: { _ in take(.broken) })
        queue.async { [core] in work.perform(on: core) }
    }

    func close() {
        queue.async { [self] in
            try? core.withSession { _ in state.withLock { $0.history.unpin($0.version) } }
        }
    }

    private func next() -> HTTPPiece {
        let bytes = state.withLock { state in
            var gathered: [UInt8] = []
            gathered.reserveCapacity(StudioExport.pieceSize + 4096)
            write(&state, &gathered)
            return gathered
        }
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    private func write(_ state: inout State, _ bytes: inout [UInt8]) {
        let (some, values) = (state.some, state.values)
        let rows = values.snapshot.table(some.table)
        if !state.hasHeader {
            state.hasHeader = true
            if state.format == .csv {
                bytes += Array(RowWriter.csvHeader(some.properties.map(\.name)).utf8)
            }
        }
        func append(_ key: ObjectKey) {
            let row = some.properties.map { (name: $0.name, value: values.value($0, some.table, key)) }
            if state.format == .csv {
                bytes += Array(RowWriter.csvLine(some.name, key, row.map(\.value)).utf8)
            } else {
                JSONText.line { json in
                    json.member("class", some.name)
                    json.row(key, row)
                }.withBytes { bytes += $0 }
            }
        }
        if let keys = state.keys {
            while state.position < keys.count, bytes.count < StudioExport.pieceSize {
                append(keys[state.position])
                state.position += 1
            }
            return
        }
        while state.position < rows.count, bytes.count < StudioExport.pieceSize {
            let leaf = rows.leafContaining(state.position)
            while state.position < leaf.start + leaf.count, bytes.count < StudioExport.pieceSize {
                append(leaf.row(at: state.position).key)
                state.position += 1
            }
        }
    }
}

extension StudioView {
    /// The keys of all rows in order; nil if the rows are all objects of the class.
    fileprivate var listedKeys: [ObjectKey]? { isWholeClass ? nil : keys }
}
#endif
