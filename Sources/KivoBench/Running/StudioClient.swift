#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation

/// The program `kivo studio` on a file, in a process of its own, and a client of its server.
final class StudioClient {
    private let process = Process()
    private let port: UInt16
    private let secret: String

    /// The program, which is beside this one; nil if it was not built.
    static var program: URL? {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
        let url = own.deletingLastPathComponent().appendingPathComponent("kivo")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }

    init(_ path: String) throws {
        process.executableURL = StudioClient.program!
        process.arguments = ["studio", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let data = pipe.fileHandleForReading.availableData
            expect(!data.isEmpty, "kivo studio ended")
            text += String(decoding: data, as: UTF8.self)
        }
        let address = URLComponents(string: text.split(separator: "\n").first.map(String.init) ?? "")!
        port = UInt16(address.port!)
        let body = "{\"token\":\"\(address.fragment!.dropFirst("token=".count))\"}"
        secret = StudioClient.member("secret", of: StudioClient.post(port, "session", body, secret: ""))
    }

    /// Ends the program.
    func end() {
        process.terminate()
        process.waitUntilExit()
    }

    #if os(Linux)
    /// The time, in seconds, that processors have worked for the program. The system counts in hundredths.
    var processorTime: Double {
        let text =
            (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        // The name before the fields may contain spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        expect(fields.count > 12, "the process of kivo studio is gone")
        return (Double(fields[11])! + Double(fields[12])!) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The number of bytes of the program that are in memory.
    var resident: Double {
        let text =
            (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)) ?? ""
        let fields = text.split(separator: " ")
        expect(fields.count > 1, "the process of kivo studio is gone")
        return Double(fields[1])! * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
    #endif

    /// Returns the body of a path.
    func get(_ path: String) -> [UInt8] {
        let connection = StudioConnection(port)
        connection.send("GET", path, "Authorization: Bearer \(secret)")
        return connection.readBody()
    }

    /// Returns the bytes of an export of a view, with the lengths of its pieces.
    func export(view: Int, format: String) -> [UInt8] {
        let body = "{\"view\":\(view),\"format\":\"\(format)\"}"
        return get(StudioClient.member("path", of: StudioClient.post(port, "export", body, secret: secret)))
    }

    private static func post(_ port: UInt16, _ name: String, _ body: String, secret: String) -> String {
        let connection = StudioConnection(port)
        connection.send(
            "POST", "/api/\(name)",
            "Authorization: Bearer \(secret)\r\nContent-Length: \(body.utf8.count)\r\nContent-Type: application/json",
            body)
        return String(decoding: connection.readBody(), as: UTF8.self)
    }

    /// Returns a text that is a member of an object of JSON.
    private static func member(_ name: String, of json: String) -> String {
        String(json.components(separatedBy: "\"\(name)\":\"")[1].prefix { $0 != "\"" })
    }

    /// Opens the stream of a table, and returns it with the number of its view.
    func live(_ className: String) -> (stream: StudioConnection, view: Int) {
        let stream = StudioConnection(port)
        stream.send("GET", "/api/live?class=\(className)", "Authorization: Bearer \(secret)")
        _ = stream.readHead()
        let event = stream.readEvent()
        return (stream, Int(event.components(separatedBy: "\"view\":")[1].prefix { $0.isNumber })!)
    }
}

/// A connection to the server.
///
/// Proof of `Sendable`: one thread at a time uses it. A stream is passed to the thread that reads its events.
final class StudioConnection: @unchecked Sendable {
    private let descriptor: Int32
    private let port: UInt16
    private var bytes: [UInt8] = []

    fileprivate init(_ port: UInt16) {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        expect(isConnected, "kivo studio does not answer")
        (self.descriptor, self.port) = (descriptor, port)
    }

    deinit { close(descriptor) }

    fileprivate func send(_ method: String, _ path: String, _ header: String, _ body: String = "") {
        let text =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(header)\r\nConnection: close\r\n\r\n\(body)"
        let request = Array(text.utf8)
        expect(write(descriptor, request, request.count) == request.count, "kivo studio does not read")
    }

    private func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
        return count > 0
    }

    /// Reads the headers of a response.
    fileprivate func readHead() -> String {
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                bytes.removeFirst(text[..<end.upperBound].utf8.count)
                return String(text[..<end.lowerBound])
            }
            expect(readMore(), "kivo studio does not answer")
        }
    }

    /// Reads the rest of a response; of one in pieces, with their lengths.
    fileprivate func readBody() -> [UInt8] {
        let head = readHead()
        expect(head.hasPrefix("HTTP/1.1 200"), "kivo studio answers: \(head.prefix(40))")
        while readMore() {}
        return bytes
    }

    /// Reads the next event of a stream.
    func readEvent() -> String {
        let event = nextEvent()
        expect(event != nil, "kivo studio ended a stream")
        return event!
    }

    /// Reads the next event of a stream. Returns false if the stream has ended.
    func readEventUnlessEnded() -> Bool { nextEvent() != nil }

    private func nextEvent() -> String? {
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\n\n") {
                bytes.removeFirst(text[..<end.upperBound].utf8.count)
                return String(text[..<end.lowerBound])
            }
            if !readMore() { return nil }
        }
    }
}
#endif
