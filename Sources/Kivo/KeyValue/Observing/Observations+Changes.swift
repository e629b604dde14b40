/// Changes of the observed object or collection, and the notifications of their recipients.
extension Observations {
    /// Returns the index of a column among the observed keys, or nil if changes of the column are not notified at the moment.
    @inline(__always)
    func place(column: Int) -> Int? {
        for index in keys.indices where keys[index].key.column == column {
            guard keys[index].isAutomatic, keys[index].demand != .nothing else { return nil }
            return silenced?.column == column ? nil : index
        }
        return nil
    }

    /// Performs a change of a property or collection, and notifies the observers of this accessor.
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

    /// Performs a change that is notified as one change of a key, of the given kind. The key's own changes are not notified
    /// meanwhile.
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

    /// Begins a change that is announced explicitly.
    func announce(_ key: ObservedKey, _ kind: CollectionChangeKind) {
        var bracket = ChangeBracket()
        if silenced != key { bracket.open(self, key, kind) }
        // The announcing code holds the subject, and the subject holds this bracket: holding it here would be a cycle.
        bracket.letGo(of: subject)
        announced.append((key, bracket))
    }

    /// Ends a change that was announced explicitly. Does nothing if there is no begun change of the key.
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
