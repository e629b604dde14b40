/// The observations of instances that have no property that is ``Observed``, in which they could be stored: of classes that
/// announce their changes. Thread-safe.
enum UnobservedInstances {
    /// An instance with its observations. The address of a released instance may become that of another.
    private struct Entry {
        weak var subject: AnyObject?
        let observations: KeyValueObservations
    }

    private struct Table {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of entries at which those of released instances are looked for.
        var limit = 64
    }

    private static let table = Locked(Table())

    static func observations(of subject: AnyObject) -> KeyValueObservations? {
        table.withLock { table in
            guard let entry = table.entries[ObjectIdentifier(subject)], entry.subject === subject else {
                return nil
            }
            return entry.observations
        }
    }

    static func makeObservations(of subject: AnyObject, _ subjectClass: any SubjectClass)
        -> KeyValueObservations
    {
        var released: [KeyValueObservations] = []
        let made = table.withLock { table in
            let id = ObjectIdentifier(subject)
            if let entry = table.entries[id] {
                if entry.subject === subject { return entry.observations }
                released.append(entry.observations)
            }
            if table.entries.count >= table.limit {
                for (id, entry) in table.entries where entry.subject == nil {
                    released.append(entry.observations)
                    table.entries[id] = nil
                }
                table.limit = max(64, table.entries.count * 2)
            }
            let made = KeyValueObservations(subject, subjectClass, isShared: true)
            table.entries[id] = Entry(subject: subject, observations: made)
            return made
        }
        // Observers are released outside of the lock.
        withExtendedLifetime(released) {}
        return made
    }
}
