import Kivo
import KivoEngine

/// The query of a table of the page: a predicate and sort keys, as texts.
enum StudioQuery {
    /// A mistake of the person who writes, with its place in the predicate.
    struct Mistake: Error {
        var message: String
        /// The characters of the predicate that are wrong; nil if the sort keys are.
        var range: Range<Int>?

        func write(to json: inout JSONText) {
            json.member("message", message)
            json.member("position", range?.lowerBound)
            json.member("length", range?.count)
        }
    }

    /// Returns the query of a request's parameters `where` and `sort`; nil for all objects of a class in the order of their keys.
    static func compile(_ request: HTTPRequest, _ some: StoredClass, _ catalog: Catalog) throws -> RowQuery? {
        let predicate = request.query["where"].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        let order = (request.query["sort"] ?? "").split(separator: ",").map {
            SortDescriptor(keyPath: String($0.drop { $0 == "-" }), ascending: !$0.hasPrefix("-"))
        }
        if predicate == nil, order.isEmpty { return nil }
        guard order.count <= 8, (predicate?.utf8.count ?? 0) <= 8192 else {
            throw Mistake(message: "The predicate is too long, or there are too many sort keys.")
        }
        do {
            for key in order { _ = try FieldPath(key.keyPath, of: some, catalog) }
        } catch {
            throw Mistake(message: error.message)
        }
        do {
            return try CheckedQuery.compile(some.name, where: predicate, order: order, in: catalog)
        } catch let mistake as QueryMistake {
            guard let predicate else { throw Mistake(message: mistake.message) }
            if let position = mistake.position {
                let length = predicate.count
                let start = min(position, length)
                throw Mistake(message: mistake.message, range: start..<(start + 1))
            }
            throw Mistake(message: mistake.message, range: place(of: mistake.message, in: predicate))
        }
    }

    /// Returns where the first of the names that a message quotes is in a predicate; all of the predicate if none is.
    private static func place(of message: String, in predicate: String) -> Range<Int> {
        let quoted = message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        for text in quoted {
            // A name may be quoted with its class: Dog.nmae.
            for candidate in [text, text.split(separator: ".").last ?? text] where !candidate.isEmpty {
                guard let found = predicate.firstRange(of: candidate) else { continue }
                let start = predicate.distance(from: predicate.startIndex, to: found.lowerBound)
                return start..<(start + candidate.count)
            }
        }
        return 0..<predicate.count
    }
}
