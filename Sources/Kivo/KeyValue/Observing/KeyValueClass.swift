import Foundation
import KivoEngine
import KivoObserving

/// A class of model objects, as key-value observing and coding use it: its properties by number, and its rules.
final class KeyValueClass: SubjectClass, @unchecked Sendable {
    // Proof of `Sendable`: everything is immutable but the rules' caches, which are behind locks.
    /// The class's description, which owns this.
    private unowned let info: ClassInfo
    private let rules: KeyValueRules

    init(_ info: ClassInfo) {
        self.info = info
        rules = KeyValueRules(info.type)
    }

    private var type: ObjectBase.Type { info.type }
    var name: String { type.className() }

    /// Returns the computed property with a name.
    func computedProperty(_ name: String) -> AnyKeyPath? { rules.computedProperty(name) }

    @inline(__always)
    private func object(_ subject: AnyObject) -> ObjectBase { unsafeDowncast(subject, to: ObjectBase.self) }

    // MARK: KeyValueObservations

    func observations(of subject: AnyObject) -> KeyValueObservations? {
        let object = object(subject)
        if object.isManaged { object.kivoCheckThread() }
        return object.kivoObservations
    }

    func makeObservations(of subject: AnyObject) -> KeyValueObservations {
        object(subject).kivoMakeObservations()
    }

    func register(_ observation: KeyValueRegistration, on subject: AnyObject) {
        let object = object(subject)
        if object.isFrozen { trap("An object of a frozen realm does not change and cannot be observed.") }
        let path = observation.path
        if object.isManaged, path.text != "isInvalidated", path.text != "invalidated" {
            object.locateOrTrap()
        }
        if path.head == nil { path.check(from: object.kivoInfo) }
        object.kivoMakeObservations().add(observation)
    }

    /// Stores in the object whether its assignments have observers, and whether any have work before the change.
    func recipientsChanged(_ observations: KeyValueObservations) {
        let object = object(observations.subject)
        var state = object.kivoState.subtracting([.observed, .observedBefore])
        if observations.hasRecipients { state.insert(.observed) }
        if observations.hasWorkBefore { state.insert(.observedBefore) }
        object.kivoState = state
    }

    // MARK: Keys

    func key(of component: KeyPathComponent) -> ObservedKey {
        switch component {
        case .key(let name):
            if name == "isInvalidated" || name == "invalidated" { return .invalidated }
            if let property = info.property(named: name) { return .column(property.column, name) }
            if let property = info.ignoredProperty(named: name) { return .column(property.column, name) }
            return .named(name)
        case .computed(let keyPath): return .computed(keyPath)
        case .operation: return .named("@")
        }
    }

    func dependencies(of component: KeyPathComponent, _ typed: AnyKeyPath?, _ subject: AnyObject)
        -> [WatchedKeyPath]
    {
        if case .computed(let keyPath) = component, tracksReads(of: component) {
            return KeyPathReads(keyPath, subject, self).paths()
        }
        return rules.dependencies(of: component, typed) { watched($0, of: subject) }
    }

    /// Key paths that end in a computed property of a plain class are the only ones without rules.
    func tracksReads(of component: KeyPathComponent) -> Bool {
        guard case .computed(let keyPath) = component else { return false }
        return !rules.hasDependencies(keyPath) && !rules.isManual(keyPath)
    }

    func makeStandIn() -> (any RecordingStandIn)? { ModelStandIn(info) }

    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool { rules.isAutomatic(key, typed) }

    func watched(_ keyPath: AnyKeyPath, of subject: AnyObject) -> WatchedKeyPath {
        rules.watched(keyPath) { resolve($0, subject) }
    }

    private func resolve(_ keyPath: AnyKeyPath, _ subject: AnyObject) -> WatchedKeyPath {
        let path = takeApart(keyPath, subject)
        path.check(from: info)
        path.setHead(self)
        return path
    }

