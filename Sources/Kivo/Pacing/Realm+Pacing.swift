extension Realm {
    /// How often an observer is called.
    ///
    ///     let token = orders.sorted(byKeyPath: "time").observe(pacing: .every(.milliseconds(100))) { change in
    ///         table.apply(change)
    ///     }
    ///
    /// Changes compose, so that an observer that is called less often receives the same difference in one piece: from the state
    /// that it saw last to the current one. While changes are held back, their observer costs nothing when others commit. It keeps
    /// one version of the data in memory, however many commits there are.
    ///
    /// Pacing begins after the first call of a collection's observer, which follows its registration at once.
    public struct Pacing: Hashable, Sendable {
        enum Rule: Hashable, Sendable {
            case everyTurn
            case interval(Duration)
            /// After a time without a new version.
            case rest(Duration)
            case manual
        }

        let rule: Rule

        /// The observer is called in each turn of its run loop, queue or actor in which there are changes. This is how observers
        /// without pacing are called.
        public static var everyTurn: Pacing { Pacing(rule: .everyTurn) }

        /// The observer is called at most once in an interval: at once if the last call is long enough ago, else at the end of
        /// the interval.
        ///
        /// - Parameter interval: the shortest time from one call to the next. If it is not positive, the observer is called in
        ///   every turn.
        public static func every(_ interval: Duration) -> Pacing {
            Pacing(rule: interval > .zero ? .interval(interval) : .everyTurn)
        }

        /// The observer is called when the realm has been at rest for a tenth of a second; see ``whenIdle(for:)``.
        public static var whenIdle: Pacing { .whenIdle(for: .milliseconds(100)) }

        /// The observer is called when the realm has shown the same version for some time: for work that should not run again
        /// and again while others write.
        ///
        /// A realm that is written without pauses does not call the observer. ``NotificationToken/deliverNow()`` does.
        ///
        /// - Parameter duration: the shortest time without a new version. The longest is twice that.
        public static func whenIdle(for duration: Duration) -> Pacing {
            Pacing(rule: duration > .zero ? .rest(duration) : .everyTurn)
        }

        /// The observer is only called by ``NotificationToken/deliverNow()``.
        public static var manual: Pacing { Pacing(rule: .manual) }
    }
}
