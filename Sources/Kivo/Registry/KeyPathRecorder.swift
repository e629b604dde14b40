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
    fileprivate var expected: ObjectIdentifier?
    /// The objects that getters returned, kept so that none is taken for another.
    private var handedOut: [AnyObject] = []
    /// What the bare properties of recording instances hold, and whose they are; see ``BareDeclaration``.
    fileprivate var holders: [ObjectIdentifier: (owner: ObjectBase, property: PropertyInfo)] = [:]

    /// The name of a key path of an object's own class; nil if it passes through something that is not persisted.
    static func name(of keyPath: AnyKeyPath, root: ObjectBase.Type) -> String? {
        guard let recorder = record(keyPath, root: root), !recorder.names.isEmpty else { return nil }
        return recorder.names.joined(separator: ".")
    }

    /// What a key path of an object's own class reads; nil if it is not one of the class.
    static func record(_ keyPath: AnyKeyPath, root: ObjectBase.Type) -> KeyPathRecorder? {
        var isOfClass = false
        let recorder = record(root: root) { object in
            guard let value = object[keyPath: keyPath] else { return }
            isOfClass = true
            object.kivoRecorder?.end(at: value)
        }
        return isOfClass ? recorder : nil
    }

    /// What is read of an object of a class.
    static func record(root: ObjectBase.Type, _ body: (ObjectBase) -> Void) -> KeyPathRecorder {
        let recorder = KeyPathRecorder()
        body(recorder.instance(of: root))
        // What was handed out refers to the recorder.
        recorder.handedOut = []
        recorder.ways = [:]
        recorder.holders = [:]
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
        object.kivoRow.columns = PlaceholderColumns.address
        object.kivoRow.state = RowReference.recording
        // A generation that never comes: every read takes the long way, where it is recorded.
        object.kivoRow.reader = PlaceholderColumns.reader
        object.kivoRow.generation = .max
        object.kivoRecorder = self
        info.renewCollections(object)
        handOut(object)
        return object
    }
}

/// Bare properties, which nobody hears being read: what they hold is known, and tells when it is used.
extension KeyPathRecorder {
    /// Says what a property of a recording instance holds.
    func expect(_ holder: AnyObject, of owner: ObjectBase, _ property: PropertyInfo) {
        holders[ObjectIdentifier(holder)] = (owner, property)
    }

    /// Whose property holds something.
    func owner(of holder: AnyObject) -> (owner: ObjectBase, property: PropertyInfo)? {
        holders[ObjectIdentifier(holder)]
    }

    /// Notes that the property was read that holds what is used now; nothing if it was noted by being read.
    func noteUse(of holder: AnyObject) {
        guard let (owner, property) = owner(of: holder) else { return }
        record(property.name, of: owner)
        expect(holder)
    }

    /// An element that a key path takes of what a property holds.
    func element<Element: RealmCollectionValue>(of holder: AnyObject) -> Element? {
        noteUse(of: holder)
        return element(Element.self)
    }

    /// Notes that a collection was asked whether it is invalidated.
    func recordInvalidation(of collection: AnyObject) {
        noteUse(of: collection)
        record("isInvalidated", of: collection)
    }

    /// Notes what a key path ends at, if it is what a bare property holds.
    func end(at value: Any) {
        if holders.isEmpty { return }
        guard let value = flatten(value) as? any BareDeclaration, let holder = value.holder else { return }
        if expected != ObjectIdentifier(holder) { noteUse(of: holder) }
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
