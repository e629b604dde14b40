import KivoEngine

/// The rule by which requests are served: only those of a page that the owner of the terminal opened.
///
/// The address on the terminal has a token behind "#", which browsers do not send. The page exchanges it, once, for the secret of this
/// server, which it sends as a header with each request. A cookie would be sent to every other server of this machine, as cookies
/// do not know ports. A request must also name the loopback interface as its host: a site whose name leads here (DNS rebinding)
/// does not.
final class StudioAccess: Sendable {
    private let port: UInt16
    private let secret = StudioAccess.random()
    private let token = Lock(StudioAccess.random())
    /// The tokens that other pages of the program asked for, with their ends.
    private let invitations = Lock<[(token: String, end: ContinuousClock.Instant)]>([])

    init(port: UInt16) { self.port = port }

    /// The address that opens the page once.
    var address: String { address(token.withLock { $0 }) }

    private func address(_ token: String) -> String { "http://127.0.0.1:\(port)/#token=\(token)" }

    /// Returns another address that opens the page once, within a minute.
    func invitation() -> String {
        let token = StudioAccess.random()
        invitations.withLock { invitations in
            invitations = invitations.suffix(7) + [(token, .now + .seconds(60))]
        }
        return address(token)
    }

    /// Returns a random text that cannot be guessed.
    static func random() -> String {
        var numbers = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0 ... .max, using: &numbers), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Throws unless a request is sent to this machine by its own name.
    func checkHost(_ request: HTTPRequest) throws(HTTPProblem) {
        guard let host = request.headers["host"], hosts.contains(host) else {
            throw HTTPProblem(.forbidden, "This host is not served.")
        }
    }

    private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"] }

    /// Throws unless a request comes from a page of this server, or from none.
    func checkOrigin(_ request: HTTPRequest) throws(HTTPProblem) {
        if let origin = request.headers["origin"], origin != "http://\(request.headers["host"] ?? "")" {
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

    /// Throws unless a request has the secret.
    func checkSecret(_ request: HTTPRequest) throws(HTTPProblem) {
        guard let given = request.headers["authorization"], StudioAccess.areEqual(given, "Bearer " + secret)
        else {
            throw HTTPProblem(
                .unauthorized,
                "This page opens with the address that kivo studio printed on the terminal, which works once."
            )
        }
    }

    /// Returns the secret if a token is valid, which it is once, and whether it was that of ``address``.
    func exchange(_ given: String) -> (secret: String, wasPrinted: Bool)? {
        let wasPrinted = token.withLock { token in
            guard StudioAccess.areEqual(given, token) else { return false }
            token = StudioAccess.random()
            return true
        }
        if wasPrinted { return (secret, true) }
        let isInvited = invitations.withLock { invitations in
            guard let index = invitations.firstIndex(where: { StudioAccess.areEqual(given, $0.token) }) else {
                return false
            }
            return invitations.remove(at: index).end > .now
        }
        return isInvited ? (secret, false) : nil
    }

    /// Compares in a time that does not depend on where the texts differ.
    private static func areEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return a.count == b.count && zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
