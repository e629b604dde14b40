import Synchronization

/// The dependencies that were declared at run time. Thread-safe.
package enum DeclaredDependencies {
    private static let declared = Locked<[ObjectIdentifier: [String: Set<String>]]>([:])
    private static let isAny = Atomic<Bool>(false)

    package static func declare(_ keys: [String], affecting key: String, of type: AnyClass) {
        declared.withLock { $0[ObjectIdentifier(type), default: [:]][key] = Set(keys) }
        isAny.store(true, ordering: .releasing)
    }

    /// Returns the keys that were declared for a class or, if there are none, for the nearest superclass with a declaration.
    package static func keys(affecting key: String, of type: AnyClass) -> Set<String> {
        guard isAny.load(ordering: .acquiring) else { return [] }
        var ancestor: AnyClass? = type
        while let current = ancestor {
            if let keys = declared.withLock({ $0[ObjectIdentifier(current)]?[key] }) { return keys }
            ancestor = _getSuperclass(current)
        }
        return []
    }
}
