import Foundation
import Kivo
import KivoLog

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
