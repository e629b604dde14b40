/// One projected property of a ``Projection`` class.
struct ProjectedProperty {
    let label: String
    let keyPath: AnyKeyPath
    /// What is read of the root, as names from the root on; nothing if no persisted property is.
    let paths: [[String]]
    /// Whether the value is a collection, of which observers are told that it changed, but no values.
    let isCollection: Bool
    /// Bytes from the start of a projection to where the wrapper keeps its column.
    let offset: Int
    /// The root's column if the value is that of a property which can be loaded from there.
    let column: UInt32?

    /// The key paths of the root, by name.
    var rootPaths: [String] { paths.map { $0.joined(separator: ".") } }

    /// Whether only properties of the root itself are read, and none is a collection.
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

    /// Which of the root's key paths are to be watched for a name that observers gave; nil if the name means none of them.
    func watched(_ name: String) -> [String]? {
        let found = rootPaths.filter { $0 == name || $0.hasPrefix(name + ".") }
        return found.isEmpty ? nil : [name]
    }
}

extension ClassInfo {
    /// As much of a path as leads through persisted properties.
    fileprivate func persisted(_ path: [String]) -> [String] {
        var found: [String] = []
        var info: ClassInfo? = self
        for name in path {
            guard let property = info?.property(named: name) else { break }
            found.append(name)
            info = property.type.target.map { Registry.info($0) }
        }
        return found
    }
}

extension Array where Element: Hashable {
    /// The elements without those that were there before.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
