import Observation

/// The key path of a property as the program writes it, `\Dog.name`, which the toolchain passes to observers that ask what changed.
protocol AnyTrackedKeyPath {
    /// Calls of the registrar's functions. The subject is an instance of the class that declares the property.
    func access(_ registrar: ObservationRegistrar, _ subject: AnyObject)
    func willSet(_ registrar: ObservationRegistrar, _ subject: AnyObject)
    func didSet(_ registrar: ObservationRegistrar, _ subject: AnyObject)
}

private struct TrackedKeyPath<Root: Observable, Value>: AnyTrackedKeyPath {
    let keyPath: KeyPath<Root, Value>

    func access(_ registrar: ObservationRegistrar, _ subject: AnyObject) {
        if let subject = subject as? Root { registrar.access(subject, keyPath: keyPath) }
    }

    func willSet(_ registrar: ObservationRegistrar, _ subject: AnyObject) {
        if let subject = subject as? Root { registrar.willSet(subject, keyPath: keyPath) }
    }

    func didSet(_ registrar: ObservationRegistrar, _ subject: AnyObject) {
        if let subject = subject as? Root { registrar.didSet(subject, keyPath: keyPath) }
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
    private var keyPaths: [Int: (any AnyTrackedKeyPath)?] = [:]

    package init(standIn: AnyObject) { self.standIn = standIn }

    /// Returns the key path of a column's property, made on first use.
    func keyPath(_ column: Int, _ make: () -> AnyKeyPath?) -> (any AnyTrackedKeyPath)? {
        if let known = keyPaths[column] { return known }
        guard let keyPath = make() else { return nil }
        let made = keyPath.tracked
        keyPaths.updateValue(made, forKey: column)
        return made
    }
}
