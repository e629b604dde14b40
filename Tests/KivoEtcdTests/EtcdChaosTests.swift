import Foundation
import Kivo
import KivoEtcd
import Synchronization
import TestRandomness
import XCTest

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Four processes write one realm while members of the cluster and processes are killed and stopped at random. Their
/// notifications are then compared with the final contents.
///
/// Takes some seconds; `KIVO_ETCD_CHAOS_SECONDS=600` makes it ten minutes.
final class EtcdChaosTests: EtcdTestCase {
    func testChaos() throws { try chaos([]) }

    #if os(Linux)
    /// Between the clients and each member are lines that are slow and late, change all the time, are cut, and lose what goes one
    /// way or the other.
    func testChaosOverSlowLines() throws {
        let cluster = try EtcdCluster(3)
        let proxies = try cluster.endpoints.map { try SlowProxy(to: $0.port!) }
        defer { for proxy in proxies { proxy.close() } }
        let isDone = Mutex(false)
        defer { isDone.withLock { $0 = true } }
        var random = RandomSource()
        let seed = random.next()
        Thread.detachNewThread {
            var random = RandomSource(seed: seed)
            while !isDone.withLock({ $0 }) {
                let proxy = proxies[random.below(proxies.count)]
                var line = SlowProxy.Line(
                    rate: 20_000 << random.below(6), delay: Double(random.below(40)) / 1000)
                switch random.below(8) {
                case 0: line.passesRequests = false
                case 1: line.passesAnswers = false
                case 2: proxy.cut()
                case 3: line.rate = nil
                default: break
                }
                proxy.line = line
                Thread.sleep(forTimeInterval: 0.2 + Double(random.below(10)) / 10)
            }
        }
        try chaos(proxies.map(\.endpoint), cluster)
    }
    #endif

    /// - Parameter endpoints: What clients connect with; empty for the members themselves.
    private func chaos(_ endpoints: [URL], _ made: EtcdCluster? = nil) throws {
        let seconds =
            ProcessInfo.processInfo.environment["KIVO_ETCD_CHAOS_SECONDS"].flatMap(Double.init) ?? 25
        var random = RandomSource()
        let cluster = try made ?? EtcdCluster(3)
        var options = cluster.options("chaos")
        if !endpoints.isEmpty { options.endpoints = endpoints }
        var clients = try (0..<4).map { try ClientProcess($0, cluster, options, path("client \($0)")) }
        var kills = 0
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            Thread.sleep(forTimeInterval: 0.3 + Double(random.below(8)) / 10)
            kills += 1
            switch random.below(6) {
            case 0, 1:
                let member = random.below(cluster.count)
                cluster.kill(member)
                Thread.sleep(forTimeInterval: Double(random.below(20)) / 10)
                try cluster.start(member)
            case 2:
                let member = random.below(cluster.count)
                cluster.stop(member)
                Thread.sleep(forTimeInterval: Double(random.below(30)) / 10)
                cluster.resume(member)
            case 3:
                // A client that sleeps longer than its lease.
                let index = random.below(clients.count)
                clients[index].signal(SIGSTOP)
                Thread.sleep(forTimeInterval: 1 + Double(random.below(30)) / 10)
                clients[index].signal(SIGCONT)
            default:
                let index = random.below(clients.count)
                clients[index].end()
                try clients[index].start()
            }
        }
        for index in clients.indices { clients[index].end() }
        try cluster.awaitHealth()
        options.endpoints = cluster.endpoints
        let history = clients.map(\.histories)
        let found = try entries(options)
        let violations = ChaosHistory(history, found).violations
        for violation in violations.prefix(20) { XCTFail(violation) }
        XCTAssertGreaterThan(found.count, 0, "nobody wrote anything")
        print("etcd-chaos: \(found.count) commits, \(kills) kills, \(violations.count) violations")
    }

    /// Returns the final contents, as a realm shows them that reads all of it from the cluster.
    private func entries(_ options: EtcdOptions) throws -> [(name: String, position: Int)] {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("chaos-\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: copy) }
        // By a client, which has the classes.
        let reader = Process()
        reader.executableURL = try BuiltProgram.named("KivoEtcdClient")
        reader.arguments =
            [options.prefix, "reader", "read", copy.path] + options.endpoints.map(\.absoluteString)
        let pipe = Pipe()
        reader.standardOutput = pipe
        try reader.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        reader.waitUntilExit()
        XCTAssertEqual(reader.terminationStatus, 0, "the realm cannot be read in the end")
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 3 && words[0] == "E" ? (String(words[1]), Int(words[2]) ?? 0) : nil
        }
    }
}

/// A client process that is started again under another name after it was killed.
private struct ClientProcess {
    private let index: Int
    private let arguments: [String]
    private let replica: String
    private var process: Process?
    private var starts = 0
    private var files: [URL] = []

    init(_ index: Int, _ cluster: EtcdCluster, _ options: EtcdOptions, _ replica: String) throws {
        (self.index, self.replica) = (index, replica)
        arguments = [options.prefix] + options.endpoints.map(\.absoluteString)
        try start()
    }

    mutating func start() throws {
        starts += 1
        let process = Process()
        process.executableURL = try BuiltProgram.named("KivoEtcdClient")
        let file = URL(fileURLWithPath: "\(replica).history-\(starts)")
        try Data().write(to: file)
        files.append(file)
        process.standardOutput = try FileHandle(forWritingTo: file)
        // Half of the clients write under a lease, the others without.
        process.arguments =
            [arguments[0], "c\(index).\(starts)", index < 2 ? "lease" : "optimistic", replica]
            + arguments.dropFirst()
        try process.run()
        self.process = process
    }

    func signal(_ number: Int32) { process.map { _ = kill($0.processIdentifier, number) } }

    mutating func end() {
        signal(SIGKILL)
        process?.waitUntilExit()
        process = nil
    }

    /// The output of each start of the client, line by line.
    var histories: [[String]] {
        files.map { file in
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            // The last line may have been cut off by the kill.
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }
}
