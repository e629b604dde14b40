import KivoEngine

/// A recorder of the properties that a key path reads.
///
/// A recording instance's getters append their property's name here and return further recording instances, so that
/// evaluating `\Dog.owner?.name` on one yields `owner.name`. Confined to one evaluation.
final class KeyPathRecorder {
    private(set) var names: [String] = []
    /// The key paths of the properties that were read by their wrappers' getters, each in the class that declares it.
    private var properties: [AnyKeyPath] = []
    /// Whether each property was read from the value of the one before it: then the names are the key path.
    private(set) var isChain = true
    /// The properties that were read, each as a path of names from the root.
    private var read: [[String]] = []
    /// The path from the root to each object and collection that was returned.
    private var pathsByObject: [ObjectIdentifier: [String]] = [:]
    /// The object or collection from which the next property should be read.
    fileprivate var expected: ObjectIdentifier?
    /// The objects that getters returned, retained so that no other object gets the address of one of them.
    private var handedOut: [AnyObject] = []
    /// The holders of the bare properties of recording instances, with owner and property; see ``BareDeclaration``.
    fileprivate var holders: [ObjectIdentifier: (owner: ObjectBase, property: PropertyInfo)] = [:]

    /// Returns the name of a key path of an object's own class, or nil if it passes through a property that is not persisted.
    static func name(of keyPath: AnyKeyPath, root: ObjectBase.Type) -> String? {
        // A computed value can be made of several properties.
        guard let recorder = record(keyPath, root: root), recorder.paths.count == 1 else { return nil }
        return recorder.names.joined(separator: ".")
    }

    /// Returns a recorder of the properties that a key path of an object's own class reads, or nil if it is of another class.
    static func record(_ keyPath: AnyKeyPath, root: ObjectBase.Type) -> KeyPathRecorder? {
        var isOfClass = false
        let recorder = record(root: root) { object in
            guard let value = object[keyPath: keyPath] else { return }
            isOfClass = true
            object.kivoRecorder?.end(at: value)
        }
        return isOfClass ? recorder : nil
    }

    /// Returns a recorder of the properties that `body` reads from an object of a class.
    static func record(root: ObjectBase.Type, _ body: (ObjectBase) -> Void) -> KeyPathRecorder {
        let recorder = KeyPathRecorder()
        body(recorder.instance(of: root))
        recorder.finish()
        return recorder
    }

    /// Releases the objects that were returned, which refer to the recorder.
    func finish() {
        handedOut = []
        pathsByObject = [:]
        holders = [:]
    }

    /// Notes the key path of a property that is being read.
    func note(_ property: AnyKeyPath) { properties.append(property) }

    /// Returns whether a key path, the reads of which this has recorded, is a property in objects of exactly this class. A key path
    /// does not contain whether it is, or computes its value from a property. But the property's getter knows its own.
    func isProperty(_ keyPath: AnyKeyPath, of type: ObjectBase.Type) -> Bool {
        guard names.count == 1, properties.count == 1, let property = properties.first else { return false }
        return KeyPathProperty.areSame(keyPath, property)
            && KeyPathProperty.isOverridden(property, in: type) == false
    }

    /// All paths that were read, from the root, except those that are prefixes of others.
    var paths: [[String]] {
        var paths: [[String]] = []
        for path in read where !paths.contains(path) {
            if !read.contains(where: { $0.count > path.count && $0.starts(with: path) }) {
                paths.append(path)
            }
        }
        return paths
    }

    /// Records a read of a property, or of a collection's own property.
    func record(_ name: String, of object: AnyObject) {
        if expected != ObjectIdentifier(object) { isChain = false }
        names.append(name)
        read.append((pathsByObject[ObjectIdentifier(object)] ?? []) + [name])
        expected = nil
    }

    /// Expects the next property to be read from a collection.
    func expect(_ collection: AnyObject) {
        handOut(collection)
    }

    private func handOut(_ object: AnyObject) {
        handedOut.append(object)
        pathsByObject[ObjectIdentifier(object)] = read.last ?? []
        expected = ObjectIdentifier(object)
    }

    /// Returns a placeholder for an element of a collection in a key path: an instance whose getters record, or a value. A key
    /// path that continues from it is not a chain of properties.
    func element<Element: RealmCollectionValue>(_ element: Element.Type) -> Element? {
        var type = DeclaredType()
        Element._access.type.describeElement(&type)
        defer { expected = nil }
        if let target = type.target, !type.isMapped { return instance(of: target) as? Element }
        if let mapped = element as? any _CustomPersistable.Type { return mapped._mappedDefault as? Element }
        func makeDefault<T: _Persistable>(_ type: T.Type) -> Any { T._layout.type.makeDefault() }
        return (element as? any _Persistable.Type).flatMap { makeDefault($0) as? Element }
    }

