import Dispatch
import Foundation
import Synchronization
import XCTest

#if canImport(Glibc)
import Glibc

/// A proxy in front of a member of etcd that is as bad as a line can be: slow, late, deaf on one side, or dead.
///
/// Each connection has two threads, one for each direction. The buffers of its sockets are small, so that what the proxy has not
/// passed on is not taken from the sender either.
final class SlowProxy: Sendable {
    /// The treatment of bytes.
    struct Line: Sendable {
        /// The number of bytes a second in each direction; nil for no limit.
        var rate: Int?
        /// The time, in seconds, that each piece is late.
        var delay = 0.0
        /// Whether requests are passed on.
        var passesRequests = true
        /// Whether answers are passed on.
        var passesAnswers = true
    }

    private let target: Int
    private let listener: Int32
    private let state = Mutex(State())
    private let path: String?
    let port: Int

    private struct State {
        var line = Line()
        var descriptors: Set<Int32> = []
        var isClosed = false
        var answerCount = 0
        var hook: (@Sendable (String) -> Void)?
        var answerHook: (@Sendable (String) -> String?)?
    }

    /// Makes a proxy in front of a port of this machine, with a port or a socket's path of its own.
    init(to target: Int, path: String? = nil) throws {
        self.target = target
        self.path = path
        listener = socket(path == nil ? AF_INET : AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        if let path {
            port = 0
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) {
                $0.copyBytes(from: path.utf8.prefix($0.count - 1))
            }
            let isBound = withUnsafePointer(to: address) { [listener] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                        && listen(listener, 64) == 0
                }
            }
            guard isBound else { throw CocoaError(.fileWriteUnknown) }
            Thread.detachNewThread { [self] in accept() }
            return
        }
        var address = SlowProxy.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Inherited by accepted connections.
        SlowProxy.shrink(listener)
        let isBound = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw XCTSkip("NOT TESTED: there is no free port on the loopback address.") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accept() }
    }

    var endpoint: URL { URL(string: path.map { "unix://\($0)" } ?? "http://127.0.0.1:\(port)")! }

    /// The treatment of bytes from now on, also on open connections.
    var line: Line {
        get { state.withLock { $0.line } }
        set { state.withLock { $0.line = newValue } }
    }

    /// The number of bytes of answers that were passed on.
    var answerCount: Int { state.withLock { $0.answerCount } }

    /// Sets a closure that sees the first bytes of each request before they are passed on, on the thread of its connection.
    func onRequest(_ hook: (@Sendable (String) -> Void)?) { state.withLock { $0.hook = hook } }

    /// Sets a closure that sees the pieces of answers, and may return others in their place.
    func onAnswer(_ hook: (@Sendable (String) -> String?)?) { state.withLock { $0.answerHook = hook } }

    /// Ends all connections.
    func cut() {
        let open = state.withLock { $0.descriptors }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        cut()
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return address
    }

    private static func shrink(_ descriptor: Int32) {
        var size: Int32 = 64 << 10
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 { return }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            SlowProxy.shrink(server)
            var address = SlowProxy.address(target)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected, state.withLock({ !$0.isClosed }) else {
                Glibc.close(client)
                Glibc.close(server)
                continue
            }
            state.withLock { $0.descriptors.formUnion([client, server]) }
            let ends = DispatchGroup()
            for (from, to, isRequest) in [(client, server, true), (server, client, false)] {
                ends.enter()
                Thread.detachNewThread { [self] in
                    pass(from, to, isRequest)
                    ends.leave()
                }
            }
            ends.notify(queue: .global()) { [self] in
                state.withLock { $0.descriptors.subtract([client, server]) }
                Glibc.close(client)
                Glibc.close(server)
            }
        }
    }

    private func pass(_ from: Int32, _ to: Int32, _ isRequest: Bool) {
        defer {
            shutdown(from, Int32(SHUT_RDWR))
            shutdown(to, Int32(SHUT_RDWR))
        }
        var buffer = [UInt8](repeating: 0, count: 8 << 10)
        while true {
            let rate = line.rate
            let piece = min(buffer.count, rate.map { max(256, $0 / 50) } ?? buffer.count)
            let count = recv(from, &buffer, piece, 0)
            if count <= 0 { return }
            let hook = state.withLock { $0.hook }
            if isRequest, let hook { hook(String(decoding: buffer[..<count], as: UTF8.self)) }
            let line = line
            if line.delay > 0 { Thread.sleep(forTimeInterval: line.delay) }
            if let rate { Thread.sleep(forTimeInterval: Double(count) / Double(rate)) }
            // A line that is deaf takes bytes, and keeps its connections.
            if isRequest ? !line.passesRequests : !line.passesAnswers { continue }
            var passed = buffer[..<count]
            if !isRequest, let hook = state.withLock({ $0.answerHook }),
                let other = hook(String(decoding: passed, as: UTF8.self))
            {
                passed = Array(other.utf8)[...]
            }
            var sent = 0
            while sent < passed.count {
                let written = passed[sent...].withUnsafeBytes {
                    Glibc.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if written <= 0 { return }
                sent += written
            }
            if !isRequest { state.withLock { $0.answerCount += count } }
        }
    }
}
#endif
