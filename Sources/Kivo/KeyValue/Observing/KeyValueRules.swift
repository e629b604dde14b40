import Foundation
import KivoEngine
import Synchronization

/// Rules for the keys of a class by typed key path. The rules of a conforming class apply whenever one of its keys is observed by
/// a typed key path. They also apply to a key that is observed by name, if the name's key path is known: from
/// ``ObjectBase/computedProperties()``, or from a typed key path that was used before.
///
///     extension Person: KeyValueObservingCustomization {
///         static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
///             key == \Person.fullName ? [\Person.firstName, \Person.lastName] : []
///         }
///         static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { key != \Person.draft }
///     }
public protocol KeyValueObservingCustomization: ObjectBase {
    /// Returns the key paths on which a key's value depends, relative to the object; returns an empty set if there are none.
    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath>
    /// Returns a Boolean value that indicates whether assignments to a key notify observers without an explicit announcement.
    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool
}

extension ObjectBase {
    /// Declares at run time the keys on which a key's value depends, and replaces the previous declaration.
    ///
    /// Ignored by a class that overrides ``keyPathsForValuesAffectingValue(forKey:)``, and by objects that are already observed.
    /// Thread-safe.
    public class func setKeys(
        _ keys: [String], triggerChangeNotificationsForDependentKey dependentKey: String
    ) {
        DeclaredDependencies.declare(keys, affecting: dependentKey, of: self)
    }

    /// Returns the keys that ``setKeys(_:triggerChangeNotificationsForDependentKey:)`` declared for a dependent key.
    final class func kivoDeclaredDependencies(ofKey key: String) -> Set<String> {
        DeclaredDependencies.keys(affecting: key, of: self)
    }
}

/// The dependencies that were declared at run time. Thread-safe.
enum DeclaredDependencies {
    private static let declared = Lock<[ObjectIdentifier: [String: Set<String>]]>([:])
    private static let isAny = Atomic<Bool>(false)

    static func declare(_ keys: [String], affecting key: String, of type: ObjectBase.Type) {
        declared.withLock { $0[ObjectIdentifier(type), default: [:]][key] = Set(keys) }
        isAny.store(true, ordering: .releasing)
    }

    /// Returns the keys that were declared for a class or, if there are none, for the nearest superclass with a declaration.
    static func keys(affecting key: String, of type: ObjectBase.Type) -> Set<String> {
        guard isAny.load(ordering: .acquiring) else { return [] }
        for ancestor in Registry.info(type).ancestors.reversed() {
            if let keys = declared.withLock({ $0[ancestor]?[key] }) { return keys }
        }
        return []
    }
}

/// The rules of a class for key-value observing and coding, beyond its persisted properties.
///
/// Immutable except for caches behind locks.
final class KeyValueClass: @unchecked Sendable {
    private let type: ObjectBase.Type
    private let computed: [String: AnyKeyPath]
    private let names: [AnyKeyPath: String]
    private let customization: (any KeyValueObservingCustomization.Type)?
    /// The observed key paths, by instance: a literal is always the same instance. Bounded, since other key paths can be new
    /// instances each time.
    private let known = Lock<[ObjectIdentifier: Known]>([:])
    /// The typed key paths of properties that were used so far, by name. Typed rules identify keys only by key path.
    private let typedNames = Lock<[String: Known]>([:])

    /// A key path, retained so that its identity is not reused. Immutable.
    private struct Known: @unchecked Sendable {
        let keyPath: AnyKeyPath
        let path: WatchedKeyPath
    }

