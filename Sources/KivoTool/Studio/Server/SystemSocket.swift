#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation

/// A non-blocking TCP socket of the system. The owner closes it.
struct SystemSocket: Sendable {
    let descriptor: Int32

    /// An error of the system, as a sentence.
    static func problem(_ action: String) -> Problem {
        Problem("\(action) failed: \(String(cString: strerror(errno)))")
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Returns a socket that listens on the loopback interface, and its port. Port 0 lets the system choose one.
    static func listening(port: UInt16) throws(Problem) -> (socket: SystemSocket, port: UInt16) {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw problem("opening a socket") }
        let made = SystemSocket(descriptor: descriptor)
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound, listen(descriptor, 256) == 0 else {
            let isReserved = errno == EACCES && port < 1024
            let failure = problem("listening on port \(port)\(isReserved ? ", which needs privileges," : "")")
            made.close()
            throw failure
        }
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (made, UInt16(bigEndian: address.sin_port))
    }

    /// Returns the next waiting connection, or nil if there is none.
    func accepted() -> SystemSocket? {
        let next = accept(descriptor, nil, nil)
        guard next >= 0 else { return nil }
        var isOn: Int32 = 1
        setsockopt(next, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return SystemSocket(descriptor: next)
    }

    /// The result of reading or writing.
    enum Transfer {
        case bytes(Int)
        /// No byte can be transferred now.
        case blocked
        /// The other end closed the connection, or it failed.
        case ended
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        result(recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Darwin)
        return result(send(descriptor, bytes.baseAddress, bytes.count, 0))
        #else
        return result(send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
        #endif
    }

    private func result(_ count: Int) -> Transfer {
        if count > 0 { return .bytes(count) }
        if count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR { return .blocked }
        return .ended
    }

    func close() { SystemDescriptor.close(descriptor) }

    /// Closes the socket, and discards what the other end did not take.
    func abort() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

/// A pipe through which other threads wake a loop that waits for sockets.
struct WakePipe: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(Problem) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemSocket.problem("opening a pipe") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Wakes the loop. A pipe that is full wakes it anyway.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Removes what was written.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { bytes in
            while read(reading, bytes.baseAddress, bytes.count) > 0 {}
        }
    }

    func close() {
        for end in [reading, writing] { SystemDescriptor.close(end) }
    }
}

/// The function of the system, under a name that methods can call from within their own `close()`.
private enum SystemDescriptor {
    static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
        _ = Darwin.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #else
        _ = Glibc.close(descriptor)
        #endif
    }
}
#endif
