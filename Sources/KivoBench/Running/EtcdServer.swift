import Foundation
import Kivo
import KivoEtcd

/// A member of etcd on a loopback address, with its data in a folder, and a client of it.
final class EtcdServer {
    /// The program; nil if it is not installed.
    static let program: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").map { "\($0)/etcd" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let endpoint: URL
    let client: EtcdClient
    private let process = Process()
    private let life = Pipe()
    private var prefixes = 0

    init(_ folder: URL) throws {
        // Below the ports that the system gives to connections.
        let port = Int.random(in: 20_000..<32_000)
        endpoint = URL(string: "http://127.0.0.1:\(port)")!
        client = EtcdClient([endpoint])
        let peer = "http://127.0.0.1:\(port + 1)"
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell ends the member when this process has ended, in whatever way.
        let script = "\"$@\" >/dev/null 2>&1 & read rest; kill -9 $!; wait"
        process.arguments = [
            "-c", script, "sh", EtcdServer.program!, "--data-dir", folder.path,
            "--listen-client-urls", endpoint.absoluteString,
            "--advertise-client-urls", endpoint.absoluteString,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", "default=\(peer)",
        ]
        process.standardInput = life
        try process.run()
        _ = try client.ask("kv/range", EtcdJSON.range("ready"), until: .now + .seconds(20))
    }

    /// Ends the member.
    func end() {
        client.close()
        try? life.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Returns the address of a realm that is not used yet.
    func newRealm() -> URL {
        prefixes += 1
        return endpoint.appendingPathComponent("bench-\(prefixes)")
    }

    /// Returns the keys of a realm.
    static func keys(_ realm: URL) -> EtcdKeys { EtcdKeys(realm.lastPathComponent) }

    /// Returns the configuration of the realm of an address.
    static func configuration(
        _ realm: URL, _ change: (inout EtcdOptions) -> Void = { _ in }
    ) -> Realm.Configuration {
        var options = EtcdOptions(
            endpoints: [realm.deletingLastPathComponent()], prefix: realm.lastPathComponent)
        change(&options)
        return .etcd(options, objectTypes: [Item.self, Holder.self])
    }

    func send(_ path: String, _ body: String) throws -> EtcdAnswer {
        try client.ask(path, body, until: .now + .seconds(20))
    }

    /// Returns the pair of a key.
    func pair(_ key: String) throws -> EtcdPair? {
        EtcdAnswer.pairs(try send("kv/range", EtcdJSON.range(key)).json).first
    }
}
