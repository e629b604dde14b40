import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue)
#elseif canImport(Musl)
import Musl
private let streamType = SOCK_STREAM
#else
import Darwin
private let streamType = SOCK_STREAM
#endif

/// A socket of TCP that does not block: its methods suspend the task until the system is ready.
///
/// Closed when it is released. Used by one task at a time.
final class Socket: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
    }

    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Replies are small, and clients wait for them.
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Listens on a port of this machine; 0 for any that is free.
    static func listening(on port: UInt16) throws -> Socket {
        let socket = try Socket(new())
        var isOn: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, size)
        guard withAddress(port, { bind(socket.descriptor, $0, $1) }) == 0 else { throw Failure("bind") }
        guard listen(socket.descriptor, 128) == 0 else { throw Failure("listen") }
        return socket
    }

    /// Connects to a port of this machine.
    static func connected(to port: UInt16) throws -> Socket {
        let descriptor = try new()
        // Connecting to the same machine takes no time, so that it may block.
        guard withAddress(port, { connect(descriptor, $0, $1) }) == 0 else {
            defer { close(descriptor) }
            throw Failure("connect")
        }
        return Socket(descriptor)
    }

    private static func new() throws -> Int32 {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw Failure("socket") }
        return descriptor
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The port that the socket is bound to.
    var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Suspends until there is a connection; nil if the task is cancelled before.
    func accept() async throws -> Socket? {
        while !Task.isCancelled {
            let accepted = system { acceptConnection(descriptor, nil, nil) }
            if accepted >= 0 { return Socket(accepted) }
            switch errno {
            case EAGAIN, ECONNABORTED: await ready { DispatchSource.makeReadSource(fileDescriptor: $0) }
            case EMFILE, ENFILE:
                // Without a free descriptor the connection stays in the queue until another one ends.
                try? await Task.sleep(nanoseconds: 50_000_000)
            default: throw Failure("accept")
            }
        }
        return nil
    }

    /// Suspends until bytes have arrived; empty at the end of the connection, and if the task is cancelled before.
    func read() async throws -> Data {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while !Task.isCancelled {
            let count = system { recv(descriptor, &buffer, buffer.count, 0) }
            if count >= 0 { return Data(buffer.prefix(count)) }
            guard errno == EAGAIN else { throw Failure("recv") }
            await ready { DispatchSource.makeReadSource(fileDescriptor: $0) }
        }
        return Data()
    }

    /// Suspends until all bytes are handed to the system.
    func write(_ data: Data) async throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = system {
                rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                await ready { DispatchSource.makeWriteSource(fileDescriptor: $0) }
            } else {
                throw Failure("send")
            }
        }
    }

    /// Repeats a call that a signal interrupts.
    private func system<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Suspends until a source of the descriptor has an event, or the task is cancelled.
    private func ready(_ make: (Int32) -> any DispatchSourceProtocol) async {
        let source = Source(make(descriptor))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in source.start { continuation.resume() } }
        } onCancel: {
            source.cancel()
        }
    }
}

/// A source of one event. `@unchecked Sendable`: sources of Dispatch may be used on every thread.
private final class Source: @unchecked Sendable {
    private let source: any DispatchSourceProtocol

    init(_ source: any DispatchSourceProtocol) { self.source = source }

    /// Calls a closure once: after the first event, or when the source is cancelled.
    func start(_ done: @escaping @Sendable () -> Void) {
        source.setEventHandler { [weak self] in self?.cancel() }
        source.setCancelHandler { done() }
        source.resume()
    }

    func cancel() { source.cancel() }
}

#if canImport(Darwin)
private let noSignal: Int32 = 0
#else
private let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// `accept(2)`, which has the name of a method of the socket.
private func acceptConnection(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ size: UnsafeMutablePointer<socklen_t>?
) -> Int32 {
    accept(descriptor, address, size)
}