    init(_ type: ObjectBase.Type) {
        self.type = type
        computed = type.computedProperties()
        names = Dictionary(computed.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        customization = type as? any KeyValueObservingCustomization.Type
    }

    /// Returns the computed property with a name.
    func computedProperty(_ name: String) -> AnyKeyPath? { computed[name] }

    /// Returns the key path by which typed rules identify a key.
    private func typed(_ name: String) -> AnyKeyPath? {
        computed[name] ?? typedNames.withLock { $0[name] }?.keyPath
    }

    /// Returns the key paths that affect a key; `typed` is the key path by which typed rules identify the key.
    func dependencies(ofKey name: String, _ typed: AnyKeyPath?) -> [WatchedKeyPath] {
        let keys = type.keyPathsForValuesAffectingValue(forKey: name)
        var paths = keys.isEmpty ? [] : keys.sorted().map { WatchedKeyPath($0) }
        if customization != nil, let typed = typed ?? self.typed(name) { paths += dependencies(of: typed) }
        return paths
    }

    /// Returns the key paths that affect a key by typed rules.
    func dependencies(of keyPath: AnyKeyPath) -> [WatchedKeyPath] {
        guard let customization else { return [] }
        return customization.keyPathsAffectingValue(for: keyPath).map { watched($0) }
    }

    /// Whether assignments to a key are notified without an explicit announcement.
    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool {
        if !key.name.isEmpty, !type.automaticallyNotifiesObservers(forKey: key.name) { return false }
        guard let customization, let typed = typed ?? key.keyPath ?? self.typed(key.name) else { return true }
        return customization.automaticallyNotifiesObservers(for: typed)
    }

    /// Returns the components of a typed key path. Traps if its changes can never be notified.
    func watched(_ keyPath: AnyKeyPath) -> WatchedKeyPath {
        let id = ObjectIdentifier(keyPath)
        if let known = known.withLock({ $0[id] }) { return known.path }
        let path = resolve(keyPath)
        let entry = Known(keyPath: keyPath, path: path)
        known.withLock { if $0.count < 4096 { $0[id] = entry } }
        if customization != nil, path.typed != nil { typedNames.withLock { $0[path.text] = entry } }
        return path
    }

    private func resolve(_ keyPath: AnyKeyPath) -> WatchedKeyPath {
        let path = takeApart(keyPath)
        let info = Registry.info(type)
        path.check(from: info)
        path.setHead(info)
        return path
    }

    private func takeApart(_ keyPath: AnyKeyPath) -> WatchedKeyPath {
        if let name = names[keyPath] { return WatchedKeyPath(name, [.key(name)], typed: keyPath) }
        let hasRules = !dependencies(of: keyPath).isEmpty
        // A key path that has rules and cannot be assigned is computed; its getter might not work on a blank object.
        if hasRules, !StorageProbe.isWritable(keyPath) {
            return WatchedKeyPath("\(keyPath)", [.computed(keyPath)], typed: keyPath)
        }
        let recorded = KeyPathRecorder.record(keyPath, root: type)
        let path = WatchedKeyPath(recorded?.names.joined(separator: ".") ?? "")
        let (property, ignored) = path.property(from: Registry.info(type))
        let isSingle = path.components.count == 1
        let valueType = unwrapped(Swift.type(of: keyPath).valueType)
        // A getter that returns another type than the property that it reads computes its value.
        let readType = property?.wrapper.valueType ?? ignored?.wrapper.valueType
        let isComputed =
            KeyPathParts.isSingle(keyPath) && readType.map { unwrapped($0) != valueType } ?? false
        if let recorded, recorded.isChain, !recorded.names.isEmpty, !isComputed {
            var isDirect = false
            if let property {
                isDirect =
                    property.type.collection == .none || valueType != unwrapped(property.wrapper.valueType)
            } else if let ignored {
                isDirect = valueType != unwrapped(ignored.wrapper.valueType)
            }
            // A link that the key path may force-unwrap is read component by component, since it can be nil.
            if let property, property.type.target != nil, valueType == unwrapped(property.wrapper.valueType),
                !isSingle || !(Swift.type(of: keyPath).valueType is any AnyOptional.Type)
            {
                isDirect = false
            }
            return WatchedKeyPath(
                path.text, path.components, isDirect: isDirect,
                offset: isSingle ? property.flatMap { StorageProbe.offset(keyPath, $0, in: type) } : nil,
                typed: isSingle ? keyPath : nil)
        }
        let isManual = customization?.automaticallyNotifiesObservers(for: keyPath) == false
        if !isManual, !hasRules {
            trap(
                """
                Key path '\(keyPath)' does not lead to a persisted property of class '\(type.className())': declare what \
                it depends on in 'keyPathsAffectingValue(for:)', or name it in 'computedProperties()' and declare that \
                by name. Computed properties of linked objects can be observed by name.
                """)
        }
        return WatchedKeyPath("\(keyPath)", [.computed(keyPath)], typed: keyPath)
    }
}

/// Returns a type without its optional layers.
private func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type).map { unwrapped($0.wrappedType) } ?? type
}

extension ClassInfo {
    /// The class's rules for key-value observing and coding, created on first use.
    var keyValue: KeyValueClass {
        let known = keyValueRules.value ?? keyValueRules.setIfNone(KeyValueClass(type))
        return unsafeDowncast(known, to: KeyValueClass.self)
    }

    func dependencies(ofKey name: String, _ typed: AnyKeyPath?) -> [WatchedKeyPath] {
        keyValue.dependencies(ofKey: name, typed)
    }

    func dependencies(of keyPath: AnyKeyPath) -> [WatchedKeyPath] { keyValue.dependencies(of: keyPath) }

    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool { keyValue.isAutomatic(key, typed) }

    /// Returns the key that a name identifies.
    func observedKey(named name: String) -> ObservedKey {
        if let property = property(named: name) { return .column(property.column, name) }
        if let property = ignoredProperty(named: name) { return .column(property.column, name) }
        return .named(name)
    }

    /// Returns the key that a typed key path identifies. Traps if the key path leads to another object.
    func observedKey(_ keyPath: AnyKeyPath) -> ObservedKey {
        let path = keyValue.watched(keyPath)
        guard path.components.count == 1 else {
            trap("Changes of key path '\(keyPath)' cannot be announced: it leads to another object.")
        }
        return observedKey(path.components[0])
    }

    /// Returns the key that a component of a key path identifies.
    func observedKey(_ component: KeyPathComponent) -> ObservedKey {
        switch component {
        case .key(let name): name == "isInvalidated" ? .invalidated : observedKey(named: name)
        case .computed(let keyPath): .computed(keyPath)
        case .operation: .named("@")
        }
    }
}
