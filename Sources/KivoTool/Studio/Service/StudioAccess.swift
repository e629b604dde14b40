import KivoEngine

/// The rule by which requests are served: only those of a page that the owner of the terminal opened.
///
/// The address on the terminal has a token that can be used once. It is exchanged for a cookie, which scripts cannot read and
/// other sites cannot send. A request must also name the loopback interface as its host: a site whose name leads here (DNS
/// rebinding) does not.
final class StudioAccess: Sendable {
    private let port: UInt16
    private let secret = StudioAccess.random()
    private let token = Lock(StudioAccess.random())
    private var cookieName: String { "kivo-studio-\(port)" }

    init(port: UInt16) { self.port = port }

    /// The address that opens the page once.
    var address: String { "http://127.0.0.1:\(port)/?token=\(token.withLock { $0 })" }

    private static func random() -> String {
        var numbers = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0 ... .max, using: &numbers), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Throws unless a request comes from a page of this server, or from none.
    func checkOrigin(_ request: HTTPRequest) throws(HTTPProblem) {
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        guard let host = request.headers["host"], hosts.contains(host) else {
            throw HTTPProblem(.forbidden, "This host is not served.")
        }
        if let origin = request.headers["origin"], origin != "http://\(host)" {
            throw HTTPProblem(.forbidden, "Requests of other sites are not served.")
        }
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
            throw HTTPProblem(.forbidden, "Requests of other sites are not served.")
        }
        // A form of another site cannot set this type.
        if request.method == .post, request.headers["content-type"] != "application/json" {
            throw HTTPProblem(.forbidden, "A body has to be JSON.")
        }
    }

    /// Throws unless a request has the cookie.
    func checkCookie(_ request: HTTPRequest) throws(HTTPProblem) {
        guard let cookie = request.cookie(cookieName), StudioAccess.areEqual(cookie, secret) else {
            throw HTTPProblem(
                .forbidden,
                "This page opens with the address that kivo studio printed on the terminal, which works once."
            )
        }
    }

    /// Returns the header that sets the cookie if a token is the current one, which is then replaced.
    func exchange(_ given: String) -> (name: String, value: String)? {
        let isValid = token.withLock { token in
            guard StudioAccess.areEqual(given, token) else { return false }
            token = StudioAccess.random()
            return true
        }
        return isValid ? ("Set-Cookie", "\(cookieName)=\(secret); Path=/; HttpOnly; SameSite=Strict") : nil
    }

    /// Compares in a time that does not depend on where the texts differ.
    private static func areEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return a.count == b.count && zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
