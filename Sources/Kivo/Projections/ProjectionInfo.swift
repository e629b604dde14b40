import KivoEngine

/// A ``Projection`` class: its projected properties, found once with a mirror over an instance.
///
/// Immutable; key paths without captured values, which those of property wrappers' arguments are, can be used on any thread.
final class ProjectionInfo: @unchecked Sendable {
    let name: String
    let root: ObjectBase.Type
    /// In order of declaration, superclasses first.
    let properties: [ProjectedProperty]

    private static let classes = Lock<[ObjectIdentifier: ProjectionInfo]>([:])

    /// The description of a projection's class. The projection, whose own properties are all there, is what it is found out
    /// with if the class was never used: nobody else has it then, since it is being made.
    static func of<Root: ObjectBase>(_ projection: Projection<Root>) -> ProjectionInfo {
        let id = ObjectIdentifier(type(of: projection))
        if let known = classes.withLock({ $0[id] }) { return known }
        let info = ProjectionInfo(prototype: projection)
        return classes.withLock {
            if let known = $0[id] { return known }
            $0[id] = info
            return info
        }
    }

    /// The description of a projection class.
    static func of<P: ProjectionObservable>(_ type: P.Type) -> ProjectionInfo {
        if let known = classes.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        _ = type.init(projecting: P.Root())
        return classes.withLock { $0[ObjectIdentifier(type)]! }
    }

    private init<Root: ObjectBase>(prototype: Projection<Root>) {
        name = String(describing: type(of: prototype))
        root = Root.self
        let info = Registry.info(Root.self)
        let base = Unmanaged.passUnretained(prototype).toOpaque()
        // The first word of an object is its metadata, the second its reference count, the third the root.
        var position = 3 * MemoryLayout<Int>.size
        var properties: [ProjectedProperty] = []
        for (index, child) in ProjectionInfo.wrappers(of: prototype).enumerated() {
            position = WrapperLocator.next(base, from: position) { candidate in
                (base + candidate).storeBytes(of: WrapperLocator.marker, as: UInt32.self)
                defer { (base + candidate).storeBytes(of: PersistedColumn.unbound, as: UInt32.self) }
                return ProjectionInfo.wrappers(of: prototype)[index].wrapper.column == WrapperLocator.marker
            }
            properties.append(ProjectedProperty(child.label, child.wrapper, at: position, info))
            position += MemoryLayout<UInt32>.size
        }
        self.properties = properties
        withExtendedLifetime(prototype) {}
    }

    private static func wrappers(of projection: AnyObject) -> [(label: String, wrapper: any AnyProjected)] {
        WrapperLocator.levels(of: projection).flatMap(\.children).compactMap { child in
            guard let wrapper = child.value as? any AnyProjected, let label = child.label else { return nil }
            return (String(label.dropFirst()), wrapper)
        }
    }

    /// Tells a fresh projection's wrappers their columns, if the root is of the very class that they are the columns of.
    func bind(_ projection: AnyObject, to object: ObjectBase) {
        guard type(of: object) == root else { return }
        let base = Unmanaged.passUnretained(projection).toOpaque()
        for property in properties {
            guard let column = property.column else { continue }
            base.storeBytes(of: column, toByteOffset: property.offset, as: UInt32.self)
        }
    }

    func property(labelled label: String) -> ProjectedProperty? { properties.first { $0.label == label } }

    /// The label of a key path's property.
    func label(of keyPath: AnyKeyPath) -> String {
        properties.first { $0.keyPath == keyPath }?.label ?? "\(keyPath)"
    }

    func description<Root: ObjectBase>(_ projection: Projection<Root>) -> String {
        let name = "\(name)<\(Root.className())>"
        let object = projection.rootObject
        if object.isInvalidated { return "\(name) { invalidated }" }
        let lines = properties.map { property in
            let value = flatten(object[keyPath: property.keyPath]).map { "\($0)" } ?? "nil"
            let paths = property.rootPaths.map { "\\.\($0)" }.joined(separator: ", ")
            return "\t\(property.label)(\(paths)) = \(value.replacingLineBreaks("\n\t"));\n"
        }
        return "\(name) {\n\(lines.joined())}"
    }
}

extension ProjectionInfo {
    /// The properties that observers listen to, each with the key paths of the root to watch for it.
    ///
    /// - Parameter keyPaths: key paths of the root; nil or empty for those of all properties. Traps if one is projected by no
    ///   property.
    func watched(_ keyPaths: [String]?) -> [(property: ProjectedProperty, paths: [String])] {
        guard let keyPaths, !keyPaths.isEmpty else {
            return properties.filter { !$0.paths.isEmpty }.map { ($0, $0.rootPaths) }
        }
        for keyPath in keyPaths where !properties.contains(where: { $0.watched(keyPath) != nil }) {
            trapUnknown(keyPath)
        }
        return properties.compactMap { property in
            let paths = keyPaths.compactMap(property.watched).flatMap { $0 }.uniqued()
            return paths.isEmpty ? nil : (property, paths)
        }
    }

    /// The key paths of the root to watch; see ``watched(_:)``. Nil if there are none.
    func watchedPaths(_ keyPaths: [String]?) -> [String]? {
        let paths = watched(keyPaths).flatMap(\.paths).uniqued()
        return paths.isEmpty ? nil : paths
    }

    private func trapUnknown(_ keyPath: String) -> Never {
        if let property = property(labelled: keyPath), let path = property.rootPaths.first {
            trap(
                """
                Property '\(name).\(keyPath)' is observed by the key path of class '\(root.className())' that it projects: \
                '\(path)'.
                """)
        }
        trap(
            """
            '\(keyPath)' is no key path of class '\(root.className())' that a property of projection '\(name)' shows, so it \
            cannot be observed.
            """)
    }
}
