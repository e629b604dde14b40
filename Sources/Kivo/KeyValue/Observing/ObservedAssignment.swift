/// Assignments to properties that are stored in an observed object itself: all properties of unmanaged objects, and ignored
/// properties.
///
/// Most observers have no work before a change. An assignment that only such observers receive costs no more than calling them.
@usableFromInline
enum ObservedAssignment {
    /// Begins an assignment to the property of a column, whose number the object's wrappers store. Returns whether a change was
    /// opened that `end` must close.
    @inlinable @inline(__always)
    static func begin(_ object: ObjectBase, _ column: UInt32) -> Bool {
        object.kivoState.contains(.observedBefore) && open(object, column)
    }

    @usableFromInline @inline(never)
    static func open(_ object: ObjectBase, _ column: UInt32) -> Bool {
        object.kivoObservations?.open(object, PersistedColumn.index(column)) ?? false
    }

    /// Whether only this accessor's observers are notified of an assignment to a managed object. For objects that are observed,
    /// but by no observer that has work before the change.
    @usableFromInline @inline(never)
    static func isAlone(_ object: ObjectBase) -> Bool {
        guard let attachment = object.kivoAttachment else { return false }
        return Unmanaged.passUnretained(unsafeDowncast(attachment, to: Observations.self))
            ._withUnsafeGuaranteedRef { $0.isAlone }
    }

    /// Ends an assignment and notifies the observers.
    @usableFromInline @inline(never)
    static func end(_ object: ObjectBase, _ column: UInt32, _ isOpen: Bool) {
        if isOpen, object.isManaged, column < PersistedColumn.firstIgnored {
            trap(
                """
                An object of class '\(object.kivoContext.info.name)' was added to a realm inside of a notification before \
                one of its changes.
                """)
        }
        // The assigning code holds the object, and the object holds its observations.
        guard let attachment = object.kivoAttachment, !object.kivoState.contains(.recording)
        else {
            return
        }
        Unmanaged.passUnretained(unsafeDowncast(attachment, to: Observations.self))._withUnsafeGuaranteedRef {
            if isOpen { $0.closeLast(object) } else { $0.notifyAfter(object, PersistedColumn.index(column)) }
        }
    }
}

/// An open change of one key of the object itself.
enum OpenChange {
    /// The only observer of the key, which observes nothing else.
    case observation(KeyValueRegistration)
    /// The observers of the key, which all observe nothing else.
    case recipients(OrderedEntries<Observations.Recipient>)
    case bracket(ChangeBracket)
}

extension Observations {
    /// Opens a change of a column; returns false if no observer has work before the change.
    fileprivate func open(_ object: ObjectBase, _ column: Int) -> Bool {
        guard let place = place(column: column) else { return false }
        switch keys[place].demand {
        case .nothing, .after: return false
        case .aroundPaths:
            var bracket = ChangeBracket()
            bracket.open(self, object, column: column)
            opened.append(.bracket(bracket))
        case .aroundChange:
            if let observation = keys[place].recipients.single?.observation {
                if !observation.isRemoved { observation.willChange(object, .wholesale, 0) }
                opened.append(.observation(observation))
                return true
            }
            let recipients = keys[place].recipients
            recipients.forEachObservation {
                if $0.needsWill, !$0.isRemoved { $0.willChange(object, .wholesale, 0) }
            }
            opened.append(.recipients(recipients))
        }
        return true
    }

    /// Closes the change that was opened last.
    fileprivate func closeLast(_ object: ObjectBase) {
        // There is none if an observer added the object to a realm before the change.
        guard let change = opened.popLast() else { return }
        switch change {
        case .observation(let observation): Self.notify(observation, object, .wholesale)
        case .recipients(let recipients): Self.notify(recipients, object, .wholesale)
        case .bracket(var bracket): bracket.close()
        }
    }

    /// Notifies the observers of a change that required no work beforehand.
    @inline(__always)
    fileprivate func notifyAfter(_ object: AnyObject, _ column: Int) {
        guard let place = place(column: column), keys[place].demand == .after else { return }
        if let recipient = keys[place].recipients.single {
            Self.notify(recipient.observation, object, .wholesale)
        } else {
            Self.notify(keys[place].recipients, object, .wholesale)
        }
    }
}
