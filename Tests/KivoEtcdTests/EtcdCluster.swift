import Foundation
import Kivo
import KivoEtcd
import XCTest

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Members of etcd on loopback addresses, started by a test, with their data in a temporary folder.
final class EtcdCluster {
    /// The program; nil if it is not installed.
    static let program = executable("etcd")

    /// The path of a program; nil if it is not installed.
    static func executable(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the path of the program.
    static func require() throws -> String {
        guard let program else {
            throw XCTSkip(
                "NOT TESTED: there is no 'etcd' on the PATH. Install it (package 'etcd-server') to test realms over etcd."
            )
        }
        return program
    }

    private struct Member {
        let name: String
        let client: Int
        let peer: Int
        var process: Process?
    }

    private let program: String
    let folder: URL
    private var members: [Member] = []
    private let token: String
    /// Options for all members.
    private let extra: [String]
    /// How clients connect.
    private let scheme: String

    init(
        _ count: Int = 3, _ extra: [String] = [], scheme: String = "http", isAwaited: Bool = true
    ) throws {
        self.scheme = scheme
        program = try EtcdCluster.require()
        token = "kivo-\(UInt64.random(in: 0 ... .max))"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("etcd-\(token)")
        self.extra = extra
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let ports = try EtcdCluster.freePorts(2 * count)
        for index in 0..<count {
            members.append(
                Member(name: "m\(index)", client: ports[2 * index], peer: ports[2 * index + 1], process: nil))
        }
        for index in members.indices { try start(index) }
        if isAwaited { try awaitHealth() }
    }

    deinit {
        for member in members { member.process.map { kill($0.processIdentifier, SIGKILL) } }
        for member in members { member.process?.waitUntilExit() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns ports that are free at this moment.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
            #else
            let kind = SOCK_STREAM
            #endif
            let descriptor = socket(AF_INET, kind, 0)
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
                }
            }
            guard result else { throw XCTSkip("NOT TESTED: there is no free port on the loopback address.") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    var endpoints: [URL] { members.map { URL(string: "\(scheme)://127.0.0.1:\($0.client)")! } }

    func options(_ prefix: String = "realm") -> EtcdOptions {
        EtcdOptions(endpoints: endpoints, prefix: prefix)
    }

    /// Starts a member, with the data that it had.
    func start(_ index: Int) throws {
        let member = members[index]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        let cluster = members.map { "\($0.name)=http://127.0.0.1:\($0.peer)" }.joined(separator: ",")
        process.arguments =
            [
                "--name", member.name, "--data-dir", folder.appendingPathComponent(member.name).path,
                "--listen-client-urls", "\(scheme)://127.0.0.1:\(member.client)",
                "--advertise-client-urls", "\(scheme)://127.0.0.1:\(member.client)",
                "--listen-peer-urls", "http://127.0.0.1:\(member.peer)",
                "--initial-advertise-peer-urls", "http://127.0.0.1:\(member.peer)",
                "--initial-cluster", cluster, "--initial-cluster-token", token,
                "--initial-cluster-state", "new",
            ] + extra
        let output = folder.appendingPathComponent("\(member.name).log")
        if !FileManager.default.fileExists(atPath: output.path) {
            try Data().write(to: output)
        }
        let handle = try FileHandle(forWritingTo: output)
        try handle.seekToEnd()
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        members[index].process = process
    }

    var count: Int { members.count }

    /// Ends a member as the system would, without a warning.
    func kill(_ index: Int) {
        guard let process = members[index].process else { return }
        EtcdCluster.signal(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        members[index].process = nil
    }

    /// Stops a member, whose connections stay open.
    func stop(_ index: Int) {
        members[index].process.map { EtcdCluster.signal($0.processIdentifier, SIGSTOP) }
    }

    /// Resumes a stopped member.
    func resume(_ index: Int) {
        members[index].process.map { EtcdCluster.signal($0.processIdentifier, SIGCONT) }
    }

    /// Calls a block while a member runs only 10 of 50 ms.
    func withSlowMember(_ index: Int, _ body: () throws -> Void) rethrows {
        guard let process = members[index].process?.processIdentifier else { return try body() }
        let (end, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            while true {
                EtcdCluster.signal(process, SIGSTOP)
                let isEnd = end.wait(timeout: .now() + .milliseconds(40)) == .success
                EtcdCluster.signal(process, SIGCONT)
                if isEnd { break }
                Thread.sleep(forTimeInterval: 0.01)
            }
            ended.signal()
        }
        defer {
            end.signal()
            ended.wait()
        }
        try body()
    }

    private static func signal(_ process: Int32, _ number: Int32) {
        #if canImport(Glibc)
        _ = Glibc.kill(process, number)
        #elseif canImport(Darwin)
        _ = Darwin.kill(process, number)
        #endif
    }

    private func kill(_ process: Int32, _ number: Int32) { EtcdCluster.signal(process, number) }

    /// The path of a member's data.
    func data(_ index: Int) -> URL { folder.appendingPathComponent(members[index].name) }

    // MARK: Requests

    /// Sends a request to the first member that answers.
    @discardableResult
    func post(_ path: String, _ body: String, token: String? = nil) throws -> [String: Any] {
        var last = ""
        for _ in 0..<60 {
            for endpoint in endpoints {
                let answer = EtcdCluster.post(endpoint, path, body, token)
                if let json = answer { return json }
                last = endpoint.absoluteString
            }
            Thread.sleep(forTimeInterval: 0.25)
        }
        throw CocoaError(
            .fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: "no member answers: \(last)"])
    }

    /// Sends a request to a member; nil if it does not answer.
    @discardableResult
    static func post(
        _ endpoint: URL, _ path: String, _ body: String, _ token: String? = nil
    ) -> [String: Any]? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "-s", "-m", "3", "-d", body, "-H", "Authorization: \(token ?? "")",
            endpoint.appendingPathComponent("v3/" + path).absoluteString,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let json = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        return json?["header"] == nil ? nil : json
    }

    /// Makes the cluster ask for a password.
    func addRootUser(password: String) throws {
        try post("auth/user/add", "{\"name\":\"root\",\"password\":\"\(password)\"}")
        try post("auth/role/add", "{\"name\":\"root\"}")
        try post("auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}")
        try post("auth/enable", "{}")
    }

    /// Waits until the cluster takes requests.
    func awaitHealth() throws { try post("kv/range", "{\"key\":\"Lw==\"}") }

    /// The revision of the cluster.
    func revision() throws -> String {
        let header = try post("kv/range", "{\"key\":\"Lw==\"}")["header"] as? [String: Any]
        return header?["revision"] as? String ?? "0"
    }

    /// Removes the history of all keys.
    func compact() throws { try post("kv/compaction", "{\"revision\":\"\(try revision())\"}") }
}
