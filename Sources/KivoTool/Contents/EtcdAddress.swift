import Foundation
import KivoEtcd

extension EtcdOptions {
    /// Creates the options of an address: `etcd://HOST:PORT,HOST:PORT/PREFIX`, or `etcds` for TLS, with `USER@` in front of the hosts
    /// for a cluster that asks for a user.
    ///
    /// - Parameter password: Returns the password of a user. An address has none: other users of the machine see the arguments of
    ///   a process.
    init(
        address: String, _ password: @escaping @Sendable (String) throws(UsageError) -> String
    ) throws(UsageError) {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let form = "etcd://HOST:PORT/PREFIX"
        let at = parts.count > 2 ? parts[2].lastIndex(of: "@") : nil
        let user = at.map { parts[2][..<$0] }
        if let user, user.contains(":") {
            throw UsageError(
                "the address contains a password, which other users of this machine can see. "
                    + ToolCredentials.ways)
        }
        guard parts.count == 4, !parts[3].isEmpty else {
            throw UsageError("'\(address)' has no prefix of keys: \(form)")
        }
        let scheme = parts[0] == "etcds:" ? "https" : "http"
        let hosts = at.map { parts[2][parts[2].index(after: $0)...] } ?? parts[2]
        var endpoints: [URL] = []
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
            guard !host.isEmpty, let url = URL(string: "\(scheme)://\(host)"), url.port != nil else {
                throw UsageError("'\(host)' is no host with a port: \(form)")
            }
            endpoints.append(url)
        }
        self.init(endpoints: endpoints, prefix: String(parts[3]))
        if let user = user.map(String.init) {
            // A missing password is reported before the cluster is asked.
            _ = try password(user)
            credentials = { Credentials(user: user, password: try password(user)) }
        }
    }
}
