import Observation

/// One of the functions of the toolchain's registrar.
enum RegistrarCall {
    case access, willSet, didSet

    func callAsFunction<Root: Observable, Value>(
        _ registrar: ObservationRegistrar, _ subject: Root, _ keyPath: KeyPath<Root, Value>
    ) {
        switch self {
        case .access: registrar.access(subject, keyPath: keyPath)
        case .willSet: registrar.willSet(subject, keyPath: keyPath)
        case .didSet: registrar.didSet(subject, keyPath: keyPath)
        }
    }
}

/// The key path of a property as the program writes it, `\Dog.name`, which the toolchain passes to observers that ask what changed.
protocol AnyTrackedKeyPath {
    /// Calls a function of the registrar. The subject is an instance of the class that declares the property.
    func pass(to call: RegistrarCall, _ registrar: ObservationRegistrar, _ subject: AnyObject)
}

private struct TrackedKeyPath<Root: Observable, Value>: AnyTrackedKeyPath {
    let keyPath: KeyPath<Root, Value>

    func pass(to call: RegistrarCall, _ registrar: ObservationRegistrar, _ subject: AnyObject) {
        if let subject = subject as? Root { call(registrar, subject, keyPath) }
    }
}

extension AnyKeyPath {
    /// The key path with its types, or nil if the class that declares the property is not `Observable`: a subclass may be.
    var tracked: (any AnyTrackedKeyPath)? {
        func of<Root: Observable, Value>(_: Root.Type, _: Value.Type) -> (any AnyTrackedKeyPath)? {
            (self as? KeyPath<Root, Value>).map { TrackedKeyPath(keyPath: $0) }
        }
        guard let root = Self.rootType as? any Observable.Type else { return nil }
        func of<Value>(_ value: Value.Type) -> (any AnyTrackedKeyPath)? { of(root, value) }
        return of(Self.valueType)
    }
}

/// The key paths of one class's properties in the program, and an instance that stands for the accessors of rows in calls of the
/// toolchain and is used nowhere else. Confined with the realm instance.
package final class TrackedClass {
    let standIn: AnyObject
    /// Few enough to be searched one by one. The key path is nil if the declaring class is not `Observable`.
    private var known: [(column: Int, keyPath: (any AnyTrackedKeyPath)?)] = []

    package init(standIn: AnyObject) { self.standIn = standIn }

    /// Returns the key path of a column's property, made on first use.
    func keyPath(_ column: Int, _ make: () -> AnyKeyPath?) -> (any AnyTrackedKeyPath)? {
        if let index = known.firstIndex(where: { $0.column == column }) { return known[index].keyPath }
        guard let keyPath = make() else { return nil }
        let made = keyPath.tracked
        known.append((column, made))
        return made
    }
}
