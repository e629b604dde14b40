import Foundation
import KivoEngine
import Synchronization

/// What a class says about its keys by typed key paths. A class that conforms is asked whenever one of its keys is
/// observed by a typed key path; and for a name, if ``ObjectBase/computedProperties()`` or a typed key path that was used
/// before says which key path it is of.
///
///     extension Person: KeyValueObservingCustomization {
///         static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
///             key == \Person.fullName ? [\Person.firstName, \Person.lastName] : []
///         }
///         static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { key != \Person.draft }
///     }
public protocol KeyValueObservingCustomization: ObjectBase {
    /// The key paths on which a key's value depends, relative to the object. None for a key that depends on nothing.
    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath>
    /// Whether assignments to a key are told to observers without being announced.
    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool
}

extension ObjectBase {
    /// Declares at run time on which keys a key's value depends, in place of what was declared before.
    ///
    /// A class that overrides ``keyPathsForValuesAffectingValue(forKey:)`` is not affected. Thread-safe; objects that
    /// are observed already are not.
    public class func setKeys(
        _ keys: [String], triggerChangeNotificationsForDependentKey dependentKey: String
    ) {
        DeclaredDependencies.declare(keys, affecting: dependentKey, of: self)
    }

    /// What ``setKeys(_:triggerChangeNotificationsForDependentKey:)`` declared.
    final class func kivoDeclaredDependencies(ofKey key: String) -> Set<String> {
        DeclaredDependencies.keys(affecting: key, of: self)
    }
}

/// Dependencies that were declared at run time. Thread-safe.
enum DeclaredDependencies {
    private static let declared = Lock<[ObjectIdentifier: [String: Set<String>]]>([:])
    private static let isAny = Atomic<Bool>(false)

    static func declare(_ keys: [String], affecting key: String, of type: ObjectBase.Type) {
        declared.withLock { $0[ObjectIdentifier(type), default: [:]][key] = Set(keys) }
        isAny.store(true, ordering: .releasing)
    }

    /// What was declared for a class or, if nothing was, for the nearest of its superclasses.
    static func keys(affecting key: String, of type: ObjectBase.Type) -> Set<String> {
        guard isAny.load(ordering: .acquiring) else { return [] }
        for ancestor in Registry.info(type).ancestors.reversed() {
            if let keys = declared.withLock({ $0[ancestor]?[key] }) { return keys }
        }
        return []
    }
}

/// What key-value observing and coding know of a class beyond its persisted properties.
///
/// Immutable but for a cache behind a lock.
final class KeyValueClass: @unchecked Sendable {
    private let type: ObjectBase.Type
    private let computed: [String: AnyKeyPath]
    private let names: [AnyKeyPath: String]
    private let customization: (any KeyValueObservingCustomization.Type)?
    /// Key paths that were observed, by instance: a literal is always the same one. Bounded, since others are made anew.
    private let known = Lock<[ObjectIdentifier: Known]>([:])
    /// The typed key paths of properties, by name, as far as any were used: typed rules know keys by them alone.
    private let typedNames = Lock<[String: Known]>([:])

    /// A key path, kept so that its identity stays its own. Immutable.
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

    /// The computed property of a name.
    func computedProperty(_ name: String) -> AnyKeyPath? { computed[name] }

    /// How typed rules know a key.
    private func typed(_ name: String) -> AnyKeyPath? {
        computed[name] ?? typedNames.withLock { $0[name] }?.keyPath
    }

    /// The key paths that affect a key; `typed` is how typed rules know it.
    func dependencies(ofKey name: String, _ typed: AnyKeyPath?) -> [WatchedKeyPath] {
        let keys = type.keyPathsForValuesAffectingValue(forKey: name)
        var paths = keys.isEmpty ? [] : keys.sorted().map { WatchedKeyPath($0) }
        if customization != nil, let typed = typed ?? self.typed(name) { paths += dependencies(of: typed) }
        return paths
    }

    /// The key paths that affect a key, by typed rules.
    func dependencies(of keyPath: AnyKeyPath) -> [WatchedKeyPath] {
        guard let customization else { return [] }
        return customization.keyPathsAffectingValue(for: keyPath).map { watched($0) }
    }

    /// Whether assignments to a key are told without being announced.
    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool {
        if !key.name.isEmpty, !type.automaticallyNotifiesObservers(forKey: key.name) { return false }
        guard let customization, let typed = typed ?? key.keyPath ?? self.typed(key.name) else { return true }
        return customization.automaticallyNotifiesObservers(for: typed)
    }

    /// A typed key path, taken apart. Traps if nothing could ever be told about it.
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
        // What has rules and cannot be assigned is computed; its getter need not work on a blank object.
        if hasRules, !StorageProbe.isWritable(keyPath) {
            return WatchedKeyPath("\(keyPath)", [.computed(keyPath)], typed: keyPath)
        }
        let recorded = KeyPathRecorder.record(keyPath, root: type)
        let path = WatchedKeyPath(recorded?.names.joined(separator: ".") ?? "")
        let (property, ignored) = path.property(from: Registry.info(type))
        let isSingle = path.components.count == 1
        let valueType = unwrapped(Swift.type(of: keyPath).valueType)
        // A getter that returns something else than what it read computes it.
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
            // A link that the key path may insist on is read part by part, since it can be nil.
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

/// A type without the optionals around it.
private func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type).map { unwrapped($0.wrappedType) } ?? type
}

extension ClassInfo {
    /// What is known beyond the properties.
    var keyValue: KeyValueClass {
        let known = keyValueRules.value ?? keyValueRules.setIfNone(KeyValueClass(type))
        return unsafeDowncast(known, to: KeyValueClass.self)
    }

    func dependencies(ofKey name: String, _ typed: AnyKeyPath?) -> [WatchedKeyPath] {
        keyValue.dependencies(ofKey: name, typed)
    }

    func dependencies(of keyPath: AnyKeyPath) -> [WatchedKeyPath] { keyValue.dependencies(of: keyPath) }

    func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool { keyValue.isAutomatic(key, typed) }

    /// What an observer of a name is registered for.
    func observedKey(named name: String) -> ObservedKey {
        if let property = property(named: name) { return .column(property.column, name) }
        if let property = ignoredProperty(named: name) { return .column(property.column, name) }
        return .named(name)
    }

    /// What changes of a typed key path are changes of.
    func observedKey(_ keyPath: AnyKeyPath) -> ObservedKey {
        let path = keyValue.watched(keyPath)
        guard path.components.count == 1 else {
            trap("Changes of key path '\(keyPath)' cannot be announced: it leads to another object.")
        }
        return observedKey(path.components[0])
    }

    /// What an observer of a part of a key path is registered for.
    func observedKey(_ component: KeyPathComponent) -> ObservedKey {
        switch component {
        case .key(let name): name == "isInvalidated" ? .invalidated : observedKey(named: name)
        case .computed(let keyPath): .computed(keyPath)
        case .operation: .named("@")
        }
    }
}
