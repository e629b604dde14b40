import Foundation
import Kivo
import KivoEtcd
import KivoLog
import Synchronization
import XCTest

/// Users, passwords and endpoints.
final class EtcdAccessTests: EtcdTestCase {
    /// A cluster with users: a token that has ended is fetched again.
    func testCredentials() throws {
        let cluster = try EtcdCluster(1)
        try cluster.addRootUser(password: "secret")
        var options = cluster.options()
        options.openTimeout = 3
        XCTAssertThrowsError(try realm(options)) {
            XCTAssertTrue(Realm.Error.logAccessDenied ~= $0, "\($0)")
        }
        options.credentials = { .init(user: "root", password: "wrong") }
        XCTAssertThrowsError(try realm(options)) {
            XCTAssertTrue(Realm.Error.logAccessDenied ~= $0, "\($0)")
            XCTAssertFalse("\($0)".contains("wrong"), "\($0)")
        }
        options.credentials = { throw CocoaError(.fileReadNoSuchFile) }
        XCTAssertThrowsError(try realm(options)) {
            XCTAssertTrue(Realm.Error.logAccessDenied ~= $0, "\($0)")
        }
        options.credentials = { .init(user: "root", password: "secret") }
        options.openTimeout = 10
        let (first, second) = (try realm(options), try realm(options))
        try write(first, 1)
        wait("the commit of a user") { self.numbers(second) == [1] }
        // A member forgets its tokens when it ends.
        cluster.kill(0)
        try cluster.start(0)
        wait("a new token") { (try? self.write(first, 2)) != nil }
        wait("the commit with a new token") { self.numbers(second) == [1, 2] }
    }

    /// A password that is changed while the realm is open is asked for again. Until it is right, writes say what is wrong.
    func testAPasswordThatChanges() throws {
        let cluster = try EtcdCluster(1)
        try cluster.addRootUser(password: "secret")
        let password = Password("secret")
        var options = cluster.options()
        options.credentials = { .init(user: "root", password: password.text) }
        let realm = try realm(options, timeout: 3)
        try write(realm, 1)
        let token = try XCTUnwrap(
            cluster.post("auth/authenticate", "{\"name\":\"root\",\"password\":\"secret\"}")["token"]
                as? String)
        try cluster.post(
            "auth/user/changepw", "{\"name\":\"root\",\"password\":\"changed\"}", token: token)
        // The tokens of before end with the member.
        cluster.kill(0)
        try cluster.start(0)
        wait("the reason") {
            do {
                try self.write(realm, 2)
                return false
            } catch { return Realm.Error.logAccessDenied ~= error }
        }
        password.text = "changed"
        wait("the new password") { (try? self.write(realm, 3)) != nil }
        XCTAssertEqual(numbers(realm), [1, 3])
    }

    private final class Password: Sendable {
        private let value: Mutex<String>
        init(_ text: String) { value = Mutex(text) }
        var text: String {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    func testCredentialsAreNotPrinted() {
        let credentials = EtcdOptions.Credentials(user: "me", password: "secret")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            XCTAssertTrue(text.contains("me"), text)
            XCTAssertFalse(text.contains("secret"), text)
        }
    }

    #if os(Linux)
    /// The socket of a proxy on the same machine.
    func testASocketOfThisMachine() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try SlowProxy(to: cluster.endpoints[0].port!, path: path("etcd.sock"))
        defer { proxy.close() }
        var options = cluster.options()
        options.endpoints = [proxy.endpoint]
        let (first, second) = (try realm(options), try realm(options))
        try write(first, 1)
        wait("the commit") { self.numbers(second) == [1] }
        options.endpoints = [URL(string: "unix:///nowhere/etcd.sock")!]
        options.openTimeout = 1
        XCTAssertThrowsError(try realm(options)) {
            XCTAssertTrue("\($0)".contains("/nowhere/etcd.sock"), "\($0)")
        }
    }

