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

    /// Returns the query of a request's parameters `where`, `find` and `sort`; nil for all objects of a class in the order of their
    /// keys.
    static func compile(_ request: HTTPRequest, _ some: StoredClass, _ catalog: Catalog) throws -> RowQuery? {
        let predicate = predicate(request, some)
        let names = (request.query["sort"] ?? "").split(separator: ",").map(String.init)
        if predicate == nil, names.isEmpty { return nil }
        guard names.count <= 8, (predicate?.utf8.count ?? 0) <= 8192 else {
            throw Mistake(message: "The predicate is too long, or there are too many sort keys.")
        }
        let order: [SortDescriptor]
        do {
            order = try names.map { try SortDescriptor($0, of: some, catalog) }
        } catch let error as UsageError {
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

    /// Returns the numbers of a request's parameters `numbers`, such as `sum:amount,count`, and `by`, of the objects of its query.
    static func numbers(_ request: HTTPRequest, _ some: StoredClass) -> StudioNumbers.Request {
        StudioNumbers.Request(
            className: some.name, predicate: predicate(request, some),
            numbers: (request.query["numbers"] ?? "").split(separator: ",").map(String.init),
            key: request.query["by"].flatMap { $0.isEmpty ? nil : $0 })
    }

    private static func predicate(_ request: HTTPRequest, _ some: StoredClass) -> String? {
        let words = request.query["find"].map { condition(finding: $0, in: some) }
        return words ?? request.query["where"].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    /// Returns the predicate for objects that have each of the words of a text in some property: within a string, or as a number.
    static func condition(finding text: String, in some: StoredClass) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).prefix(8)
        let conditions = words.map { word in
            let parts = some.properties.compactMap { condition(finding: String(word), in: $0) }
            return parts.isEmpty ? "FALSEPREDICATE" : "(" + parts.joined(separator: " OR ") + ")"
        }
        return conditions.isEmpty ? "TRUEPREDICATE" : conditions.joined(separator: " AND ")
    }

    private static func condition(finding word: String, in property: TableProperty) -> String? {
        guard property.spec.target == nil, property.collection != .map else { return nil }
        let name = (property.collection == nil ? "#" : "ANY #") + quoted(property.name)
        switch ScalarType(rawValue: property.spec.typeCode) {
        case .string: return "\(name) CONTAINS[c] \(quoted(word))"
        case .int, .int8, .int16, .int32, .int64: return Int(word).map { "\(name) == \($0)" }
        case .float, .double:
            guard let number = Double(word), number.isFinite else { return nil }
            return "\(name) == \(number)"
        default: return nil
        }
    }

    /// Returns a text as a string of a predicate.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
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
