import Foundation
import Kivo
import KivoLog

/// The settings by which a realm over etcd is opened.
public struct EtcdOptions: Sendable {
    /// A user of etcd and the password.
    public struct Credentials: Sendable {
        /// The name of the user.
        public var user: String
        /// The password. It is sent to fetch a token, which is fetched again when it has ended.
        public var password: String

        /// Creates credentials.
        public init(user: String, password: String) { (self.user, self.password) = (user, password) }
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
    public var endpoints: [URL]
    /// The beginning of all keys of the realm in etcd. Realms of different prefixes have nothing to do with each other.
    public var prefix: String
    /// The user and the password; nil for a cluster that lets everybody in.
    public var credentials: Credentials?
    /// How writers keep out of each other's way.
    public var writing = Writing.optimistic
    /// The path of the local replica; nil for one that is gone with the realm. The realm is opened with it without the network,
    /// and a restart reads only what is new. One process at a time uses a path; others do without.
    public var replicaPath: String?
    /// The number of commits after which a checkpoint is due. A checkpoint of more than a megabyte is made again only when the
    /// commits behind it weigh a quarter of it, 1 KB each included that etcd needs.
    public var checkpointInterval = 1000
    /// The number of bytes of commits after which a checkpoint is due, with the same exception.
    public var checkpointBytes = 16 << 20
    /// The time, in seconds, that opening waits for the cluster. With a local replica that has data, opening waits half a second
    /// at most.
    public var openTimeout: TimeInterval = 10
    /// The time, in seconds, after which a watch that is silent is checked against the cluster.
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
}

extension Realm.Configuration {
    /// Creates the configuration of a realm whose commits are kept by an etcd cluster, so that many machines share it.
    ///
    ///      var options = EtcdOptions(endpoints: [URL(string: "http://10.0.0.1:2379")!], prefix: "orders")
    ///      options.replicaPath = "/var/lib/shop/orders.replica"
    ///      let realm = try Realm(configuration: .etcd(options, objectTypes: [Order.self]))
    ///
    /// Opening throws `Realm.Error.logUnavailable` if there is neither a cluster nor a local replica.
    ///
    /// - Parameters:
    ///   - options: The cluster, and the place in it.
    ///   - readOnly: Whether the realm only follows.
    ///   - schemaVersion: The version of the classes.
    ///   - migrationBlock: The closure that migrates data of a lower version.
    ///   - objectTypes: The classes of the realm; nil for all of the program.
    public static func etcd(
        _ options: EtcdOptions, readOnly: Bool = false, schemaVersion: UInt64 = 0,
        migrationBlock: MigrationBlock? = nil, objectTypes: [ObjectBase.Type]? = nil
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            readOnly: readOnly, schemaVersion: schemaVersion, migrationBlock: migrationBlock,
            objectTypes: objectTypes)
        let members = options.endpoints.map(\.absoluteString).joined(separator: ",")
        configuration.commitLog = CommitLogSource(identifier: "etcd \(members) \(options.prefix)") {
            try EtcdLog(options)
        }
        return configuration
    }
}
