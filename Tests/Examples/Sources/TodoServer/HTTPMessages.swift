import Foundation

/// A request, as far as this server needs it.
struct Request: Sendable {
    var method: String
    var path: String
    var body = Data()
    /// Whether the client closes the connection behind the reply.
    var closes = false
}

/// The answer to a request.
struct Reply: Sendable {
    var status: Int
    var type = "text/plain"
    var body = Data()

    init(status: Int, type: String, body: Data) { (self.status, self.type, self.body) = (status, type, body) }

    init(_ status: Int, _ text: String = "") {
        self.status = status
        body = Data(text.utf8)
    }

    /// The bytes that are sent.
    func bytes(closing: Bool) -> Data {
        // A reply of status 204 has no content, and says nothing of its length.
        let content = status == 204 ? "" : "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
        let head = """
            HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")\r
            \(content)Connection: \(closing ? "close" : "keep-alive")\r
            \r

            """
        return Data(head.utf8) + body
    }

    private static let reasons = [
        200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 404: "Not Found",
        405: "Method Not Allowed", 413: "Content Too Large", 500: "Internal Server Error",
        503: "Service Unavailable",
    ]
}

/// The requests of one connection, which arrive in pieces.
struct RequestReader {
    /// An invalid request. The connection ends with the reply.
    struct Malformed: Error {
        let reply: Reply
    }

    private static let headLimit = 16 << 10
    private static let bodyLimit = 1 << 20
    private static let end = Data("\r\n\r\n".utf8)
    private var buffer = Data()

    /// Adds bytes that arrived.
    mutating func append(_ bytes: Data) { buffer += bytes }

    /// Returns the next request, and removes it; nil if it is not complete yet.
    mutating func next() throws -> Request? {
        guard let end = buffer.range(of: Self.end) else {
            if buffer.count > Self.headLimit { throw Malformed(reply: Reply(413, "the head is too long")) }
            return nil
        }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let parts = lines[0].split(separator: " ")
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else {
            throw Malformed(reply: Reply(400, "this is not HTTP/1"))
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else {
                throw Malformed(reply: Reply(400, "a field has no name"))
            }
            fields[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        guard fields["transfer-encoding"] == nil, let length = Int(fields["content-length"] ?? "0"),
            length >= 0
        else { throw Malformed(reply: Reply(400, "the body has no length")) }
        guard length <= Self.bodyLimit else { throw Malformed(reply: Reply(413, "the body is too long")) }
        guard buffer.endIndex - end.upperBound >= length else { return nil }
        let body = Data(buffer[end.upperBound..<end.upperBound + length])
        buffer = Data(buffer[(end.upperBound + length)...])
        return Request(
            method: String(parts[0]), path: String(parts[1]), body: body,
            closes: fields["connection"]?.lowercased() == "close")
    }
}
