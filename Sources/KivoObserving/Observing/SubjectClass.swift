/// The class of an observed object or collection, as key-value observing uses it: its keys, the rules between them, and how
/// values are read.
///
/// The core has one implementation, for classes that conform to ``KeyValueObservable``. Kivo has others: for model objects, which
/// can be rows of a realm, and for collections.
package protocol SubjectClass: AnyObject, KeyValueForms {
    /// The name of the class, for messages.
    var name: String { get }

    /// Returns the observations of a subject, created on first use.
    func makeObservations(of subject: AnyObject) -> KeyValueObservations

    /// Returns the observations of a subject, or nil if none were ever needed. Traps where the subject may not be used.
    func observations(of subject: AnyObject) -> KeyValueObservations?

    /// Registers an observation on a subject, unless the subject only describes its class. Traps if the subject or its key path
    /// cannot be observed.
    func register(_ observation: KeyValueRegistration, on subject: AnyObject)

    /// Returns whether a subject only describes its class, so that its registrations and their removals are ignored.
    func isPrototype(_ subject: AnyObject) -> Bool

    /// Returns the components of a typed key path of a subject. A class of models traps if its changes can never be notified.
    func watched(_ keyPath: AnyKeyPath, of subject: AnyObject) -> WatchedKeyPath

    /// Returns the key that a component of a key path identifies.
    func key(of component: KeyPathComponent) -> ObservedKey

    /// Returns the key paths on which a component's value depends; `typed` is the key path by which typed rules identify it.
    func dependencies(of component: KeyPathComponent, _ typed: AnyKeyPath?, _ subject: AnyObject)
        -> [WatchedKeyPath]

    /// Returns whether a component's dependencies are the properties that were read when the component was read last.
    func tracksReads(of component: KeyPathComponent) -> Bool

    /// Returns an object of the class that records its reads, to be read in place of an instance that does not.
    func makeStandIn() -> (any RecordingStandIn)?

    /// Returns whether changes of a key are notified without an explicit announcement.
    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool

    /// Returns the value of a key, or nil if there is none. An invalidated subject has values for a few keys only.
    func value(of subject: AnyObject, _ key: String) -> Any?

    /// Returns whether a key holds nothing but a reference to an object.
    func isReference(_ key: ObservedKey) -> Bool

    /// Returns the address of the object to which such a key refers.
    func reference(_ subject: AnyObject, _ key: ObservedKey) -> UnsafeMutableRawPointer?

    /// Returns whether the object in the value of a key must not be held.
    func isWeak(_ key: ObservedKey) -> Bool

    /// Returns whether a key is that of a stored property, so that the subject holds the object in its value.
    func isStored(_ key: ObservedKey) -> Bool

    /// Returns a closure that returns the number of elements in the value of a key, without reading the value; nil if there is none.
    func elementCount(of key: ObservedKey) -> ((_ subject: AnyObject) -> Int)?

    /// Returns the value of a computed property, or nil if the subject is invalidated.
    func value(of subject: AnyObject, _ keyPath: AnyKeyPath) -> Any?

    /// Returns whether a subject is invalidated: its end has been notified, and no notification follows.
    func isInvalidated(_ subject: AnyObject) -> Bool

    /// The name of the key that changes when a subject is invalidated; nil if subjects end only when they are released.
    var invalidationKey: String? { get }

    /// Returns whether another object is the same subject. A row can have many accessors, so identity is not enough.
    func isSame(_ subject: AnyObject, _ other: AnyObject) -> Bool

    /// Returns the identity of a subject.
    func identity(of subject: AnyObject) -> SubjectIdentity

    /// Converts a value that was read by name to the type of an observer or of a property; returns nil if it does not fit.
    func converted<Value>(_ value: Any?, to type: Value.Type) -> Value?

    /// Returns whether the value of a key is a collection that notifies observers of the key of its own changes.
    func hasSelfReporting(_ key: String) -> Bool

    /// Called when a column is observed for the first time on a subject, inside of the lock of its keys.
    func observe(column: Int, _ observations: KeyValueObservations)

    /// Called when the recipients of a subject's keys have changed.
    func recipientsChanged(_ observations: KeyValueObservations)
}

extension SubjectClass {
    package func dependencies(of component: KeyPathComponent, _ typed: AnyKeyPath?, _ subject: AnyObject)
        -> [WatchedKeyPath]
    { [] }

    package func tracksReads(of component: KeyPathComponent) -> Bool { false }
    package func makeStandIn() -> (any RecordingStandIn)? { nil }
    package func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool { true }
    package func value(of subject: AnyObject, _ keyPath: AnyKeyPath) -> Any? { nil }
    package func isReference(_ key: ObservedKey) -> Bool { false }
    package func isWeak(_ key: ObservedKey) -> Bool { false }
    package func elementCount(of key: ObservedKey) -> ((_ subject: AnyObject) -> Int)? { nil }
    package func isStored(_ key: ObservedKey) -> Bool { key.column >= 0 }
    package func reference(_ subject: AnyObject, _ key: ObservedKey) -> UnsafeMutableRawPointer? { nil }
    package func isInvalidated(_ subject: AnyObject) -> Bool { false }
    package var invalidationKey: String? { nil }
    package func isSame(_ subject: AnyObject, _ other: AnyObject) -> Bool { subject === other }
    package func identity(of subject: AnyObject) -> SubjectIdentity { SubjectIdentity(instance: subject) }
    package func hasSelfReporting(_ key: String) -> Bool { false }
    package func observe(column: Int, _ observations: KeyValueObservations) {}
    package func recipientsChanged(_ observations: KeyValueObservations) {}

