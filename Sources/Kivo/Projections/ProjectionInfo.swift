import KivoEngine

/// The description of a ``Projection`` class: its projected properties, found once with a mirror over an instance.
///
/// Immutable. Key paths without captured values, as in the arguments of property wrappers, can be used on any thread.
final class ProjectionInfo: @unchecked Sendable {
    let name: String
    let root: ObjectBase.Type
    /// The projected properties in order of declaration, superclasses first.
    let properties: [ProjectedProperty]

    private static let classes = Lock<[ObjectIdentifier: ProjectionInfo]>([:])

    /// Returns the description of a projection's class. On first use of the class, the projection itself serves as the prototype:
    /// its own properties are initialised, and no other code has it, since it is still being created.
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

    /// Returns the description of a projection class.
    static func of<P: ProjectionObservable>(_ type: P.Type) -> ProjectionInfo {
        if let known = classes.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        _ = type.init(projecting: P.Root())
        return classes.withLock { $0[ObjectIdentifier(type)]! }
    }

    private init<Root: ObjectBase>(prototype: Projection<Root>) {
        name = String(describing: type(of: prototype))
        root = Root.self
        let info = Registry.info(Root.self)
        let wrappers = ProjectionInfo.wrappers(of: prototype)
        // The first word of an object is its metadata, the second its reference count, the third the root.
        let found = FieldSearch.positions(
            in: prototype, from: 3 * MemoryLayout<Int>.size, of: wrappers.map { .column($0.wrapper.column) }
        ) { ProjectionInfo.wrappers(of: prototype).map { .column($0.wrapper.column) } }
        guard let positions = found else { FieldSearch.trapNotFound(in: type(of: prototype)) }
        properties = zip(wrappers, positions).map { child, position in
            ProjectedProperty(child.label, child.wrapper, at: position, info)
        }
        withExtendedLifetime(prototype) {}
    }

    private static func wrappers(of projection: AnyObject) -> [(label: String, wrapper: any AnyProjected)] {
        WrapperLocator.levels(of: projection).flatMap(\.children).compactMap { child in
            guard let wrapper = child.value as? any AnyProjected, let label = child.label else { return nil }
            return (String(label.dropFirst()), wrapper)
        }
    }

    /// Stores the columns in a new projection's wrappers, if the root is of exactly the class to which the columns belong.
    func bind(_ projection: AnyObject, to object: ObjectBase) {
        guard type(of: object) == root else { return }
        let base = Unmanaged.passUnretained(projection).toOpaque()
        for property in properties {
            guard let column = property.column else { continue }
            base.storeBytes(of: column, toByteOffset: property.offset, as: UInt32.self)
        }
    }

    func property(labelled label: String) -> ProjectedProperty? { properties.first { $0.label == label } }

    /// Returns the label of a key path's property.
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
    /// Returns the properties to observe, each with the key paths of the root to watch for it.
    ///
    /// - Parameter keyPaths: key paths of the root; nil or empty for those of all properties. Traps if no property projects one
    ///   of them.
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

    /// Returns the key paths of the root to watch, or nil if there are none; see ``watched(_:)``.
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
