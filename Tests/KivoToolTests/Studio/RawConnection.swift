#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import XCTest

/// A connection of a client that sends and reads bytes as it likes.
final class RawConnection {
    private var descriptor: Int32

    init(port: UInt16) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
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
        XCTAssertTrue(isConnected, String(cString: strerror(errno)))
        // A server that does not answer must fail a test and not stop it.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { end() }

    func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            #if canImport(Darwin)
            let flags: Int32 = 0
            #else
            let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                return write(descriptor, buffer.baseAddress! + sent, bytes.count - sent)
                #elseif canImport(Musl)
                return Musl.send(descriptor, buffer.baseAddress! + sent, bytes.count - sent, flags)
                #else
                return Glibc.send(descriptor, buffer.baseAddress! + sent, bytes.count - sent, flags)
                #endif
            }
            if count <= 0 { return }
            sent += count
        }
    }

    /// Reads what is there; empty if the connection ended.
    func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Reads until the connection ends.
    func readAll() -> String {
        var all: [UInt8] = []
        while case let bytes = read(), !bytes.isEmpty { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }

    /// Reads a response with a `Content-Length`, and returns its body; nil if the connection ends before.
    func readBody() -> Data? {
        var all = Data()
        let separator = Data("\r\n\r\n".utf8)
        while case let bytes = read(), !bytes.isEmpty {
            all += bytes
            guard let end = all.range(of: separator) else { continue }
            let head = String(decoding: all[..<end.lowerBound], as: UTF8.self).lowercased()
            guard let start = head.range(of: "content-length:") else { return nil }
            let text = head[start.upperBound...].drop { $0 == " " }.prefix { $0.isNumber }
            guard let length = Int(text) else { return nil }
            if all.count - end.upperBound >= length { return all[end.upperBound...].prefix(length) }
        }
        return nil
    }

    /// Reads the status of a response.
    func readStatus() -> Int {
        Int(String(decoding: read(), as: UTF8.self).split(separator: " ").dropFirst().first ?? "") ?? 0
    }
}

/// A reader of server-sent events.
final class EventReader {
    let connection: RawConnection
    private var text = ""
    /// The events that were read.
    private(set) var count = 0

    init(_ connection: RawConnection) throws {
        self.connection = connection
        while !text.contains("\r\n\r\n") {
            let bytes = connection.read()
            guard !bytes.isEmpty else { throw Ended() }
            text += String(decoding: bytes, as: UTF8.self)
        }
        let end = text.range(of: "\r\n\r\n")!
        XCTAssertTrue(text.hasPrefix("HTTP/1.1 200"), text)
        text = String(text[end.upperBound...])
    }

    struct Ended: Error {}

    /// Reads the next event.
    func next() throws -> (name: String, data: [String: Any]) {
        while true {
            if let start = text.range(of: "event: "),
                let end = text.range(of: "\n\n", range: start.upperBound..<text.endIndex)
            {
                let lines = text[start.upperBound..<end.lowerBound].split(separator: "\n", maxSplits: 1)
                text = String(text[end.upperBound...])
                count += 1
                let data = Data(lines[1].dropFirst("data: ".count).utf8)
                let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
                return (String(lines[0]), json ?? [:])
            }
            let bytes = connection.read()
            guard !bytes.isEmpty else { throw Ended() }
            text += String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Reads until an event of a name.
    func next(_ name: String) throws -> [String: Any] {
        while true {
            let event = try next()
            if event.name == name { return event.data }
        }
    }

    /// Reads changes until the view shows a commit, and returns their sums.
    func changes(upTo commit: Int) throws -> [String: Int] {
        var sums: [String: Int] = [:]
        while true {
            let change = try next("change")
            for name in ["inserted", "deleted", "modified", "moved"] {
                sums[name, default: 0] += change[name] as? Int ?? 0
            }
            if change["commit"] as? Int ?? 0 >= commit { return sums }
        }
    }
}
#endif
