extension Realm {
    /// Observes the realm: the block runs whenever this instance moves to another version. For the instance's own commits it runs
    /// inside the commit. It does not learn what changed. An instance that has read nothing yet also advances when others commit.
    ///
    /// From realm-swift's page "React to Changes", "Register a Realm Change Listener".
    ///
    /// - Returns: a token that keeps the observation alive.
    /// - Precondition: The realm is neither frozen nor that of a file that is opened read-only.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        instance.checkConfinement()
        if instance.isFrozen { trap("A frozen realm does not change and cannot be observed.") }
        if instance.configuration.isUnchanging {
            trap("A read-only realm does not change and cannot be observed.")
        }
        return instance.observe(block)
    }
}

extension Realm {
    /// Whether objects and collections of the realm can change, so that they can be observed.
    package var isObservable: Bool { !isFrozen && !configuration.isUnchanging }

    /// Whether an open write transaction has made changes, so that no observation can begin.
    package var hasUncommittedChanges: Bool { instance.hasUncommittedChanges }
}

extension RealmInstance {
    /// Traps unless observers of objects and collections can be added in this context.
    func checkObservable(_ what: String) {
        checkConfinement()
        if isFrozen { trap("\(what) of a frozen realm does not change and cannot be observed.") }
        if configuration.isUnchanging {
            trap("\(what) of a read-only realm does not change and cannot be observed.")
        }
        if let transaction, transaction.hasChanges {
            trap(
                "\(what) cannot be observed inside of a write transaction that has made changes: observe it before."
            )
        }
        ensureRead()
    }
}