    /// Returns an instance whose getters record.
    func instance<Root: ObjectBase>(of type: Root.Type) -> Root {
        let object = type.init()
        let info = Registry.info(type)
        info.bind(object)
        object.kivoRow.columns = PlaceholderColumns.address
        object.kivoState = .recording
        // No accessor ever has this generation: every read takes the slow path, which records it.
        object.kivoRow.reader = PlaceholderColumns.reader
        object.kivoRow.generation = .max
        object.kivoRecorder = self
        info.renewCollections(object)
        handOut(object)
        return object
    }
}

/// Bare properties, whose reads run no code of Kivo's: their holders are registered, and record the read when they are used.
extension KeyPathRecorder {
    /// Registers the holder of a property of a recording instance.
    func expect(_ holder: AnyObject, of owner: ObjectBase, _ property: PropertyInfo) {
        holders[ObjectIdentifier(holder)] = (owner, property)
    }

    /// Returns the instance and the property that a holder belongs to, or nil if it is not registered.
    func owner(of holder: AnyObject) -> (owner: ObjectBase, property: PropertyInfo)? {
        holders[ObjectIdentifier(holder)]
    }

    /// Records a read of the property whose holder is used now; does nothing if the holder is not registered.
    func noteUse(of holder: AnyObject) {
        guard let (owner, property) = owner(of: holder) else { return }
        record(property.name, of: owner)
        expect(holder)
    }

    /// Returns an element of a property's holder, for a key path that continues from it.
    func element<Element: RealmCollectionValue>(of holder: AnyObject) -> Element? {
        noteUse(of: holder)
        return element(Element.self)
    }

    /// Records a read of a collection's `isInvalidated`.
    func recordInvalidation(of collection: AnyObject) {
        noteUse(of: collection)
        record("isInvalidated", of: collection)
    }

    /// Records a read of the bare property whose holder is the key path's final value, if it is one.
    func end(at value: Any) {
        if holders.isEmpty { return }
        guard let value = flatten(value) as? any BareDeclaration, let holder = value.holder else { return }
        if expected != ObjectIdentifier(holder) { noteUse(of: holder) }
    }
}

extension ObjectBase {
    /// The recorder of a recording instance, in place of observations, which such an instance does not have.
    final var kivoRecorder: KeyPathRecorder? {
        get { kivoAttachment as? KeyPathRecorder }
        set { kivoAttachment = newValue }
    }

    /// Records a read of a property by a key path.
    final func kivoRecord(_ column: Int) {
        kivoRecorder?.record(kivoPropertyName(column), of: self)
    }

    /// Records a read of an ignored property by a key path.
    final func kivoRecordIgnored(_ column: UInt32) {
        let name = Registry.info(type(of: self)).ignoredProperty(column: Int(column)).name
        kivoRecorder?.record(name, of: self)
    }

    /// Returns the name of the property of a column.
    final func kivoPropertyName(_ column: Int) -> String {
        Registry.info(type(of: self)).property(column: column).name
    }
}

/// Names of typed key paths.
enum KeyPathName {
    /// Returns the dotted name of a key path. Traps if it passes through a property that is not persisted.
    static func of<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> String {
        guard let name = KeyPathRecorder.name(of: keyPath, root: Root.self) else {
            trap(
                """
                \(subject(keyPath, root: Root.self)) does not lead to a persisted property of class \
                '\(Root.className())'.
                """)
        }
        return name
    }

    /// Returns the subject of a sentence about a key path that does not lead to a property. Most computed ones have no name at run
    /// time, so that the text of the key path says nothing: the sentence says what is known of it.
    static func subject(_ keyPath: AnyKeyPath, root: ObjectBase.Type) -> String {
        let text = "\(keyPath)"
        guard text.contains("<computed") else { return "Key path '\(text)'" }
        let read =
            KeyPathRecorder.record(keyPath, root: root)?.paths.map { "'\($0.joined(separator: "."))'" } ?? []
        let type = Swift.type(of: keyPath).valueType
        return "The key path of class '\(root.className())' to a computed value of type '\(type)'"
            + (read.isEmpty ? "" : ", which reads \(read.joined(separator: " and ")),")
    }
}

/// Returns the dotted name of a key path, as used by `filter`, `sorted(byKeyPath:)` and `observe(keyPaths:)`: `"owner.name"` for
/// `\Dog.owner?.name`. Traps if it passes through a property that is not persisted.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String { KeyPathName.of(keyPath) }