    private func takeApart(_ keyPath: AnyKeyPath, _ subject: AnyObject) -> WatchedKeyPath {
        if let name = rules.name(of: keyPath) { return WatchedKeyPath(name, [.key(name)], typed: keyPath) }
        let hasRules = rules.hasDependencies(keyPath)
        // A key path that has rules and cannot be assigned is computed; its getter might not work on a blank object.
        if hasRules, !isWritable(keyPath) {
            return WatchedKeyPath("\(keyPath)", [.computed(keyPath)], typed: keyPath)
        }
        let recorded = KeyPathRecorder.record(keyPath, root: type)
        let path = WatchedKeyPath(recorded?.names.joined(separator: ".") ?? "")
        let (property, ignored) = path.property(from: info)
        let isSingle = path.components.count == 1
        let valueType = withoutOptional(Swift.type(of: keyPath).valueType)
        // A getter that returns another type than the property that it reads computes its value.
        let readType = property?.wrapper.valueType ?? ignored?.wrapper.valueType
        let isComputed =
            KeyPathParts.isSingle(keyPath) && readType.map { withoutOptional($0) != valueType } ?? false
        if let recorded, recorded.isChain, !recorded.names.isEmpty, !isComputed {
            // The path continues in an object that is no model.
            if !KeyPathParts.isSingle(keyPath), let readType, withoutOptional(readType) != valueType,
                ignored?.holdsPlainObjects == true
            {
                return KeyPathReads(keyPath, subject, self).path()
                    ?? WatchedKeyPath("\(keyPath)", [.computed(keyPath)], typed: keyPath)
            }
            var isDirect = false
            if let property {
                isDirect =
                    property.type.collection == .none
                    || valueType != withoutOptional(property.wrapper.valueType)
            } else if let ignored {
                isDirect = valueType != withoutOptional(ignored.wrapper.valueType)
            }
            // A link that the key path may force-unwrap is read component by component, since it can be nil.
            if let property, property.type.target != nil,
                valueType == withoutOptional(property.wrapper.valueType),
                !isSingle || !(Swift.type(of: keyPath).valueType is any AnyOptional.Type)
            {
                isDirect = false
            }
            return WatchedKeyPath(
                path.text, path.components, isDirect: isDirect,
                storage: isSingle ? storage(keyPath, property, recorded) : .none,
                typed: isSingle ? keyPath : nil)
        }
        if !rules.isManual(keyPath), !hasRules {
            trap(
                """
                \(KeyPathName.subject(keyPath, root: type)) does not lead to a persisted property of class \
                '\(type.className())': declare what it depends on in 'keyPathsAffectingValue(for:)', or name it in \
                'computedProperties()' and declare that by name. Computed properties of linked objects can be observed by name.
                """)
        }
        return WatchedKeyPath("\(keyPath)", [.computed(keyPath)], typed: keyPath)
    }

    /// Returns where an unmanaged object stores the property of a typed key path.
    private func storage(_ keyPath: AnyKeyPath, _ property: PropertyInfo?, _ recorded: KeyPathRecorder)
        -> WatchedKeyPath.StoredProperty
    {
        guard let property, property.type.collection == .none, recorded.isProperty(keyPath, of: type) else {
            return .none
        }
        return .optional(at: property.offset)
    }

    // MARK: Values

    func value(of subject: AnyObject, _ key: String) -> Any? { object(subject).kivoObservedValue(key) }

    func value(of subject: AnyObject, _ keyPath: AnyKeyPath) -> Any? {
        let object = object(subject)
        return object.isInvalidated ? nil : object[keyPath: keyPath]
    }

    func isInvalidated(_ subject: AnyObject) -> Bool { object(subject).isInvalidated }

    var invalidationKey: String? { ObservedKey.invalidated.name }

    func isSame(_ subject: AnyObject, _ other: AnyObject) -> Bool {
        if subject === other { return true }
        return (other as? ObjectBase).map { object(subject).isSameObject(as: $0) } ?? false
    }

    func identity(of subject: AnyObject) -> SubjectIdentity {
        SubjectIdentity(object(subject))
    }

