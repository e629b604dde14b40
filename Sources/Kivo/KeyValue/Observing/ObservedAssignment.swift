/// Assignments to properties that live in an observed object itself: those of unmanaged objects, and ignored ones.
///
/// Most observers have nothing to do before a change. An assignment that only such observers hear of costs no more than
/// calling them.
@usableFromInline
enum ObservedAssignment {
    /// The half before an assignment to the property of a column, as the object's wrappers carry it; whether there is
    /// anything to be ended.
    @inlinable @inline(__always)
    static func begin(_ object: ObjectBase, _ column: UInt32) -> Bool {
        object.kivoRow.state & RowReference.observedBefore != 0 && open(object, column)
    }

    @usableFromInline @inline(never)
    static func open(_ object: ObjectBase, _ column: UInt32) -> Bool {
        object.kivoObservations?.open(object, PersistedColumn.index(column)) ?? false
    }

    /// Whether an assignment to a managed object, which is observed but by nobody who has anything to do before it, is told
    /// by this accessor alone.
    @usableFromInline @inline(never)
    static func isAlone(_ object: ObjectBase) -> Bool {
        guard let attachment = object.kivoAttachment else { return false }
        return Unmanaged.passUnretained(unsafeDowncast(attachment, to: Observations.self))
            ._withUnsafeGuaranteedRef { $0.isAlone }
    }

    /// The half after an assignment.
    @usableFromInline @inline(never)
    static func end(_ object: ObjectBase, _ column: UInt32, _ isOpen: Bool) {
        if isOpen, object.isManaged, column < PersistedColumn.firstIgnored {
            trap(
                """
                An object of class '\(object.kivoContext.info.name)' was added to a realm inside of a notification before \
                one of its changes.
                """)
        }
        // Whoever assigns holds the object, and the object holds its observations.
        guard let attachment = object.kivoAttachment, object.kivoRow.state & RowReference.recording == 0
        else {
            return
        }
        Unmanaged.passUnretained(unsafeDowncast(attachment, to: Observations.self))._withUnsafeGuaranteedRef {
            if isOpen { $0.closeLast(object) } else { $0.notifyAfter(object, PersistedColumn.index(column)) }
        }
    }
}

/// A change of one key of the object itself, between its halves.
enum OpenChange {
    /// The one who observes the key, and nothing else.
    case observation(KeyValueRegistration)
    /// All of these observe the key and nothing else.
    case recipients(OrderedEntries<Observations.Recipient>)
    case bracket(ChangeBracket)
}

extension Observations {
    /// Opens a change of a column, unless nobody hears of it who has anything to do before it.
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
        // It is of an object that an observer made managed before the change, if there is none.
        guard let change = opened.popLast() else { return }
        switch change {
        case .observation(let observation): Self.notify(observation, object, .wholesale)
        case .recipients(let recipients): Self.notify(recipients, object, .wholesale)
        case .bracket(var bracket): bracket.close()
        }
    }

    /// Tells of a change before which there was nothing to do.
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
