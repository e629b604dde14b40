import KivoEngine

/// Writes down the properties that a key path passes through.
///
/// A recording instance's getters append their property's name here and return further recording instances, so that
/// evaluating `\Dog.owner?.name` on one yields `owner.name`. Confined to one evaluation.
final class KeyPathRecorder {
    private(set) var names: [String] = []
    /// Whether each property was read from the value of the one before it: then they are the key path.
    private(set) var isChain = true
    /// What was read, each with what it was read from: names from the root on.
    private var read: [[String]] = []
    /// What leads to each object and collection that was handed out.
    private var ways: [ObjectIdentifier: [String]] = [:]
    /// What is expected to be read from next.
    private var expected: ObjectIdentifier?
    /// The objects that getters returned, kept so that none is taken for another.
    private var handedOut: [AnyObject] = []

    /// The name of a key path, or nil if it passes through something that is not persisted.
    static func name<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>, root: Root.Type) -> String? {
        name(of: keyPath as AnyKeyPath, root: root)
    }

    /// The name of a key path of an object's own class.
    static func name(of keyPath: AnyKeyPath, root: ObjectBase.Type) -> String? {
        guard let recorder = record(keyPath, root: root), !recorder.names.isEmpty else { return nil }
        return recorder.names.joined(separator: ".")
    }

    /// What a key path of an object's own class reads; nil if it is not one of the class.
    static func record(_ keyPath: AnyKeyPath, root: ObjectBase.Type) -> KeyPathRecorder? {
        var isOfClass = false
        let recorder = record(root: root) { isOfClass = $0[keyPath: keyPath] != nil }
        return isOfClass ? recorder : nil
    }

    /// What is read of an object of a class.
    static func record(root: ObjectBase.Type, _ body: (ObjectBase) -> Void) -> KeyPathRecorder {
        let recorder = KeyPathRecorder()
        body(recorder.instance(of: root))
        // What was handed out refers to the recorder.
        recorder.handedOut = []
        recorder.ways = [:]
        return recorder
    }

    /// All that was read: names from the root on, without those that others go on from.
    var paths: [[String]] {
        var paths: [[String]] = []
        for path in read where !paths.contains(path) {
            if !read.contains(where: { $0.count > path.count && $0.starts(with: path) }) {
                paths.append(path)
            }
        }
        return paths
    }

    /// Notes that a property was read, or a collection asked for what it has itself.
    func record(_ name: String, of object: AnyObject) {
        if expected != ObjectIdentifier(object) { isChain = false }
        names.append(name)
        read.append((ways[ObjectIdentifier(object)] ?? []) + [name])
        expected = nil
    }

    /// Says that what comes next is expected to be read from a collection.
    func expect(_ collection: AnyObject) {
        handOut(collection)
    }

    private func handOut(_ object: AnyObject) {
        handedOut.append(object)
        ways[ObjectIdentifier(object)] = read.last ?? []
        expected = ObjectIdentifier(object)
    }

    /// An element of a collection that a key path takes, whichever it is: an instance whose getters record, or a value. A
    /// key path that goes on from it is no chain of properties.
    func element<Element: RealmCollectionValue>(_ element: Element.Type) -> Element? {
        var type = DeclaredType()
        Element._describeElement(&type)
        defer { expected = nil }
        if let target = type.target, !type.isMapped { return instance(of: target) as? Element }
        if let mapped = element as? any _CustomPersistable.Type { return mapped._mappedDefault as? Element }
        return (element as? any _Persistable.Type)?._makeDefault() as? Element
    }

    /// An instance whose getters record.
    func instance<Root: ObjectBase>(of type: Root.Type) -> Root {
        let object = type.init()
        let info = Registry.info(type)
        info.bind(object)
        info.forgetCollections(object)
        object.kivoRow.columns = PlaceholderColumns.address
        object.kivoRow.state = RowReference.recording
        // A generation that never comes: every read takes the long way, where it is recorded.
        object.kivoRow.reader = PlaceholderColumns.reader
        object.kivoRow.generation = .max
        object.kivoRecorder = self
        handOut(object)
        return object
    }
}

extension ObjectBase {
    /// The recorder of a recording instance. It takes the place of the observers, of which such an instance has none.
    final var kivoRecorder: KeyPathRecorder? {
        get { kivoAttachment as? KeyPathRecorder }
        set { kivoAttachment = newValue }
    }

    /// Notes that a property was read by a key path.
    final func kivoRecord(_ column: Int) {
        kivoRecorder?.record(kivoPropertyName(column), of: self)
    }

    /// Notes that an ignored property was read by a key path.
    final func kivoRecordIgnored(_ column: UInt32) {
        let name = Registry.info(type(of: self)).ignoredProperty(column: Int(column)).name
        kivoRecorder?.record(name, of: self)
    }

    /// The name of the property of a column.
    final func kivoPropertyName(_ column: Int) -> String {
        Registry.info(type(of: self)).property(column: column).name
    }
}
