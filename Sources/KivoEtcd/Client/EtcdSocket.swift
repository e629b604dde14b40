#if os(Linux) || os(Android)
import Dispatch
import Foundation
import KivoEngine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A connection to a member of etcd without TLS, one request at a time.
///
/// FoundationNetworking ends the program when an answer has trailers, and each error of etcd's gateway has some: so requests to
/// `http` and `unix` endpoints do without it on Linux. Used by one thread at a time, except for ``cancel()``.
final class EtcdSocket: Sendable {
    private let descriptor: Int32
    /// The bytes that were received and not used yet.
    private let rest = Lock<[UInt8]>([])

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Whether requests to an endpoint go through sockets of this kind.
    static func serves(_ url: URL) -> Bool { url.scheme == "http" || url.scheme == "unix" }

    // MARK: Connecting

    /// Connects with a member.
    ///
    /// - Throws: ``EtcdFailure/notSent(_:)``.
    static func connect(_ url: URL, _ patience: EtcdPatience) throws(EtcdFailure) -> EtcdSocket {
        if url.scheme == "unix" { return try connect(path: url.path) }
        guard let host = url.host else { throw .notSent("'\(url)' names no host") }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = EtcdSocket.stream
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(url.port ?? 2379)", &hints, &found) == 0 else {
            throw .notSent("'\(host)' is not known")
        }
        defer { freeaddrinfo(found) }
        var next = found
        var reason = "'\(host)' has no address"
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = socket(address.ai_family, EtcdSocket.stream, 0)
            if descriptor < 0 { continue }
            let connection = EtcdSocket(descriptor)
            connection.prepare()
            connection.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            connection.noticeDeadPeers()
            if EtcdSocket.connect(descriptor, address.ai_addr, address.ai_addrlen) { return connection }
            guard errno == EINPROGRESS, connection.isReady(Int16(POLLOUT), until: patience.deadline) else {
                reason = "no connection with \(url)"
                continue
            }
            var error: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0 {
                return connection
            }
            reason = "\(url): \(String(cString: strerror(error)))"
        }
        throw .notSent(reason)
    }

    private static func connect(path: String) throws(EtcdFailure) -> EtcdSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isTooLong = withUnsafeMutableBytes(of: &address.sun_path) { name in
            name.copyBytes(from: path.utf8.prefix(name.count))
            return path.utf8.count >= name.count
        }
        if isTooLong { throw .notSent("the path '\(path)' is too long for a socket") }
        let descriptor = socket(AF_UNIX, EtcdSocket.stream, 0)
        guard descriptor >= 0 else { throw .notSent("no socket: \(String(cString: strerror(errno)))") }
        let connection = EtcdSocket(descriptor)
        connection.prepare()
        let isConnected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isConnected else { throw .notSent("'\(path)': \(String(cString: strerror(errno)))") }
        return connection
    }

    private static func connect(
        _ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t
    ) -> Bool {
        #if canImport(Glibc)
        Glibc.connect(descriptor, address, size) == 0
        #elseif canImport(Musl)
        Musl.connect(descriptor, address, size) == 0
        #else
        Android.connect(descriptor, address, size) == 0
        #endif
    }

    private static var stream: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Lets the system find out within some twelve seconds that the machine of a silent member is gone: a watch is silent until
    /// the next write.
    private func noticeDeadPeers() {
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 5)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 2)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    }

    // MARK: Waiting

    /// Ends a request that another thread waits for.
    func cancel() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Whether the member has closed the connection, which waits for no answer.
    var isStale: Bool { isReady(Int16(POLLIN), until: .now) }

    private func isReady(_ events: Int16, until deadline: ContinuousClock.Instant?) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let rest = deadline.map { max(0, ($0 - .now).inSeconds * 1000) } ?? -1
            let count = poll(&entry, 1, rest < 0 ? -1 : Int32(min(rest.rounded(.up), 1e6)))
            if count > 0 { return true }
            if count == 0 { return false }
            if errno != EINTR { return false }
        }
    }

    /// Waits for events, and as long as the member takes bytes that were sent. Returns whether the events have come.
    private func isReady(_ events: Int16, _ patience: EtcdPatience?) -> Bool {
        guard let patience else { return isReady(events, until: nil) }
        var unsent = unsentCount
        while !isReady(events, until: patience.deadline) {
            let left = unsentCount
            if left >= unsent { return false }
            if let end = patience.end, end <= .now { return false }
            unsent = left
        }
        return true
    }

    /// The number of bytes that the system has been given and the other side has not acknowledged.
    private var unsentCount: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    // MARK: Sending

    /// Sends a request.
    func send(
        _ url: URL, _ path: String, _ body: String, token: String?, _ patience: EtcdPatience
    ) throws(EtcdFailure) {
        let host = url.host.map { "\($0):\(url.port ?? 2379)" } ?? "localhost"
        var head =
            "POST /v3/\(path) HTTP/1.1\r\nHost: \(host)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        if let token { head += "Authorization: \(token)\r\n" }
        let bytes = Array((head + "\r\n" + body).utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN || errno == EINTR {
                guard isReady(Int16(POLLOUT), patience) else {
                    throw .unanswered("\(url) takes no request")
                }
            } else {
                throw .unanswered("\(url): \(String(cString: strerror(errno)))")
            }
        }
    }

    // MARK: Receiving

    private func receive(_ patience: EtcdPatience?) throws(EtcdFailure) {
        let isOver = patience?.end.map { $0 <= .now } ?? false
        guard !isOver, isReady(Int16(POLLIN), patience) else { throw .unanswered("no answer in time") }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { throw .unanswered("the connection was closed") }
        rest.withLock { $0.append(contentsOf: buffer[..<count]) }
    }

    private func line(_ patience: EtcdPatience?) throws(EtcdFailure) -> String {
        while true {
            let line = rest.withLock { rest -> String? in
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                return line
            }
            if let line { return line.hasSuffix("\r") ? String(line.dropLast()) : line }
            try receive(patience)
        }
    }

    private func bytes(_ count: Int, _ patience: EtcdPatience?) throws(EtcdFailure) -> [UInt8] {
        while rest.withLock({ $0.count }) < count { try receive(patience) }
        return rest.withLock { rest in
            let bytes = Array(rest[..<count])
            rest.removeFirst(count)
            return bytes
        }
    }

    /// Receives the head of an answer. Returns its status and the length of its body; nil for one that comes in chunks.
    func head(_ patience: EtcdPatience?) throws(EtcdFailure) -> (status: Int, length: Int?) {
        let words = try line(patience).split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { throw .unanswered("no answer of HTTP") }
        var length: Int?
        var isInChunks = false
        while true {
            let field = try line(patience)
            if field.isEmpty {
                guard isInChunks || (length ?? -1) >= 0 else {
                    throw .unanswered("an answer without a length")
                }
                return (status, isInChunks ? nil : length)
            }
            let parts = field.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            }
            guard parts.count == 2 else { continue }
            if parts[0] == "content-length" { length = Int(parts[1]) }
            if parts[0] == "transfer-encoding", parts[1] == "chunked" { isInChunks = true }
        }
    }

    /// Receives the next chunk; empty at the end, after the trailers.
    func chunk(_ patience: EtcdPatience?) throws(EtcdFailure) -> [UInt8] {
        guard let count = Int(try line(patience).prefix { $0 != ";" }, radix: 16), count >= 0 else {
            throw .unanswered("an answer of HTTP makes no sense")
        }
        if count == 0 {
            while try !line(patience).isEmpty {}
            return []
        }
        let chunk = try bytes(count, patience)
        _ = try line(patience)
        return chunk
    }

    /// Receives a whole answer.
    func answer(_ patience: EtcdPatience) throws(EtcdFailure) -> (status: Int, body: [UInt8]) {
        let (status, length) = try head(patience)
        if let length { return (status, try bytes(length, patience)) }
        var body: [UInt8] = []
        while true {
            let chunk = try chunk(patience)
            if chunk.isEmpty { return (status, body) }
            body += chunk
        }
    }
}
#endif
