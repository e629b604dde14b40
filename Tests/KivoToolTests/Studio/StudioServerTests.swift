#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import XCTest

@testable import KivoTool

/// Access to the server, and its replies to invalid requests.
final class StudioServerTests: StudioTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        try makePets()
    }

    // MARK: Access

    func testTheTokenWorksOnceAndANewOneIsPrinted() throws {
        try serve()
        XCTAssertEqual(try exchange(printedAddresses[0]).status, 403)
        XCTAssertEqual(printedAddresses.count, 2)
        XCTAssertNotEqual(printedAddresses[0], printedAddresses[1])
        // Nothing but the page uses a token up.
        let connection = try RawConnection(port: port)
        let token = printedAddresses[1].components(separatedBy: "#").last!
        connection.send("HEAD /?\(token) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        XCTAssertEqual(connection.readStatus(), 200)
        XCTAssertEqual(try request("/api/session?\(token)", isAuthorized: false).status, 405)
        XCTAssertEqual(try exchange(printedAddresses[1]).status, 200)
        XCTAssertEqual(try exchange("#token=").status, 403)
    }

    func testEverythingBesidesThePageNeedsTheSecret() throws {
        try serve()
        for path in ["/api/file", "/api/live", "/api/edit", "/api/nothing"] {
            XCTAssertEqual(try request(path, isAuthorized: false).status, 401, path)
            let other = try request(
                path, headers: ["Authorization": authorization.dropFirst(15) + "0"], isAuthorized: false)
            XCTAssertEqual(other.status, 401, path)
        }
        // The page's own files have nothing of the user's, and no response sets a cookie: other servers of this machine would get it.
        for path in ["/", "/app.js", "/studio.css"] {
            let answer = try request(path, isAuthorized: false)
            XCTAssertEqual(answer.status, 200, path)
            XCTAssertNil(answer.headers["Set-Cookie"])
        }
        XCTAssertEqual(try request("/api/file").status, 200)
        let problem = try request("/nothing", isAuthorized: false)
        XCTAssertEqual(problem.status, 404)
        XCTAssertEqual(problem.text, "There is nothing here.\n")
    }

    func testOtherHostsAndSitesAreNotServed() throws {
        try serve()
        for host in ["example.com", "127.0.0.1", "127.0.0.1:1", "localhost", "evil.localhost:\(port)", ""] {
            let connection = try RawConnection(port: port)
            connection.send("GET /api/file HTTP/1.1\r\nHost: \(host)\r\n\(authorization)\r\n\r\n")
            XCTAssertEqual(connection.readStatus(), 403, host)
        }
        let withoutHost = try RawConnection(port: port)
        withoutHost.send("GET /api/file HTTP/1.1\r\n\(authorization)\r\n\r\n")
        XCTAssertEqual(withoutHost.readStatus(), 403)
        for (name, value) in [
            ("Origin", "http://example.com"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
        ] {
            XCTAssertEqual(try request("/api/file", headers: [name: value]).status, 403, value)
        }
        XCTAssertEqual(try request("/api/file", headers: ["Origin": "http://127.0.0.1:\(port)"]).status, 200)
        XCTAssertEqual(
            try request("/api/pause", post: ["view": 1], headers: ["Content-Type": "text/plain"]).status, 403)
        XCTAssertEqual(
            try request("/api/session", post: ["token": ""], headers: ["Origin": "http://example.com"])
                .status, 403)
        let page = try RawConnection(port: port)
        page.send("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
        XCTAssertEqual(page.readStatus(), 403)
    }

    func testEveryResponseIsProtected() throws {
        try serve()
        for path in ["/", "/app.js", "/api/file", "/nothing"] {
            let headers = try request(path).headers
            XCTAssertTrue(
                headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'self'")
                    == true, path)
            XCTAssertEqual(headers["X-Content-Type-Options"], "nosniff")
            XCTAssertNil(headers["Access-Control-Allow-Origin"])
        }
    }

    func testThePageLoadsNothingFromElsewhere() throws {
        try serve()
        let page = try request("/").text
        for file in [
            "studio.css", "app.js", "api.js", "changes.js", "choose.js", "columns.js", "copy.js", "cursor.js",
            "dom.js",
            "edit.js",
            "files.js", "filter.js", "find.js", "head.js", "history.js", "long.js", "object.js", "past.js",
            "rows.js", "schema.js",
            "table.js",
            "values.js", "words.js", "icon.svg",
        ] {
            let answer = try request("/" + file)
            XCTAssertEqual(answer.status, 200, file)
            XCTAssertFalse(answer.text.contains("innerHTML"), file)
            XCTAssertFalse(answer.text.contains("insertAdjacentHTML"), file)
            // The only addresses are names of vocabularies.
            let others = answer.text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
            XCTAssertFalse(others.contains("http://") || others.contains("https://"), file)
        }
        XCTAssertFalse(page.contains("http://") || page.contains("style="))
    }

    func testOtherPathsAndMethods() throws {
        try serve()
        for path in [
            "/nothing", "/../etc/passwd", "/api", "/api/", "/api/file/", "//", "/index.html", "/%2e%2e/",
        ] {
            XCTAssertEqual(try request(path).status, 404, path)
        }
        XCTAssertEqual(try request("/api/file", post: [String: Int]()).status, 405)
        XCTAssertEqual(try request("/api/edit").status, 405)
        XCTAssertEqual(try request("/", post: [String: Int]()).status, 405)
    }

    // MARK: Requests that are none

    private func status(of text: String) throws -> Int {
        let connection = try RawConnection(port: port)
        connection.send(text)
        return connection.readStatus()
    }

    func testMalformedRequests() throws {
        try serve()
        let host = "Host: 127.0.0.1:\(port)\r\n\(authorization)\r\n"
        for text in [
            "nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\n: empty\r\n\r\n",
            "GET / HTTP/1.1\r\nA B: c\r\n\r\n",
            "GET / HTTP/1.1\r\n\(host)\(host)\r\n", "GET / HTTP/1.1\r\n\(host)X: \u{1}\r\n\r\n",
            "GET /?a=%zz HTTP/1.1\r\n\(host)\r\n", "GET /?a=%ff HTTP/1.1\r\n\(host)\r\n",
            "POST / HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\n\(host)Content-Length: 1x\r\n\r\n",
            "POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ] {
            XCTAssertEqual(try status(of: text), 400, text)
        }
        XCTAssertEqual(try status(of: "DELETE / HTTP/1.1\r\n\(host)\r\n"), 405)
        XCTAssertEqual(
            try status(of: "POST /api/edit HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n"), 411)
        XCTAssertEqual(try request("/api/file").status, 200)
    }

    func testOversizedRequests() throws {
        try serve()
        let long = String(repeating: "a", count: HTTPRequest.Limits.head)
        XCTAssertEqual(try status(of: "GET /\(long) HTTP/1.1\r\n\r\n"), 431)
        XCTAssertEqual(try status(of: long + "a"), 431)
        let headers = (0...HTTPRequest.Limits.headerCount).map { "H\($0): v\r\n" }.joined()
        XCTAssertEqual(try status(of: "GET / HTTP/1.1\r\n\(headers)\r\n"), 431)
        XCTAssertEqual(
            try status(of: "POST / HTTP/1.1\r\nContent-Length: \(HTTPRequest.Limits.body + 1)\r\n\r\n"), 413)
        XCTAssertEqual(try request("/api/file").status, 200)
    }

    func testRequestsArriveInPiecesAndSeveralAtOnce() throws {
        try serve()
        let text = "GET /api/check?class=ToolDog HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\n"
        let slow = try RawConnection(port: port)
        for byte in (text + "\r\n").utf8 { slow.send([byte]) }
        XCTAssertEqual(slow.readStatus(), 200)
        let both = try RawConnection(port: port)
        both.send(text + "\r\n" + text + "Connection: close\r\n\r\n")
        XCTAssertEqual(both.readAll().components(separatedBy: "HTTP/1.1 200 OK").count, 3)
    }

    func testHeadHasNoBody() throws {
        try serve()
        let connection = try RawConnection(port: port)
        connection.send(
            "HEAD / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\nConnection: close\r\n\r\n")
        let text = connection.readAll()
        XCTAssertTrue(text.hasPrefix("HTTP/1.1 200"))
        XCTAssertTrue(text.hasSuffix("\r\n\r\n"))
    }

    // MARK: Clients that hold something

    func testAThousandConnectionsThatSendNothing() throws {
        try serve()
        var connections: [RawConnection] = []
        for _ in 0..<1000 { connections.append(try RawConnection(port: port)) }
        XCTAssertEqual(try request("/api/file").status, 200)
        connections.removeAll()
        XCTAssertEqual(try request("/api/file").status, 200)
    }

    func testConnectionsWithoutARequestAreClosedInTime() throws {
        var limits = HTTPServer.Limits()
        (limits.request, limits.idle) = (0.2, 0.2)
        try serve(limits: limits)
        let silent = try RawConnection(port: port)
        XCTAssertEqual(silent.readAll(), "")
        let half = try RawConnection(port: port)
        half.send("GET / HTTP/1.1\r\n")
        XCTAssertEqual(half.readAll(), "")
        let idle = try RawConnection(port: port)
        idle.send("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\n\r\n")
        XCTAssertTrue(idle.readAll().hasPrefix("HTTP/1.1 404"))
    }

    func testAStreamEndsWithItsClient() throws {
        try serve()
        let (events, view) = try open("ToolDog")
        XCTAssertEqual(try rows(view).count, 2)
        events.connection.end()
        var status = 200
        for _ in 0..<200 where status == 200 {
            status = try request("/api/rows?view=\(view)").status
            usleep(10_000)
        }
        XCTAssertEqual(status, 410)
    }
}
#endif
