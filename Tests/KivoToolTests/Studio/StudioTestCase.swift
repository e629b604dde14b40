#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoEngine
import XCTest

@testable import KivoTool

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A test of a studio that serves a file in this process.
class StudioTestCase: ToolTestCase {
    private(set) var service: StudioService!
    /// The header that opens everything.
    private(set) var authorization = ""
    private let addresses = GatheredAddresses()

    /// The addresses that the studio has printed.
    final class GatheredAddresses: Sendable {
        private let list = Lock<[String]>([])
        func append(_ address: String) { list.withLock { $0.append(address) } }
        var all: [String] { list.withLock { $0 } }
    }

    var printedAddresses: [String] { addresses.all }
    var port: UInt16 { service.server.port }

    override func tearDownWithError() throws {
        service?.stop()
        service = nil
        try super.tearDownWithError()
    }

    /// The objects as an export has them, sorted, without their keys, which undoing does not restore.
    func exportedObjects() -> [String] {
        run("export", file.path).output.split(separator: "\n").dropFirst()
            .map { String($0).replacing(/"key":[0-9]+/, with: "") }.sorted()
    }

    /// Serves the file, and exchanges the token for the secret.
    func serve(isWritable: Bool = false, limits: HTTPServer.Limits = HTTPServer.Limits()) throws {
        service = try StudioService(file.path, isWritable: isWritable, limits: limits) { [addresses] in
            addresses.append($0)
        }
        service.start()
        let answer = try exchange(addresses.all.last!)
        XCTAssertEqual(answer.status, 200)
        authorization = "Authorization: Bearer \(try XCTUnwrap(answer.json["secret"] as? String))"
    }

    /// Exchanges the token of an address for the secret, as the page does.
    func exchange(_ address: String) throws -> HTTPAnswer {
        let token = address.components(separatedBy: "#token=").last ?? ""
        return try request("/api/session", post: ["token": token], isAuthorized: false)
    }

    struct HTTPAnswer: Sendable {
        var status = 0
        var headers: [String: String] = [:]
        var body = Data()

        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Sends a request by `URLSession`.
    func request(
        _ path: String, post body: Any? = nil, headers: [String: String] = [:], isAuthorized: Bool = true
    ) throws -> HTTPAnswer {
        var request = URLRequest(url: try XCTUnwrap(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.timeoutInterval = 60
        if isAuthorized {
            request.setValue(String(authorization.dropFirst(15)), forHTTPHeaderField: "Authorization")
        }
        if let body {
            request.httpMethod = "POST"
            request.httpBody = try (body as? Data) ?? JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let done = DispatchSemaphore(value: 0)
        let box = AnswerBox()
        let task = StudioTestCase.session.dataTask(with: request) { data, response, error in
            box.set(data, response as? HTTPURLResponse, error)
            done.signal()
        }
        task.resume()
        done.wait()
        return try box.answer()
    }

    private final class AnswerBox: Sendable {
        private let result = Lock<Result<HTTPAnswer, any Error>>(.success(HTTPAnswer()))

        func set(_ data: Data?, _ response: HTTPURLResponse?, _ error: (any Error)?) {
            if let error { return result.withLock { $0 = .failure(error) } }
            var answer = HTTPAnswer(status: response?.statusCode ?? 0, body: data ?? Data())
            for (name, value) in response?.allHeaderFields ?? [:] { answer.headers["\(name)"] = "\(value)" }
            let made = answer
            result.withLock { $0 = .success(made) }
        }

        func answer() throws -> HTTPAnswer { try result.withLock { $0 }.get() }
    }

    /// A session without cookies, caches and redirections.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return URLSession(configuration: configuration, delegate: NoRedirection(), delegateQueue: nil)
    }()

    private final class NoRedirection: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }
    }

    /// Returns the JSON of a path that must succeed.
    func get(_ path: String, _ parameters: [String: String] = [:], line: UInt = #line) throws -> [String: Any]
    {
        let answer = try request(path + StudioTestCase.query(parameters))
        XCTAssertEqual(answer.status, 200, answer.text, line: line)
        return answer.json
    }

    static func query(_ parameters: [String: String]) -> String {
        if parameters.isEmpty { return "" }
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._")
        return "?"
            + parameters.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: allowed)!)" }
            .joined(separator: "&")
    }

    /// Opens the stream of a table.
    func live(_ parameters: [String: String]) throws -> EventReader {
        let connection = try RawConnection(port: port)
        connection.send(
            "GET /api/live\(StudioTestCase.query(parameters)) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\n\r\n"
        )
        return try EventReader(connection)
    }

    /// Opens a table, and returns its stream and the number of its view.
    func open(_ name: String, _ parameters: [String: String] = [:]) throws -> (events: EventReader, view: Int)
    {
        let events = try live(parameters.merging(["class": name]) { $1 })
        let open = try events.next("begin")
        return (events, try XCTUnwrap(open["view"] as? Int))
    }

    /// Returns a page of a view.
    func rows(_ view: Int, _ offset: Int = 0, _ count: Int = 100, isAnchored: Bool = false) throws -> [[Any]]
    {
        let page = try get(
            "/api/rows",
            [
                "view": "\(view)", "offset": "\(offset)", "count": "\(count)",
                "anchored": isAnchored ? "1" : "0",
            ])
        return try XCTUnwrap(page["rows"] as? [[Any]])
    }
}
#endif