    /// The proxy of the documentation, with an authority and certificates of its own.
    func testATunnel() throws {
        guard let stunnel = EtcdCluster.executable("stunnel"), EtcdCluster.executable("openssl") != nil else {
            throw XCTSkip("NOT TESTED: there is no 'stunnel' or no 'openssl' on the PATH.")
        }
        try makeCertificates()
        let cluster = try EtcdCluster(
            1,
            [
                "--cert-file", path("server.pem"), "--key-file", path("server.key"), "--client-cert-auth",
                "--trusted-ca-file", path("authority.pem"),
            ], scheme: "https", isAwaited: false)
        let port = try XCTUnwrap(cluster.endpoints[0].port)
        let settings = """
            foreground = yes
            pid =

            [etcd]
            client = yes
            accept = \(path("etcd.sock"))
            connect = 127.0.0.1:\(port)
            CAfile = \(path("authority.pem"))
            verifyChain = yes
            checkIP = 127.0.0.1
            cert = \(path("client.pem"))
            key = \(path("client.key"))
            """
        try Data(settings.utf8).write(to: URL(fileURLWithPath: path("etcd.conf")))
        let tunnel = Process()
        tunnel.executableURL = URL(fileURLWithPath: stunnel)
        (tunnel.arguments, tunnel.standardError) = ([path("etcd.conf")], FileHandle.nullDevice)
        try tunnel.run()
        defer {
            tunnel.terminate()
            tunnel.waitUntilExit()
        }
        wait("the tunnel") { FileManager.default.fileExists(atPath: self.path("etcd.sock")) }
        var options = cluster.options()
        options.endpoints = [URL(string: "unix://\(path("etcd.sock"))")!]
        let (first, second) = (try realm(options), try realm(options))
        try write(first, 1, text: String(repeating: "tunnel", count: 300_000))
        wait("the commit") { self.numbers(second) == [1] }
    }

    private func makeCertificates() throws {
        try Data("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n".utf8)
            .write(to: URL(fileURLWithPath: path("extensions")))
        let key = ["-newkey", "rsa:2048", "-nodes", "-keyout"]
        try openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=authority"] + key
                + [path("authority.key"), "-out", path("authority.pem")])
        for name in ["server", "client"] {
            try openssl(
                ["req", "-subj", "/CN=\(name)"] + key + [path("\(name).key"), "-out", path("\(name).csr")])
            try openssl([
                "x509", "-req", "-in", path("\(name).csr"), "-CA", path("authority.pem"), "-CAkey",
                path("authority.key"), "-CAcreateserial", "-days", "2", "-extfile", path("extensions"),
                "-out",
                path("\(name).pem"),
            ])
        }
    }

    private func openssl(_ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try XCTUnwrap(EtcdCluster.executable("openssl")))
        (process.arguments, process.standardError) = (words, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, words.joined(separator: " "))
    }

    /// The session of the toolchain would end the program.
    func testHTTPSIsRefused() throws {
        var options = EtcdOptions(endpoints: [URL(string: "https://127.0.0.1:1")!], prefix: "realm")
        options.openTimeout = 1
        XCTAssertThrowsError(try realm(options)) {
            XCTAssertTrue(Realm.Error.logUnavailable ~= $0, "\($0)")
            XCTAssertTrue("\($0)".contains("allowsFoundationNetworking"), "\($0)")
        }
        options.allowsFoundationNetworking = true
        XCTAssertThrowsError(try realm(options)) {
            XCTAssertFalse("\($0)".contains("allowsFoundationNetworking"), "\($0)")
        }
        options.endpoints = [URL(string: "ftp://127.0.0.1:1")!]
        XCTAssertThrowsError(try realm(options)) {
            XCTAssertTrue("\($0)".contains("no endpoint that is known"), "\($0)")
        }
    }

    /// Passwords for another machine without encryption are worth a warning.
    func testPasswordsWithoutEncryption() throws {
        let messages = Mutex<[String]>([])
        let usual = Logger.shared
        defer { Logger.shared = usual }
        Logger.shared = Logger(level: .warn) { _, message in messages.withLock { $0.append(message) } }
        var options = EtcdOptions(endpoints: [URL(string: "http://127.0.0.1:1")!], prefix: "realm")
        options.openTimeout = 0.1
        options.credentials = { .init(user: "me", password: "secret") }
        XCTAssertThrowsError(try realm(options))
        XCTAssertEqual(messages.withLock { $0 }, [])
        options.endpoints.append(URL(string: "http://etcd.invalid:1")!)
        XCTAssertThrowsError(try realm(options))
        XCTAssertEqual(messages.withLock { $0.count }, 1)
        XCTAssertTrue(messages.withLock { $0[0] }.contains("without encryption"))
    }
    #endif
}
