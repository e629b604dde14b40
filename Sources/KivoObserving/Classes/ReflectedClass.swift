import Foundation

/// A class that conforms to ``KeyValueObservable`` by nothing but its declaration, as key-value observing uses it: its stored
/// properties, found by reflection, and its rules.
///
/// The number of a key is the offset of the property's storage in an instance. The observations of an instance are stored in the
/// properties that are or were observed, and in the first of all. Those of an instance without observed properties are in a table.
final class ReflectedClass: SubjectClass, @unchecked Sendable {
    // Proof of `Sendable`: everything is immutable but the rules' caches, which are behind locks.
    let type: any KeyValueObservable.Type
    private let rules: KeyValueRules
    private let isOfMainActor: Bool
    /// The properties by name; those of a subclass replace others.
    private let fields: [String: StoredField]
    private let observed: [StoredField]
    /// The stored properties that are not observed and may refer to objects: constants, as far as observers are concerned.
    private let constants: [StoredField]
    /// The constants that have no name for key-value coding. Typed key paths lead through them, too.
    private let unnamedConstants: [String: StoredField]

    private init(_ type: any KeyValueObservable.Type, isOfMainActor: Bool, _ all: [StoredField]) {
        self.type = type
        rules = KeyValueRules(type)
        self.isOfMainActor = isOfMainActor
        let areAllNamed = type.accessInstanceVariablesDirectly
        let named = all.filter { $0.isNamed && (areAllNamed || $0.storage != nil) }
        let fields = Dictionary(named.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.fields = fields
        observed = all.filter { $0.storage != nil }
        constants = all.filter { $0.storage == nil && $0.mayHoldObject }
        unnamedConstants = Dictionary(
            constants.filter { fields[$0.name] == nil }.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    // MARK: The known classes

    private static let known = Locked<[ObjectIdentifier: ReflectedClass]>([:])

    private static let recent = RecentObjects<ReflectedClass>(count: 64)

    /// Returns the description of an object's class, made on first use. It is never released.
    static func of(_ object: any KeyValueObservable) -> ReflectedClass {
        let id = ObjectIdentifier(Swift.type(of: object))
        if let last = recent.candidate(id), ObjectIdentifier(last.type) == id { return last }
        let found = known.withLock { $0[id] } ?? make(object)
        recent.store(found, id)
        return found
    }

    /// Returns the description of a class if it was used lately; nil if that is not known.
    static func known(_ type: AnyClass) -> ReflectedClass? {
        let id = ObjectIdentifier(type)
        return recent.candidate(id).flatMap { ObjectIdentifier($0.type) == id ? $0 : nil }
    }

    private static func make(_ object: any KeyValueObservable) -> ReflectedClass {
        // The rules are code of the class, which does not run inside of the lock.
        let isOfMainActor = IsolatedConformance.isOfMainActor(object)
        let made = ReflectedClass(
            Swift.type(of: object), isOfMainActor: isOfMainActor, StoredField.all(of: object))
        return known.withLock {
            let id = ObjectIdentifier(made.type)
            if let first = $0[id] { return first }
            $0[id] = made
            return made
        }
    }

    // MARK: KeyValueObservations

    var name: String { "\(type)" }

    private func address(_ field: StoredField, _ subject: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(subject).toOpaque() + field.offset
    }

    func observations(of subject: AnyObject) -> KeyValueObservations? {
        if observed.isEmpty { return UnobservedInstances.observations(of: subject) }
        guard let link = link(of: subject), !link.isEmpty else { return nil }
        return link.observations(of: subject, self)
    }

    private func link(of subject: AnyObject) -> ObservedLink? {
        observed.first.flatMap { $0.storage?.link(at: address($0, subject)) }
    }

    func makeObservations(of subject: AnyObject) -> KeyValueObservations {
        guard let first = observed.first else {
            return UnobservedInstances.makeObservations(of: subject, self)
        }
        return makeLink(of: subject, first).observations(of: subject, self)
    }

    /// Returns the link of a subject, made on first use. The first observed property of all stores it.
    private func makeLink(of subject: AnyObject, _ first: StoredField) -> ObservedLink {
        if let known = link(of: subject) { return known }
        // Other threads may use the link before they use anything that orders them after this.
        let made = ThreadSanitizer.ignoringWrites { ObservedLink() }
        first.storage?.setLink(made, at: address(first, subject))
        return link(of: subject)!
    }

    func register(_ observation: KeyValueRegistration, on subject: AnyObject) {
        if observation is NamedObservation { checkNotified(observation.path, of: subject) }
        if registerAlone(observation, subject) { return observation.sendInitial(subject) }
        makeObservations(of: subject).add(observation)
    }

    /// Registers an observation that can be the only one of a subject. Returns false if it cannot be, or if there are others.
    private func registerAlone(_ observation: KeyValueRegistration, _ subject: AnyObject) -> Bool {
        let path = observation.path
        guard let column = observation.onlyColumn, let first = observed.first,
            let field = observedField(column), let head = path.head, head.column == column
        else { return false }
        let link = makeLink(of: subject, first)
        guard link.isEmpty, dependencies(of: path.components[0], path.typed, subject).isEmpty,
            isAutomatic(head, path.typed),
            ObservationLocks.structure.withLock({ link.begin(observation, self) })
        else { return false }
        field.storage?.setLink(link, at: address(field, subject))
        return true
    }

    func observe(column: Int, _ observations: KeyValueObservations) {
        let subject = observations.subject
        guard let field = observedField(column), let link = link(of: subject) else { return }
        field.storage?.setLink(link, at: address(field, subject))
    }

    // MARK: Keys

    func key(of component: KeyPathComponent) -> ObservedKey {
        switch component {
        case .key(let name):
            guard let field = fields[name], field.storage != nil else { return .named(name) }
            return .column(field.offset, name)
        case .computed(let keyPath): return .computed(keyPath)
        case .operation: return .named("@")
        }
    }

    func isReference(_ key: ObservedKey) -> Bool {
        observed.contains { $0.offset == key.column && $0.isReference }
    }

    func isWeak(_ key: ObservedKey) -> Bool { observedField(key.column)?.isWeak == true }

    func elementCount(of key: ObservedKey) -> ((_ subject: AnyObject) -> Int)? {
        guard let field = observedField(key.column), let count = field.storage?.elementCount else {
            return nil
        }
        let offset = field.offset
        return { count(Unmanaged.passUnretained($0).toOpaque() + offset, $0) }
    }

    func isStored(_ key: ObservedKey) -> Bool {
        key.column >= 0 || fields[key.name] != nil || unnamedConstants[key.name] != nil
    }

    func reference(_ subject: AnyObject, _ key: ObservedKey) -> UnsafeMutableRawPointer? {
        (Unmanaged.passUnretained(subject).toOpaque() + key.column).load(as: UnsafeMutableRawPointer?.self)
    }

    func dependencies(of component: KeyPathComponent, _ typed: AnyKeyPath?, _ subject: AnyObject)
        -> [WatchedKeyPath]
    {
        if case .computed(let keyPath) = component, tracksReads(of: component) {
            return KeyPathReads(keyPath, subject, self).paths()
        }
        return rules.dependencies(of: component, typed) { watched($0, of: subject) }
    }

    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool { rules.isAutomatic(key, typed) }

    /// Whether the class declares dependencies of the states of an operation.
    var declaresStates: Bool { rules.declaresStates }

    func tracksReads(of component: KeyPathComponent) -> Bool {
        guard case .computed(let keyPath) = component else { return false }
        return !rules.hasDependencies(keyPath) && !rules.isManual(keyPath)
    }

    func watched(_ keyPath: AnyKeyPath, of subject: AnyObject) -> WatchedKeyPath {
        rules.watched(keyPath) { keyPath in
            let path = resolve(keyPath, subject)
            path.setHead(self)
            return path
        }
    }

    /// Finds the property or the path to which a typed key path leads, by reading it. Traps if its changes can never be notified.
    private func resolve(_ keyPath: AnyKeyPath, _ subject: AnyObject) -> WatchedKeyPath {
        if let name = rules.name(of: keyPath) { return WatchedKeyPath(name, [.key(name)], typed: keyPath) }
        let computed = WatchedKeyPath("\(keyPath)", [.computed(keyPath)], typed: keyPath)
        if rules.hasDependencies(keyPath) || rules.isManual(keyPath) { return computed }
        let reads = KeyPathReads(keyPath, subject, self)
        if !KeyPathParts.isSingle(keyPath) {
            if let path = reads.path() { return path }
        } else if let step = reads.steps().first, let field = step.field, reads.isProperty(step) {
            // Changes of collections can have positions, with the values at these.
            return WatchedKeyPath(
                field.name, [.key(field.name)], isDirect: !step.hasElements,
                storage: field.isWeak ? .none : .value(at: field.offset), typed: keyPath)
        }
        if reads.paths().isEmpty {
            if let manual = announced(keyPath) { return manual }
            if !reads.endsAtMissingConstant { trapUnobservable(keyPath) }
        }
        return computed
    }

    /// Returns the observed property with a number.
    func observedField(_ column: Int) -> StoredField? { observed.first { $0.offset == column } }

    /// Makes all properties of an instance record their reads.
    func linkAll(_ subject: AnyObject) {
        guard let first = observed.first else { return }
        let link = makeLink(of: subject, first)
        for field in observed { field.storage?.setLink(link, at: address(field, subject)) }
    }

    /// Calls `body` with each object to which an instance refers by a property that is not observed.
    func forEachConstant(of subject: AnyObject, _ body: (StoredField, AnyObject, any SubjectClass) -> Void) {
        for field in constants {
            guard let (object, objectClass) = Subjects.subject(in: field.value(in: subject)) else { continue }
            body(field, object, objectClass)
        }
    }

    /// Whether an instance has a property that is not observed, could refer to an object, and is nil.
    func hasMissingConstant(_ subject: AnyObject) -> Bool {
        constants.contains { flatten($0.value(in: subject)) == nil }
    }

    // MARK: Values

    /// Traps if the class's conformance belongs to the main actor and this code runs elsewhere. Checks in debug builds, and in all
    /// builds with the trait `CheckedReads`.
    func checkActor() {
        func check() -> Bool {
            if !isOfMainActor || HandlerIsolation.isOnMainQueue { return true }
            trap(
                """
                The conformance of '\(name)' to 'KeyValueObservable' is isolated to the main actor, and values are used by name \
                elsewhere, which the compiler did not see.
                """)
        }
        #if CheckedReads
        _ = check()
        #else
        assert(check())
        #endif
    }

    func value(of subject: AnyObject, _ key: String) -> Any? {
        if let field = fields[key] {
            if field.storage != nil { return field.value(in: subject) }
        } else if let constant = unnamedConstants[key] {
            return constant.value(in: subject)
        }
        return (subject as? any KeyValueObservable)?.value(forKey: key)
    }

    func value(of subject: AnyObject, _ keyPath: AnyKeyPath) -> Any? { read(subject, keyPath) }

    func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? { plainlyConverted(value, to: type) }
    var arePlain: Bool { true }
    func plainForm(_ value: Any) -> Any? { PlainForms().plainForm(value) }
    func wideNumber(_ value: Int128) -> any WideNumber { PlainForms().wideNumber(value) }

    /// Returns the stored property with a name.
    func field(_ name: String) -> StoredField? { fields[name] }

    /// Whether a key is that of a stored property, observed or not.
    func isField(_ key: String) -> Bool {
        key == "self" || fields[key] != nil || constants.contains { $0.name == key }
    }

    /// Returns the computed property with a name.
    func computedProperty(_ name: String) -> AnyKeyPath? { rules.computedProperty(name) }

    /// Assigns to an observed property and notifies its observers. Returns false if the value is of another type.
    func setValue(_ value: Any?, _ field: StoredField, of subject: any KeyValueObservable) -> Bool {
        if type._isOperation { OperationStates.begin(subject) }
        return field.storage!.setValue(value, at: address(field, subject), of: subject)
    }
}

extension KeyValueObservable {
    public var _observing: _ObservedClass { _ObservedClass(ReflectedClass.of(self)) }
}

/// Returns the value of a key path of an object.
func read(_ object: AnyObject, _ keyPath: AnyKeyPath) -> Any? {
    (object as Any)[keyPath: keyPath].flatMap { flatten($0) }
}

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
        for observations in released { observations.endRegistrations() }
        return made
    }
}
