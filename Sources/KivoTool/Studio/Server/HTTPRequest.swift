/// A request of HTTP/1.1, completely received.
struct HTTPRequest: Sendable {
    /// The limits of what a client may send.
    enum Limits {
        /// The bytes of the first line and the headers together.
        static let head = 16 << 10
        static let headerCount = 64
        static let body = 1 << 20
    }

    enum Method: String, Sendable { case get = "GET", head = "HEAD", post = "POST" }

    var method: Method
    /// The path without the query, as it was sent: known paths need no escapes.
    var path: String
    /// The parameters of the query, decoded. Of several with one name, the first counts.
    var query: [String: String]
    /// The headers by their names in lower case.
    var headers: [String: String]
    var body: [UInt8] = []
    /// Whether the client wants the connection to stay open.
    var isPersistent: Bool

    /// Returns a parameter as a number that is not negative.
    func count(_ name: String) -> Int? { query[name].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }
}

/// A request that cannot be served, with the status to answer.
struct HTTPProblem: Error, Sendable {
    var status: HTTPStatus
    var message: String

    init(_ status: HTTPStatus, _ message: String) { (self.status, self.message) = (status, message) }
}

/// A parser of the bytes of a connection, which arrive piece by piece.
struct HTTPRequestParser {
    private var bytes: [UInt8] = []
    /// The request whose body is not complete yet, and the length of the body.
    private var pending: (request: HTTPRequest, length: Int)?

    /// Whether a part of a request was received.
    var isWithinRequest: Bool { pending != nil || !bytes.isEmpty }

    mutating func append(_ new: UnsafeRawBufferPointer) { bytes.append(contentsOf: new) }

    /// Returns the next complete request, or nil if bytes are missing.
    ///
    /// - Throws: ``HTTPProblem`` if the bytes are no request, or more than the limits allow. The connection cannot be used any more.
    mutating func next() throws(HTTPProblem) -> HTTPRequest? {
        if pending == nil {
            guard let end = endOfHead() else {
                if bytes.count > HTTPRequest.Limits.head {
                    throw HTTPProblem(.headTooLarge, "The headers are too large.")
                }
                return nil
            }
            if end > HTTPRequest.Limits.head {
                throw HTTPProblem(.headTooLarge, "The headers are too large.")
            }
            let request = try HTTPRequestParser.head(bytes[..<(end - 4)])
            let length = try HTTPRequestParser.bodyLength(request)
            bytes.removeFirst(end)
            pending = (request, length)
        }
        guard case (var request, let length)? = pending, bytes.count >= length else { return nil }
        request.body = Array(bytes.prefix(length))
        bytes.removeFirst(length)
        pending = nil
        return request
    }

    /// Returns the offset after the empty line that ends the headers.
    private func endOfHead() -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4)
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10
        {
            return index + 4
        }
        return nil
    }

    private static func head(_ bytes: ArraySlice<UInt8>) throws(HTTPProblem) -> HTTPRequest {
        // Line by line as bytes: to Swift, a carriage return and a line feed are one character.
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
            .map { $0.last == 13 ? $0.dropLast() : $0 }
        guard bytes.allSatisfy({ $0 == 13 || $0 == 10 || $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
            throw HTTPProblem(.badRequest, "The headers contain control characters.")
        }
        let parts = lines[0].split(separator: 32, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0", parts[1].hasPrefix("/")
        else {
            throw HTTPProblem(.badRequest, "This is no request of HTTP/1.1.")
        }
        guard let method = HTTPRequest.Method(rawValue: parts[0]) else {
            throw HTTPProblem(.methodNotAllowed, "Only GET, HEAD and POST are known.")
        }
        guard lines.count - 1 <= HTTPRequest.Limits.headerCount else {
            throw HTTPProblem(.headTooLarge, "There are too many headers.")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                !line[..<colon].contains(where: { $0 <= 32 })
            else { throw HTTPProblem(.badRequest, "A header is malformed.") }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            // Two different lengths or hosts are how requests are smuggled.
            guard headers[name] == nil || name == "accept" || name == "cookie" else {
                throw HTTPProblem(.badRequest, "A header is given twice.")
            }
            headers[name] = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmed
        }
        let target = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let isOld = parts[2] == "HTTP/1.0"
        return HTTPRequest(
            method: method, path: String(target[0]),
            query: try target.count > 1 ? parameters(target[1]) : [:], headers: headers,
            isPersistent: !isOld && headers["connection"]?.lowercased() != "close")
    }

    private static func bodyLength(_ request: HTTPRequest) throws(HTTPProblem) -> Int {
        if request.headers["transfer-encoding"] != nil {
            throw HTTPProblem(.lengthRequired, "A body needs a Content-Length.")
        }
        guard let text = request.headers["content-length"] else { return 0 }
        guard let length = Int(text), length >= 0, text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            throw HTTPProblem(.badRequest, "The Content-Length is no number.")
        }
        guard length <= HTTPRequest.Limits.body else {
            throw HTTPProblem(.bodyTooLarge, "The body is larger than \(HTTPRequest.Limits.body) bytes.")
        }
        return length
    }

    private static func parameters(_ text: Substring) throws(HTTPProblem) -> [String: String] {
        var parameters: [String: String] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try decoded(pair[0])
            if parameters[name] == nil { parameters[name] = pair.count > 1 ? try decoded(pair[1]) : "" }
        }
        return parameters
    }

    /// Decodes the escapes of a query.
    private static func decoded(_ text: Substring) throws(HTTPProblem) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(32)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexadecimal),
                    let low = rest.popFirst().flatMap(hexadecimal)
                else { throw HTTPProblem(.badRequest, "An escape of the query is malformed.") }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw HTTPProblem(.badRequest, "The query is not UTF-8.")
        }
        return decoded
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmed: String {
        let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 }
        let rest = Array(utf8).drop(while: isSpace)
        let end = rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? rest.startIndex
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
