#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import KivoEngine
import KivoJournal

extension StudioService {
    /// Answers with the commits that changed an object, the newest first. The file is read once, beside all other requests.
    ///
    /// The parameters `before` and `after` are the numbers of commits between which those of the answer are. The page asks for those
    /// after a recent one as they happen: their versions are in memory.
    func past(_ request: HTTPRequest, _ core: StudioCore, _ answer: @escaping HTTPServer.Answer) throws {
        let (name, key) = (request.query["class"] ?? "", ObjectKey(request.count("key") ?? 0))
        let after = request.count("after").map { UInt64($0) }
        let first = (after ?? 0) + 1
        let end = max(first, request.count("before").map { UInt64($0) } ?? .max)
        let (past, isRead) = try core.withSession { session in
            let place = try session.place(of: request.commit)
            let (some, values) = (try place.some(name), place.values)
            var past = ObjectPast(
                className: name, key: key, ObjectPast.identity(of: key, some, values), in: first..<end)
            let isRead = after.map { session.read(into: &past, after: $0) } ?? false
            return (past, isRead)
        }
        if isRead { return answer(HTTPResponse(json: JSONText.line(past.write))) }
        answer(
            HTTPResponse(
                type: "application/json; charset=utf-8",
                StudioPastReader(self, core, past, subject: request.subject)))
    }
}

extension StudioSession {
    /// Reads the commits after a number if their versions are in memory. Returns whether they are.
    fileprivate func read(into past: inout ObjectPast, after number: UInt64) -> Bool {
        guard let start = recent.pinned.lastIndex(where: { $0.number == number }) else { return false }
        let versions = recent.pinned[start...]
        func withValues(_ version: UInt64, _ body: (StoredValues) -> Void) {
            body(StoredValues(history.pin(version), history.catalog))
            history.unpin(version)
        }
        withValues(versions[start].version) { past.begin($0, number: nil) }
        for (old, new) in zip(versions, versions.dropFirst()) {
            let changes = history.changes(from: old.version, to: new.version)
            withValues(old.version) { old in
                let stamp = recent.summaries.last { $0.number == new.number }?.stamp
                withValues(new.version) { past.read(changes, from: old, to: $0, number: new.number, stamp) }
            }
        }
        return true
    }
}

/// A body with the past of an object. It is a stream, so that reading ends when the client goes.
final class StudioPastReader: HTTPStream {
    private struct End: Error {}

    private let service: StudioService
    private let core: StudioCore
    private let past: ObjectPast
    private let subject: String
    private let isClosed = Lock(false)

    init(_ service: StudioService, _ core: StudioCore, _ past: ObjectPast, subject: String) {
        (self.service, self.core, self.past, self.subject) = (service, core, past, subject)
    }

    func produce(_ take: @escaping @Sendable (HTTPPiece) -> Void) {
        // The status was sent: an error is an object with a message.
        let end = { @Sendable (response: HTTPResponse) in
            if case .bytes(let bytes) = response.body { take(.last(bytes)) }
        }
        service.evaluate(subject, beside: core, { end(StudioService.response(to: $0)) }) { [self] in
            let identity = past.identity
            var read = try replay(past)
            // The object is not in the version that the page shows. Under its primary key, there may have been others before.
            if identity == nil, let identity = read.identity {
                read = try replay(past.identified(by: identity))
            }
            end(HTTPResponse(json: JSONText.line(read.write)))
        }
    }

    func close() { isClosed.withLock { $0 = true } }

    /// Reads the file from its beginning. O(commits).
    private func replay(_ start: ObjectPast) throws -> ObjectPast {
        var past = start
        do {
            let history = try StudioHistory(service.path, newCommits: nil, isWhole: true)
            try history.readOn { record, commits in
                if isClosed.withLock({ $0 }) || record.number >= past.numbers.upperBound { throw End() }
                let values = StoredValues(commits.snapshot, commits.catalog)
                switch record.kind {
                case .commit:
                    guard let last = commits.last else { return }
                    past.read(
                        last.changes, from: StoredValues(last.before, commits.catalog), to: values,
                        number: record.number, record.stamp)
                case .migration: past.migrate(values, number: record.number, record.stamp)
                case .beginning: past.begin(values, number: record.number)
                case .schemaVersion: break
                }
            }
        } catch is End {}
        return past
    }
}
#endif
