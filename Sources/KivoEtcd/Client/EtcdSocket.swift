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
/// `http` endpoints do without it on Linux. Used by one thread at a time, except for ``cancel()``.
final class EtcdSocket: Sendable {
    private let descriptor: Int32
    /// The bytes that were received and not used yet.
    private let rest = Lock<[UInt8]>([])

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects with a member.
    ///
    /// - Throws: ``EtcdFailure/notSent(_:)``.
    static func connect(_ url: URL, until deadline: ContinuousClock.Instant) throws(EtcdFailure) -> EtcdSocket
    {
        guard let host = url.host else { throw .notSent("'\(url)' names no host") }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(url.port ?? 2379)", &hints, &found) == 0 else {
            throw .notSent("'\(host)' is not known")
        }
        defer { freeaddrinfo(found) }
        var next = found
        var reason = "'\(host)' has no address"
        while let address = next {
            next = address.pointee.ai_next
            let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
            if descriptor < 0 { continue }
            let connection = EtcdSocket(descriptor)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var isOn: Int32 = 1
            _ = setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            #if canImport(Glibc)
            let result = Glibc.connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen)
            #elseif canImport(Musl)
            let result = Musl.connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen)
            #else
            let result = Android.connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen)
            #endif
            if result == 0 { return connection }
            guard errno == EINPROGRESS, connection.isReady(Int16(POLLOUT), until: deadline) else {
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

    // MARK: Sending

    /// Sends a request.
    func send(
        _ url: URL, _ path: String, _ body: String, token: String?, until deadline: ContinuousClock.Instant
    ) throws(EtcdFailure) {
        var head =
            "POST /v3/\(path) HTTP/1.1\r\nHost: \(url.host ?? ""):\(url.port ?? 2379)\r\n"
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
                guard isReady(Int16(POLLOUT), until: deadline) else {
                    throw .unanswered("\(url) takes no request")
                }
            } else {
                throw .unanswered("\(url): \(String(cString: strerror(errno)))")
            }
        }
    }

    // MARK: Receiving

    private func receive(until deadline: ContinuousClock.Instant?) throws(EtcdFailure) {
        guard isReady(Int16(POLLIN), until: deadline) else { throw .unanswered("no answer in time") }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { throw .unanswered("the connection was closed") }
        rest.withLock { $0.append(contentsOf: buffer[..<count]) }
    }

    private func line(until deadline: ContinuousClock.Instant?) throws(EtcdFailure) -> String {
        while true {
            let line = rest.withLock { rest -> String? in
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                return line
            }
            if let line { return line.hasSuffix("\r") ? String(line.dropLast()) : line }
            try receive(until: deadline)
        }
    }

    private func bytes(_ count: Int, until deadline: ContinuousClock.Instant?) throws(EtcdFailure) -> [UInt8]
    {
        while rest.withLock({ $0.count }) < count { try receive(until: deadline) }
        return rest.withLock { rest in
            let bytes = Array(rest[..<count])
            rest.removeFirst(count)
            return bytes
        }
    }

    /// Receives the head of an answer. Returns its status and the length of its body; nil for one that comes in chunks.
    func head(until deadline: ContinuousClock.Instant?) throws(EtcdFailure) -> (status: Int, length: Int?) {
        let words = try line(until: deadline).split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { throw .unanswered("no answer of HTTP") }
        var length: Int? = 0
        while true {
            let field = try line(until: deadline)
            if field.isEmpty { return (status, length) }
            let parts = field.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            }
            guard parts.count == 2 else { continue }
            if parts[0] == "content-length" { length = Int(parts[1]) }
            if parts[0] == "transfer-encoding", parts[1] == "chunked" { length = nil }
        }
    }

    /// Receives the next chunk; empty at the end, after the trailers.
    func chunk(until deadline: ContinuousClock.Instant?) throws(EtcdFailure) -> [UInt8] {
        guard let count = Int(try line(until: deadline).prefix { $0 != ";" }, radix: 16), count >= 0 else {
            throw .unanswered("an answer of HTTP makes no sense")
        }
        if count == 0 {
            while try !line(until: deadline).isEmpty {}
            return []
        }
        let chunk = try bytes(count, until: deadline)
        _ = try line(until: deadline)
        return chunk
    }

    /// Receives a whole answer.
    func answer(until deadline: ContinuousClock.Instant) throws(EtcdFailure) -> (status: Int, body: [UInt8]) {
        let (status, length) = try head(until: deadline)
        if let length { return (status, try bytes(length, until: deadline)) }
        var body: [UInt8] = []
        while true {
            let chunk = try chunk(until: deadline)
            if chunk.isEmpty { return (status, body) }
            body += chunk
        }
    }
}

/// The connections with the members that are in no request. Thread-safe.
final class EtcdSockets: Sendable {
    private let idle = Lock<[URL: [EtcdSocket]]>([:])
    private let queue = DispatchQueue(label: "Kivo: requests to etcd", attributes: .concurrent)

    /// Sends a request, and calls the completion with the answer, on another thread.
    func send(
        _ url: URL, _ path: String, _ body: String, token: String?, timeout: Duration,
        _ completion: @escaping @Sendable (Result<EtcdAnswer, EtcdFailure>) -> Void
    ) {
        let deadline = ContinuousClock.now + timeout
        queue.async { [self] in
            let result = Result { () throws(EtcdFailure) in
                let socket: EtcdSocket
                if let kept = take(url) { socket = kept } else { socket = try .connect(url, until: deadline) }
                try socket.send(url, path, body, token: token, until: deadline)
                let (status, bytes) = try socket.answer(until: deadline)
                idle.withLock { $0[url, default: []].append(socket) }
                return try EtcdAnswer.result(Data(bytes), status: status).get()
            }
            completion(result)
        }
    }

    private func take(_ url: URL) -> EtcdSocket? {
        while let socket = idle.withLock({ $0[url]?.popLast() }) { if !socket.isStale { return socket } }
        return nil
    }
}
#endif
