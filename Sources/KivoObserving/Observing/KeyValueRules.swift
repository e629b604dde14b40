import Foundation
import Synchronization

/// The rules of a class between its keys: those that its members declare by name, and those that it declares by typed key path.
///
/// Immutable except for caches behind locks.
package final class KeyValueRules: @unchecked Sendable {
    // Proof of `Sendable`: key paths and classes are immutable; the caches are behind locks.
    private let type: any KeyValueObservable.Type
    private let computed: [String: AnyKeyPath]
    /// The names of computed properties, for key paths of subclasses.
    private let inheritedNames: [(property: KeyPathProperty, name: String)]
    private let customization: (any KeyValueObservingCustomization.Type)?
    /// The observed key paths, by instance: a literal is always the same instance. Bounded, since other key paths can be new
    /// instances each time.
    private let known = Locked<[ObjectIdentifier: Known]>([:])
    private let recent = RecentObjects<Known>(count: 16)
    /// The typed key paths of properties that were used so far, by name. Typed rules identify keys only by key path.
    private let typedNames = Locked<[String: Known]>([:])
    /// Whether the rules declare dependencies of states, in the lowest bit, and how many dependencies had been declared at run time.
    private let stateDeclarations = Atomic<Int>(-1)

    /// A key path, retained so that its identity is not reused. Immutable.
    private final class Known {
        let keyPath: AnyKeyPath
        let path: WatchedKeyPath

        init(_ keyPath: AnyKeyPath, _ path: WatchedKeyPath) { (self.keyPath, self.path) = (keyPath, path) }
    }

    package init(_ type: any KeyValueObservable.Type) {
        self.type = type
        #if canImport(ObjectiveC)
        computed = type.computedProperties()
        #else
        var named = type.computedProperties()
        if type is Operation.Type {
            for (name, keyPath) in OperationState.names.keyPaths where named[name] == nil {
                named[name] = keyPath
            }
        }
        computed = named
        #endif
        inheritedNames = computed.flatMap { name, keyPath in
            KeyPathProperty.all(of: keyPath).map { ($0, name) }
        }
        customization = type as? any KeyValueObservingCustomization.Type
    }

    /// Returns the computed property with a name.
    package func computedProperty(_ name: String) -> AnyKeyPath? { computed[name] }

    /// Returns the name of a computed property. The key path can be one of a subclass of the class that declares the name.
    package func name(of keyPath: AnyKeyPath) -> String? {
        if computed.isEmpty { return nil }
        if let same = computed.first(where: { $0.value == keyPath }) { return same.key }
        for property in KeyPathProperty.all(of: keyPath) {
            if let known = inheritedNames.first(where: { $0.property == property }) { return known.name }
        }
        return nil
    }

    /// Returns the key paths by which typed rules may identify a property: the given one, that of the superclass which declares the
    /// property's name and, of a state of an operation, those of all superclasses.
    private func forms(of keyPath: AnyKeyPath) -> [AnyKeyPath] {
        guard let name = name(of: keyPath) else { return [keyPath] }
        var forms = [keyPath]
        if let declared = computed[name] { forms.append(declared) }
        if let used = typedNames.withLock({ $0[name] })?.keyPath { forms.append(used) }
        var ancestor: AnyClass? = type
        while let current = ancestor,
            let state = (current as? any KeyValueObservable.Type)?._stateKeyPath(name)
        {
            forms.append(state)
            ancestor = _getSuperclass(current)
        }
        return forms.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the key path by which typed rules identify a key.
    private func typed(_ name: String) -> AnyKeyPath? {
        computed[name] ?? typedNames.withLock { $0[name] }?.keyPath
    }

    /// Returns the key paths on which a component's value depends; `typed` is the key path by which typed rules identify it, and
    /// `watch` takes a typed key path apart.
    package func dependencies(
        of component: KeyPathComponent, _ typed: AnyKeyPath?, _ watch: (AnyKeyPath) -> WatchedKeyPath
    ) -> [WatchedKeyPath] {
        switch component {
        case .key(let name):
            let keys = type.keyPathsForValuesAffectingValue(forKey: name)
            var paths = Array(keys).sorted().map { WatchedKeyPath($0) }
            if customization != nil, let typed = typed ?? self.typed(name) {
                paths += dependencies(of: typed, watch)
            }
            return paths
        case .computed(let keyPath): return dependencies(of: keyPath, watch)
        case .operation: return []
        }
    }

    private func dependencies(
        of keyPath: AnyKeyPath, _ watch: (AnyKeyPath) -> WatchedKeyPath
    ) -> [WatchedKeyPath] {
        guard let customization else { return [] }
        return keyPathsAffecting(keyPath, customization).map { watch($0) }
    }

    private func keyPathsAffecting(
        _ keyPath: AnyKeyPath, _ customization: any KeyValueObservingCustomization.Type
    ) -> Set<AnyKeyPath> {
        forms(of: keyPath).reduce(into: []) { $0.formUnion(customization.keyPathsAffectingValue(for: $1)) }
    }

    /// Whether typed rules declare dependencies of a key path.
    package func hasDependencies(_ keyPath: AnyKeyPath) -> Bool {
        customization.map { !keyPathsAffecting(keyPath, $0).isEmpty } ?? false
    }

    /// Whether the rules declare dependencies of the states of an operation. The answer is cached until more are declared at run time.
    var declaresStates: Bool {
        #if canImport(ObjectiveC)
        return false
        #else
        let count = DeclaredDependencies.count
        let known = stateDeclarations.load(ordering: .acquiring)
        if known >> 1 == count { return known & 1 == 1 }
        let declares = OperationState.announced.contains { state in
            !type.keyPathsForValuesAffectingValue(forKey: state).isEmpty
                || typed(state).map { hasDependencies($0) } ?? false
        }
        // Typed rules of a final class are found once its key path was used.
        if declares || customization == nil {
            stateDeclarations.store(count << 1 | (declares ? 1 : 0), ordering: .releasing)
        }
        return declares
        #endif
    }

    /// Whether typed rules say that changes of a key path are announced explicitly.
    package func isManual(_ keyPath: AnyKeyPath) -> Bool {
        guard let customization else { return false }
        return forms(of: keyPath).contains { !customization.automaticallyNotifiesObservers(for: $0) }
    }

    /// Whether assignments to a key are notified without an explicit announcement.
    package func isAutomatic(_ key: ObservedKey, _ typed: AnyKeyPath?) -> Bool {
        if !key.name.isEmpty, !type.automaticallyNotifiesObservers(forKey: key.name) { return false }
        guard customization != nil, let typed = typed ?? key.keyPath ?? self.typed(key.name) else {
            return true
        }
        return !isManual(typed)
    }

    /// Returns the components of a typed key path, which `resolve` finds on first use.
    package func watched(_ keyPath: AnyKeyPath, _ resolve: (AnyKeyPath) -> WatchedKeyPath) -> WatchedKeyPath {
        let id = ObjectIdentifier(keyPath)
        if let last = recent.candidate(id), last.keyPath === keyPath { return last.path }
        if let known = known.withLock({ $0[id] }) {
            recent.store(known, id)
            return known.path
        }
        let path = resolve(keyPath)
        if path.partial != nil { return path }
        let entry = Known(keyPath, path)
        // Entries that are kept are never replaced: others may be using them without the lock.
        known.withLock { if $0.count < 4096, $0[id] == nil { $0[id] = entry } }
        if customization != nil, path.typed != nil { typedNames.withLock { $0[path.text] = entry } }
        return path
    }
}

/// The dependencies that were declared at run time. Thread-safe.
package enum DeclaredDependencies {
    private static let declared = Locked<[ObjectIdentifier: [String: Set<String>]]>([:])
    private static let declarations = Atomic<Int>(0)

    /// The number of declarations so far.
    static var count: Int { declarations.load(ordering: .acquiring) }

    package static func declare(_ keys: [String], affecting key: String, of type: AnyClass) {
        declared.withLock { $0[ObjectIdentifier(type), default: [:]][key] = Set(keys) }
        declarations.add(1, ordering: .releasing)
    }

    /// Returns the keys that were declared for a class or, if there are none, for the nearest superclass with a declaration.
    package static func keys(affecting key: String, of type: AnyClass) -> Set<String> {
        guard count > 0 else { return [] }
        var ancestor: AnyClass? = type
        while let current = ancestor {
            if let keys = declared.withLock({ $0[ObjectIdentifier(current)]?[key] }) { return keys }
            ancestor = _getSuperclass(current)
        }
        return []
    }
}
