/// Changes of what is observed, told to those who are registered for them.
extension Observations {
    /// The place of a column among the observed keys, if its changes are to be told.
    @inline(__always)
    func place(column: Int) -> Int? {
        for index in keys.indices where keys[index].key.column == column {
            guard keys[index].isAutomatic, keys[index].demand != .nothing else { return nil }
            return silenced?.column == column ? nil : index
        }
        return nil
    }

    /// Carries out a change of a property or collection, telling those who observe it through this very object.
    @inline(__always)
    func changing(_ column: Int, _ kind: CollectionChangeKind = .wholesale, _ change: () -> Void) {
        guard let place = place(column: column) else { return change() }
        if keys[place].demand == .after {
            let recipients = keys[place].recipients
            change()
            return Self.notify(recipients, subject, kind)
        }
        var bracket = ChangeBracket()
        bracket.open(self, subject, column: column, kind)
        change()
        bracket.close()
    }

    /// Carries out a change that is told as one of a key, of whatever kind, while the key's own changes are not told.
    func announcing(_ key: ObservedKey, _ kind: CollectionChangeKind, _ change: () -> Void) {
        guard let place = place(key), keys[place].isAutomatic else { return change() }
        var bracket = ChangeBracket()
        bracket.open(self, key, kind)
        let outer = silenced
        silenced = key
        bracket.setBusy(true)
        change()
        bracket.setBusy(false)
        silenced = outer
        bracket.close()
    }

    /// The first half of a change that is announced by hand.
    func announce(_ key: ObservedKey, _ kind: CollectionChangeKind) {
        var bracket = ChangeBracket()
        if silenced != key { bracket.open(self, key, kind) }
        // It is held by whoever announces, and holds what it has announced.
        bracket.letGo(of: subject)
        announced.append((key, bracket))
    }

    /// The second half of a change that was announced by hand. Without a first half nothing happens.
    func endAnnounced(_ key: ObservedKey) {
        guard let index = announced.lastIndex(where: { $0.key == key }) else { return }
        var bracket = announced.remove(at: index).bracket
        withExtendedLifetime(subject) { bracket.close() }
    }

    // MARK: Telling

    @inline(__always)
    static func notify(
        _ recipients: OrderedEntries<Recipient>, _ object: AnyObject, _ kind: CollectionChangeKind
    ) {
        if let recipient = recipients.single { return notify(recipient.observation, object, kind) }
        recipients.forEachObservation { notify($0, object, kind) }
    }

    @inline(__always)
    static func notify(_ observation: KeyValueRegistration, _ object: AnyObject, _ kind: CollectionChangeKind)
    {
        if !observation.isRemoved { observation.didChange(object, kind, 0) }
    }
}
