/// One projected property of a ``Projection`` class.
struct ProjectedProperty {
    let label: String
    let keyPath: AnyKeyPath
    /// The persisted paths that the key path reads, as names from the root on; empty if it reads no persisted property.
    let paths: [[String]]
    /// Whether the value is a collection. Observers are notified of its changes, but receive no values.
    let isCollection: Bool
    /// The offset of the wrapper's column number in the projection, in bytes.
    let offset: Int
    /// The root's column, if the value can be loaded from there.
    let column: UInt32?

    /// The key paths of the root, by name.
    var rootPaths: [String] { paths.map { $0.joined(separator: ".") } }

    /// Whether only properties of the root itself are read, and none of them is a collection.
    let readsOwnValues: Bool

    init(_ label: String, _ wrapper: any AnyProjected, at offset: Int, _ root: ClassInfo) {
        self.label = label
        self.offset = offset
        keyPath = wrapper.projectedKeyPath
        let type = Swift.type(of: wrapper).valueType
        isCollection =
            type is any ModelCollection.Type || type is any RealmCollectionBase.Type
            || type is any AnyProjectedCollection.Type
        let recorder = KeyPathRecorder.record(keyPath, root: root.type)
        paths = (recorder?.paths ?? []).map { root.persisted($0) }.filter { !$0.isEmpty }.uniqued()
        readsOwnValues = paths.allSatisfy {
            $0.count == 1 && root.property(named: $0[0])?.type.collection == .some(.none)
        }
        if paths.count == 1, paths[0].count == 1, let property = root.property(named: paths[0][0]),
            StorageProbe.isProperty(keyPath, property, in: root.type)
        {
            column = UInt32(property.column)
        } else {
            column = nil
        }
    }

    /// Returns the root's key paths to watch for a name that an observer gave, or nil if no path begins with that name.
    func watched(_ name: String) -> [String]? {
        let matches = rootPaths.filter { $0 == name || $0.hasPrefix(name + ".") }
        return matches.isEmpty ? nil : [name]
    }
}

extension ClassInfo {
    /// Returns the longest prefix of a path that leads through persisted properties.
    fileprivate func persisted(_ path: [String]) -> [String] {
        var names: [String] = []
        var info: ClassInfo? = self
        for name in path {
            guard let property = info?.property(named: name) else { break }
            names.append(name)
            info = property.type.target.map { Registry.info($0) }
        }
        return names
    }
}

extension Array where Element: Hashable {
    /// Returns the elements without repetitions, in order of their first occurrence.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
