import Foundation

extension ChangeSet {
    /// Returns the changes of the objects of a class, whose old and new values are read by key paths.
    ///
    ///     for change in changes.of(Dog.self) where change.kind == .modified {
    ///         print(change.primaryKey, change.old(\.name), change.new(\.name))
    ///     }
    ///
    /// - Complexity: O(1).
    public func of<Element: Object>(_ type: Element.Type) -> TypedChanges<Element> {
        TypedChanges(changes: of(className: type.className()))
    }

    /// Returns the change of an object, or nil if it does not differ.
    ///
    /// - Precondition: The object is managed, and was not deleted.
    /// - Complexity: O(log n) in the changes of its class.
    public func change<Element: Object>(of object: Element) -> TypedChange<Element>? {
        guard object.isManaged, let instance = object.kivoInstance else {
            trap(
                "The changes of an object of class '\(Element.className())' are in a realm, but it is unmanaged."
            )
        }
        object.locateOrTrap()
        let classes = StoredClasses(instance.catalog)
        let values = VersionValues(snapshot: instance.snapshot, classes: classes)
        let identity = values.identity(object.kivoRow.key, classes[object.kivoContext.table])
        return change(of: identity).map(TypedChange.init)
    }

    /// Returns the changes of the objects of some classes.
    ///
    /// - Complexity: O(n) in the changes.
    public func restricted(to types: [ObjectBase.Type]) -> ChangeSet {
        restricted(toClasses: types.map { $0.className() })
    }

    /// Returns the changes of some properties of the objects of one class; see ``restricted(to:ofClass:)``.
    ///
    /// - Parameter keyPaths: Key paths to properties of the class. Traps if one leads elsewhere.
    public func restricted<Element: Object>(to keyPaths: [PartialKeyPath<Element>]) -> ChangeSet {
        restricted(to: keyPaths.map(TypedChange<Element>.name), ofClass: Element.className())
    }

    /// The changes of the objects of a class, in ascending order of the objects.
    public struct TypedChanges<Element: Object>: RandomAccessCollection, Sendable {
        let changes: [Change]

        /// The position of the first change, 0.
        public var startIndex: Int { 0 }
        /// The number of changes.
        public var endIndex: Int { changes.count }
        /// The change at a position.
        ///
        /// - Complexity: O(1).
        public subscript(position: Int) -> TypedChange<Element> { TypedChange(change: changes[position]) }
    }

    /// The change of an object of a class. `old(_:)` and `new(_:)` return the values of the program's
    /// types.
    public struct TypedChange<Element: Object>: Sendable {
        /// The change, with values as they are stored.
        public let change: Change

        init(change: Change) { self.change = change }

        /// The kind of the change.
        public var kind: Change.Kind { change.kind }
        /// The primary key of the object, or nil if its class has none.
        public var primaryKey: Value? { change.primaryKey }
        /// The names of the properties that differ; see ``Change/keyPaths``.
        public var keyPaths: [String] { change.keyPaths }

        /// Returns the old value of a property. Nil if it does not differ, or if the object was inserted. For a list, set or dictionary
        /// of an object that was modified, see `edits(_:)`.
        ///
        /// - Parameter keyPath: A key path to a property of the class. Traps if it leads elsewhere.
        public func old<V: _Persistable>(_ keyPath: KeyPath<Element, V>) -> V? { value(keyPath, \.old) }

        /// Returns the old value of an optional property. Nil if it does not differ, if the object was inserted, and if the value is.
        public func old<V: _OptionalPersistable>(_ keyPath: KeyPath<Element, V?>) -> V? {
            optionalValue(keyPath, \.old)
        }

        /// Returns the identity of the object to which a property linked. Nil if it does not differ, and if there was none.
        public func old<V: Object>(_ keyPath: KeyPath<Element, V?>) -> ObjectID? { target(keyPath, \.old) }

        /// Returns the new value of a property. Nil if it does not differ, or if the object was deleted.
        ///
        /// - Parameter keyPath: A key path to a property of the class. Traps if it leads elsewhere.
        public func new<V: _Persistable>(_ keyPath: KeyPath<Element, V>) -> V? { value(keyPath, \.new) }

        /// Returns the new value of an optional property. Nil if it does not differ, if the object was deleted, and if the value is.
        public func new<V: _OptionalPersistable>(_ keyPath: KeyPath<Element, V?>) -> V? {
            optionalValue(keyPath, \.new)
        }

        /// Returns the identity of the object to which a property links. Nil if it does not differ, and if there is none.
        public func new<V: Object>(_ keyPath: KeyPath<Element, V?>) -> ObjectID? { target(keyPath, \.new) }

        /// Returns the edits of a list; nil if it does not differ, or if the object was inserted or deleted.
        public func edits<V>(_ keyPath: KeyPath<Element, List<V>>) -> ListEdits? {
            property(keyPath)?.listEdits
        }

        /// Returns the edits of a set; nil if it does not differ, or if the object was inserted or deleted.
        public func edits<V>(_ keyPath: KeyPath<Element, MutableSet<V>>) -> SetEdits? {
            property(keyPath)?.setEdits
        }

        /// Returns the edits of a dictionary; nil if it does not differ, or if the object was inserted or deleted.
        public func edits<V>(_ keyPath: KeyPath<Element, Map<String, V>>) -> DictionaryEdits? {
            property(keyPath)?.dictionaryEdits
        }

        /// Returns whether a property differs.
        public func differs(_ keyPath: PartialKeyPath<Element>) -> Bool { property(keyPath) != nil }

        private func property(_ keyPath: PartialKeyPath<Element>) -> Property? {
            change.property(TypedChange.name(of: keyPath))
        }

        /// Returns the stored name of a property of the class.
        static func name(of keyPath: PartialKeyPath<Element>) -> String {
            let name = KeyPathName.of(keyPath)
            return Registry.info(Element.self).property(named: name)?.columnName ?? name
        }

        private func value<V: _Persistable>(
            _ keyPath: KeyPath<Element, V>, _ side: KeyPath<Property, Value?>
        ) -> V? {
            guard let value = property(keyPath)?[keyPath: side] else { return nil }
            return V._access.type.fromAny(value.object)
        }

        private func optionalValue<V: _OptionalPersistable>(
            _ keyPath: KeyPath<Element, V?>, _ side: KeyPath<Property, Value?>
        ) -> V? {
            guard let value = property(keyPath)?[keyPath: side]?.object else { return nil }
            return V._access.type.fromAnyInOptional(value) as? V
        }

        private func target<V: Object>(
            _ keyPath: KeyPath<Element, V?>, _ side: KeyPath<Property, Value?>
        ) -> ObjectID? {
            if case .object(let object)? = property(keyPath)?[keyPath: side] { object } else { nil }
        }
    }
}

extension ChangeSet.Value {
    /// The value in the form of access by name; nil for null and for links. Objects cannot be made without their realm.
    fileprivate var object: Any? {
        switch self {
        case .null, .object: nil
        case .bool(let value): value
        case .int(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .decimal128(let value): value
        case .objectId(let value): value
        case .uuid(let value): value
        case .embedded(let properties): properties.compactMapValues(\.object)
        case .list(let values): values.map { $0.object ?? NSNull() }
        case .set(let values): values.map { $0.object ?? NSNull() }
        case .dictionary(let entries):
            Dictionary(entries.map { ($0.key, $0.value.object ?? NSNull()) }) { first, _ in first }
        }
    }
}
