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
            if isOpen { $0.closeLast(object) } else { $0.notifyPlain(object, PersistedColumn.index(column)) }
        }
    }
}

/// A change of one key of the object itself, between its halves.
enum OpenChange {
    /// The one who observes the key, and nothing else.
    case observation(Observation)
    /// All of these observe the key and nothing else.
    case listeners(ContiguousArray<Observations.Listener>)
    case bracket(ChangeBracket)
}

extension Observations {
    /// Opens a change of a column, unless nobody hears of it who has anything to do before it.
    fileprivate func open(_ object: ObjectBase, _ column: Int) -> Bool {
        guard let place = place(column: column), !keys[place].isPlain else { return false }
        if keys[place].hasPaths {
            var bracket = ChangeBracket()
            bracket.open(self, column: column)
            opened.append(.bracket(bracket))
        } else if keys[place].listeners.count == 1 {
            let observation = keys[place].listeners[0].observation
            if !observation.isRemoved { observation.willChange(object, .wholesale, 0) }
            opened.append(.observation(observation))
        } else {
            let listeners = keys[place].listeners
            for index in listeners.indices {
                let observation = listeners[index].observation
                if observation.needsWill, !observation.isRemoved {
                    observation.willChange(object, .wholesale, 0)
                }
            }
            opened.append(.listeners(listeners))
        }
        return true
    }

    /// Closes the change that was opened last.
    fileprivate func closeLast(_ object: ObjectBase) {
        // It is of an object that an observer made managed before the change, if there is none.
        guard let change = opened.popLast() else { return }
        switch change {
        case .observation(let observation): Self.notify(observation, object, .wholesale)
        case .listeners(let listeners): Self.notify(listeners, object, .wholesale)
        case .bracket(var bracket): bracket.close()
        }
    }

    /// Tells of a change before which there was nothing to do.
    @inline(__always)
    func notifyPlain(_ object: AnyObject, _ column: Int, _ kind: CollectionChangeKind = .wholesale) {
        guard let place = place(column: column), keys[place].isPlain else { return }
        if keys[place].listeners.count == 1 {
            Self.notify(keys[place].listeners[0].observation, object, kind)
        } else {
            Self.notify(keys[place].listeners, object, kind)
        }
    }

    @inline(__always)
    static func notify(
        _ listeners: ContiguousArray<Listener>, _ object: AnyObject, _ kind: CollectionChangeKind
    ) {
        for index in listeners.indices { notify(listeners[index].observation, object, kind) }
    }

    @inline(__always)
    private static func notify(_ observation: Observation, _ object: AnyObject, _ kind: CollectionChangeKind)
    {
        if !observation.isRemoved { observation.didChange(object, kind, 0) }
    }
}
