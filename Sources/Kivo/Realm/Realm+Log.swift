extension Realm {
    /// The state of the connection with a ``Realm/Configuration/commitLog``.
    public struct LogDisconnection: Sendable, Equatable {
        /// The reason, in words.
        public let reason: String
        /// The time since then: the data that the realm shows may be that old.
        public let duration: Duration
    }

    /// Why and how long the realm has been without its ``Realm/Configuration/commitLog``, or nil if they are connected.
    ///
    /// Meanwhile the realm shows what had arrived. A file is always connected. Can be read on any thread.
    public var logDisconnection: LogDisconnection? {
        let connection = instance.store.log.connection
        guard let reason = connection.problem else { return nil }
        return LogDisconnection(
            reason: reason, duration: connection.lostAt.map { ContinuousClock.now - $0 } ?? .zero)
    }
}