    package func register(_ observation: KeyValueRegistration, on subject: AnyObject) {
        makeObservations(of: subject).add(observation)
    }

    package func isPrototype(_ subject: AnyObject) -> Bool { false }

    /// Returns the key that a typed key path identifies. Traps if the key path leads to another object.
    package func key(of keyPath: AnyKeyPath, of subject: AnyObject) -> ObservedKey {
        let path = watched(keyPath, of: subject)
        guard path.components.count == 1 else {
            trap("Changes of key path '\(keyPath)' cannot be announced: it leads to another object.")
        }
        return key(of: path.components[0])
    }
}

/// The identity of a subject: a row that many objects can share, or the object itself. Retains neither.
package struct SubjectIdentity: Hashable {
    private let id: ObjectIdentifier
    private let table: Int
    private let row: Int64

    /// Creates the identity of a row.
    package init(_ id: ObjectIdentifier, table: Int, row: Int64) {
        self.id = id
        self.table = table
        self.row = row
    }

    /// Creates the identity of an object that is no row.
    package init(instance object: AnyObject) { self.init(ObjectIdentifier(object), table: -1, row: 0) }
}

/// An object that is read in place of another to find out which of its properties a key path reads.
package protocol RecordingStandIn: AnyObject {
    var object: AnyObject { get }

    /// Ends the recording of the reads of a key path, which returned `value`, and returns what was read.
    func reads(endingAt value: Any?) -> StandInReads
}

/// The properties that were read from a stand-in and from the objects to which they lead.
package struct StandInReads {
    /// All paths that were read, except those that are prefixes of others.
    package let paths: [[String]]
    /// The path that was read, if each property was read from the value of the one before it.
    package let chain: [String]?
    /// The type of the property at the end of that path, if it is known.
    package let valueType: Any.Type?
    /// Whether that property is a collection, whose changes can have positions.
    package let isCollection: Bool

    package init(paths: [[String]], chain: [String]?, valueType: Any.Type?, isCollection: Bool) {
        self.paths = paths
        self.chain = chain
        self.valueType = valueType
        self.isCollection = isCollection
    }
}

/// An observed object that is no ``KeyValueObservable``: a collection.
package protocol ObservedSubject: AnyObject {
    var subjectClass: any SubjectClass { get }
}

/// The observed objects in values.
enum Subjects {
    /// Returns the observed object in a value and its class, or nil if there is none.
    static func subject(in value: Any) -> (object: AnyObject, class: any SubjectClass)? {
        guard let value = flatten(value), type(of: value) is AnyClass else { return nil }
        if let object = value as? any KeyValueObservable { return (object, object._observing.base) }
        return (value as? any ObservedSubject).map { ($0, $0.subjectClass) }
    }

    /// Returns the instance of a plain class at an address and its class, if the class is known; nil if it must be looked for.
    static func subject(at address: UnsafeMutableRawPointer?) -> (object: AnyObject, class: any SubjectClass)?
    {
        guard let address else { return nil }
        let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
        return ReflectedClass.known(type(of: object)).map { (object, $0) }
    }

    /// Returns whether a value is an object.
    @inline(__always)
    static func isObject(_ value: Any, _ object: AnyObject) -> Bool {
        type(of: value) is AnyClass && value as AnyObject === object
    }
}

/// The realm of a managed subject, which confines it and delivers its changes. Kivo has the only implementation.
package protocol SubjectHost: AnyObject {
    /// Whether the code runs where the subject may be used.
    var isCurrent: Bool { get }

    /// The subject, or nil if it is being torn down: another thread may release it at any time.
    var liveSubject: AnyObject? { get }

    /// Called before an observation is registered.
    func willRegister()

    /// Called when the first recipient is added, and when the last one is removed.
    func beginListening(_ observations: KeyValueObservations)
    func endListening(_ observations: KeyValueObservations)

    /// The part of the realm that ends observations on a foreign thread.
    var ender: any ObservationEnder { get }
}

/// The part of a realm that any thread may use to end an observation.
package protocol ObservationEnder: AnyObject, Sendable {
    /// Whether the code runs where the realm may be used.
    var isCurrent: Bool { get }

    /// Passes the caller's reference to an observation to the realm's own thread, which ends and releases the observation.
    func leave(observation: Unmanaged<AnyObject>)

    /// Calls `body` while the realm's observations exist; does not call it after their end.
    func whileObserving(_ body: () -> Void)
}