    func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
        if value == nil, type == AnyRealmValue.self { return AnyRealmValue.none as? Value }
        return Kivo.converted(value, to: type)
    }

    func plainForm(_ value: Any) -> Any? { ModelForms().plainForm(value) }
    func wideNumber(_ value: Int128) -> any WideNumber { ModelForms().wideNumber(value) }
    func average(_ sum: Int128, of count: Int) -> Double { ModelForms().average(sum, of: count) }
    func hasSelfReporting(_ key: String) -> Bool { info.property(named: key) != nil }
}

extension IgnoredPropertyInfo {
    /// Whether the property refers to objects that can be observed and are no models.
    fileprivate var holdsPlainObjects: Bool {
        wrapper.target == nil && withoutOptional(wrapper.valueType) is any KeyValueObservable.Type
    }
}

/// The class of a subject without keys: an instance that only describes its class to the registry, whose initialiser may register
/// observers in vain, or a row whose reads are tracked.
final class KeylessClass: SubjectClass {
    static let prototype = KeylessClass(isPrototype: true)
    static let row = KeylessClass(isPrototype: false)

    private let isPrototype: Bool

    private init(isPrototype: Bool) { self.isPrototype = isPrototype }

    var name: String { "" }
    func makeObservations(of subject: AnyObject) -> KeyValueObservations {
        KeyValueObservations(subject, self)
    }
    func observations(of subject: AnyObject) -> KeyValueObservations? { nil }
    func register(_ observation: KeyValueRegistration, on subject: AnyObject) {}
    func isPrototype(_ subject: AnyObject) -> Bool { isPrototype }
    func watched(_ keyPath: AnyKeyPath, of subject: AnyObject) -> WatchedKeyPath { WatchedKeyPath("", []) }
    func key(of component: KeyPathComponent) -> ObservedKey { .invalidated }
    func value(of subject: AnyObject, _ key: String) -> Any? { nil }
    func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? { nil }
    func plainForm(_ value: Any) -> Any? { value }
    func wideNumber(_ value: Int128) -> any WideNumber { ModelForms().wideNumber(value) }
    func average(_ sum: Int128, of count: Int) -> Double { ModelForms().average(sum, of: count) }
}

extension ClassInfo {
    /// The class's rules for key-value observing and coding, created on first use.
    var keyValue: KeyValueClass {
        let known = keyValueRules.value ?? keyValueRules.setIfNone(KeyValueClass(self))
        return unsafeDowncast(known, to: KeyValueClass.self)
    }
}

/// The subject class of collections, whose only key is `isInvalidated`. Elements are observed through the property that holds the
/// collection.
final class CollectionClass: SubjectClass {
    static let only = CollectionClass()

    var name: String { "collection" }

    private func collection(_ subject: AnyObject) -> (any ModelCollection)? {
        subject as? any ModelCollection
    }

    func observations(of subject: AnyObject) -> KeyValueObservations? { collection(subject)?.observations }
    func makeObservations(of subject: AnyObject) -> KeyValueObservations {
        collection(subject)!.makeObservations()
    }

    func watched(_ keyPath: AnyKeyPath, of subject: AnyObject) -> WatchedKeyPath {
        trap("A collection is observed by name.")
    }

    func key(of component: KeyPathComponent) -> ObservedKey {
        if case .key(let name) = component, name != "isInvalidated", name != "invalidated" {
            return .named(name)
        }
        return .invalidated
    }

    func value(of subject: AnyObject, _ key: String) -> Any? {
        key == "isInvalidated" || key == "invalidated" ? isInvalidated(subject) : nil
    }

    func isInvalidated(_ subject: AnyObject) -> Bool { collection(subject)?.isInvalidated ?? false }
    func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? { Kivo.converted(value, to: type) }
    func plainForm(_ value: Any) -> Any? { ModelForms().plainForm(value) }
    func wideNumber(_ value: Int128) -> any WideNumber { ModelForms().wideNumber(value) }
    func average(_ sum: Int128, of count: Int) -> Double { ModelForms().average(sum, of: count) }
}
