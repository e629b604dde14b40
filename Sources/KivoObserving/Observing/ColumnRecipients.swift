extension KeyValueObservations {
    /// The recipients of a column of a shared subject at one moment.
    @usableFromInline
    enum ColumnRecipients {
        /// There are none, or changes of the column are not notified at the moment.
        case none
        /// The only one observes the value of the column, takes it from the assignment, and has no work before an assignment.
        case value(KeyValueRegistration)
        /// Several that take the values from the assignment, of observations that the subject holds.
        case values(OrderedEntries<Recipient>, Unmanaged<KeyValueObservations>)
        /// The only one observes nothing but the column.
        case one(KeyValueRegistration)
        /// The path of the only one leads through the column, or a key that it observes depends on it.
        case path(KeyValueRegistration, canReroute: Bool)
        case many

        /// Whether the recipients take the values of an assignment, and have no work before it.
        @usableFromInline
        var takeValues: Bool {
            switch self {
            case .value, .values: true
            case .none, .one, .path, .many: false
            }
        }

        /// Notifies the recipients of an assignment, if they take its values: those of this assignment, whatever another thread
        /// assigns meanwhile.
        @inlinable @inline(__always)
        func didAssign<Value>(_ subject: AnyObject, _ old: Value, _ new: Value) {
            withUnsafePointer(to: old) { old in
                withUnsafePointer(to: new) { new in
                    didAssign(subject, old, new, Value.self) {
                        $0.assumingMemoryBound(to: Value.self).pointee
                    }
                }
            }
        }

        /// Notifies the recipients of an assignment, if they take its values.
        ///
        /// - Parameters:
        ///   - old: the address of the value before the assignment.
        ///   - new: the address of the assigned value.
        ///   - type: the type of both.
        ///   - load: returns the value at an address.
        @usableFromInline
        func didAssign(
            _ subject: AnyObject, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ type: Any.Type,
            _ load: (UnsafeRawPointer) -> Any
        ) {
            switch self {
            case .value(let observation): observation.didAssign(subject, old, new, type, load)
            case .values(let recipients, let observations):
                var shared = SharedRecords()
                recipients.forEachObservation { $0.didAssign(subject, old, new, type, load, &shared) }
                observations._withUnsafeGuaranteedRef { $0.endReading() }
            case .none, .one, .path, .many: break
            }
        }
    }
}

/// The change dictionaries of one assignment, which observers by name with the same options share.
package struct SharedRecords {
    private var records: (old: Record?, new: Record?, both: Record?)

    typealias Record = [NSKeyValueChangeKey: Any]

    /// Returns the dictionary for some options, made for the first observer with these options.
    mutating func record(_ options: NSKeyValueObservingOptions, _ make: () -> Record) -> Record {
        func record(_ known: inout Record?) -> Record {
            if let known { return known }
            let made = make()
            known = made
            return made
        }
        if !options.contains(.old) { return record(&records.new) }
        return options.contains(.new) ? record(&records.both) : record(&records.old)
    }
}
