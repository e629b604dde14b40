/// The status of a response.
enum HTTPStatus: Int, Sendable {
    case ok = 200
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case timeout = 408
    case conflict = 409
    case gone = 410
    case lengthRequired = 411
    case bodyTooLarge = 413
    case invalid = 422
    case headTooLarge = 431
    case failed = 500
    case unavailable = 503

    var reason: String {
        switch self {
        case .ok: "OK"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .timeout: "Request Timeout"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .lengthRequired: "Length Required"
        case .bodyTooLarge: "Content Too Large"
        case .invalid: "Unprocessable Content"
        case .headTooLarge: "Request Header Fields Too Large"
        case .failed: "Internal Server Error"
        case .unavailable: "Service Unavailable"
        }
    }
}

/// A response: a status, headers and a body, which is complete or produced as fast as the client takes it.
struct HTTPResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        case stream(any HTTPStream)

        /// Closes a stream that is not taken.
        func close() { if case .stream(let stream) = self { stream.close() } }
    }

    var status: HTTPStatus
    var headers: [(name: String, value: String)]
    var body: Body

    /// The headers of every response. Nothing is loaded from elsewhere, embedded elsewhere, stored, or guessed.
    static let protection: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]

    init(
        _ status: HTTPStatus = .ok, type: String, _ bytes: [UInt8],
        _ headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.headers = [("Content-Type", type)] + headers
        body = .bytes(bytes)
    }

    /// Creates a response of JSON.
    init(_ status: HTTPStatus = .ok, json: JSONText) {
        var bytes: [UInt8] = []
        json.withBytes { bytes = Array($0) }
        self.init(status, type: "application/json; charset=utf-8", bytes)
    }

    /// Creates a response whose body a stream produces.
    init(type: String, _ stream: any HTTPStream, _ headers: [(name: String, value: String)] = []) {
        status = .ok
        self.headers = [("Content-Type", type)] + headers
        body = .stream(stream)
    }

    /// Creates the response to a request that cannot be served.
    init(_ problem: HTTPProblem) {
        self.init(problem.status, json: JSONText.line { $0.member("message", problem.message) })
        if problem.status == .unauthorized { headers.append(("WWW-Authenticate", "Bearer")) }
    }

    /// Returns the bytes before the body.
    func head(isPersistent: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\n"
        for (name, value) in headers + HTTPResponse.protection { text += "\(name): \(value)\r\n" }
        switch body {
        case .bytes(let bytes): text += "Content-Length: \(bytes.count)\r\n"
        case .stream: text += "Transfer-Encoding: chunked\r\n"
        }
        text += isPersistent ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n"
        return Array(text.utf8)
    }
}

/// A body that is produced piece by piece. The server asks for the next piece when the client has taken the last one, so that a
/// slow reader holds at most one piece.
protocol HTTPStream: AnyObject, Sendable {
    /// Produces the next piece and passes it on, once, on any thread. The server does not call this again before.
    func produce(_ take: @escaping @Sendable (HTTPPiece) -> Void)

    /// Called once, when nothing more is wanted. Returns at once.
    func close()
}

/// A piece of the body of a response.
enum HTTPPiece: Sendable {
    case bytes([UInt8])
    /// The last bytes.
    case last([UInt8])
    /// There is nothing now. The server asks again after some milliseconds, or when it is told to.
    case nothing(milliseconds: Int)
    case end
    /// The rest cannot be produced: the connection is closed, so that the client knows.
    case broken
}
