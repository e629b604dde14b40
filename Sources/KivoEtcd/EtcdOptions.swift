import Foundation
import Kivo
import KivoLog

/// The settings by which a realm over etcd is opened.
public struct EtcdOptions: Sendable {
    /// A user of etcd and the password. Their description does not contain the password.
    public struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        /// The name of the user.
        public var user: String
        /// The password. It is sent to fetch a token, which is fetched again when it has ended.
        public var password: String

        /// Creates credentials.
        public init(user: String, password: String) { (self.user, self.password) = (user, password) }

        /// The name of the user.
        public var description: String { "the credentials of '\(user)'" }

        /// A mirror of the name alone.
        public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
    }

    /// How writers of several machines keep out of each other's way.
    public enum Writing: Sendable, Equatable {
        /// The first commit wins, and the write of the other machine throws `Realm.Error.conflictingWrite`:
        /// `Realm.write(attempts:_:)` runs it again.
        case optimistic
        /// One writes at a time, and keeps the right to write until another asks for it. If nothing is heard of it for some
        /// seconds, the right passes on, and etcd refuses its commits.
        case lease(seconds: Int)
    }

    /// The members of the cluster, such as `http://10.0.0.1:2379`. Any of them may be down.
    ///
    /// On Linux and Android, `unix:///run/etcd.sock` is the socket of a proxy on the same machine, which encrypts: see
    /// <doc:OneRealmOnManyMachines>. Endpoints with `https` are refused there, unless ``allowsFoundationNetworking`` is set.
    public var endpoints: [URL]
    /// The beginning of all keys of the realm in etcd. Realms of different prefixes have nothing to do with each other.
    public var prefix: String
    /// A closure that returns the user and the password; nil for a cluster that lets everybody in.
    ///
    /// It is called on any thread whenever a token is fetched: at the beginning, and when the last one has ended. A password that
    /// has changed is then read. While it is wrong, writes throw `Realm.Error.logAccessDenied`.
    public var credentials: (@Sendable () throws -> Credentials)?
    /// Whether requests to `https` endpoints may use the `URLSession` of FoundationNetworking, on Linux and Android. With Swift 6.3
    /// it ends the program when an answer of HTTP has trailers, as each error of etcd 3.4's gateway has. False by default; without
    /// meaning on other systems.
    public var allowsFoundationNetworking = false
    /// How writers keep out of each other's way.
    public var writing = Writing.optimistic
    /// The path of the local replica; nil for one that is gone with the realm. The realm is opened with it without the network,
    /// and a restart reads only what is new. One process at a time uses a path; others do without, as does one whose path cannot be
    /// used: the reason is logged as a warning.
    public var replicaPath: String?
    /// The number of commits after which a checkpoint is due. A checkpoint of more than a megabyte is made again only when the
    /// commits behind it weigh a quarter of it, 1 KB each included that etcd needs.
    public var checkpointInterval = 1000
    /// The number of bytes of commits after which a checkpoint is due, with the same exception.
    public var checkpointBytes = 16 << 20
    /// The time, in seconds, that opening waits for the cluster. While data arrive, opening goes on. With a local replica that has
    /// data, opening waits half a second at most.
    public var openTimeout: TimeInterval = 10
    /// The time, in seconds, after which a watch that is silent is checked against the cluster. It doubles up to half a minute while
    /// nothing comes.
    public var checkInterval: TimeInterval = 1

    /// Creates options.
    ///
    /// - Parameters:
    ///   - endpoints: The members of the cluster.
    ///   - prefix: The beginning of all keys, without a slash at its end.
    public init(endpoints: [URL], prefix: String) {
        self.endpoints = endpoints
        self.prefix = prefix
    }

    /// Makes sure that requests to the endpoints are possible, and warns if they show a password to others.
    ///
    /// - Throws: ``CommitLogError/unavailable(_:)``.
    func check() throws {
        for endpoint in endpoints {
            switch endpoint.scheme {
            case "http":
                let host = endpoint.host ?? ""
                if credentials != nil, host != "localhost", host != "::1", !host.hasPrefix("127.") {
                    Logger.shared.log(
                        level: .warn,
                        message: "\(endpoint): passwords and data go to another machine without encryption")
                }
            case "https":
                #if os(Linux) || os(Android)
                if !allowsFoundationNetworking {
                    throw CommitLogError.unavailable(
                        """
                        \(endpoint): https is not used on Linux, because the URLSession there ends the program when etcd \
                        answers with an error. Let a proxy on this machine encrypt (see the page 'One realm on many \
                        machines'), or set 'allowsFoundationNetworking'
                        """)
                }
                #endif
            #if os(Linux) || os(Android)
            case "unix": break
            #endif
            default: throw CommitLogError.unavailable("\(endpoint) is no endpoint that is known here")
            }
        }
    }
}
