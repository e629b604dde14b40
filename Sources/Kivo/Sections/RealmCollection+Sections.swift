extension RealmCollection {
    fileprivate func sections<Key>(
        _ descriptors: [SortDescriptor], _ keys: SectionKeyMaker<Key, Element>
    ) -> SectionedResults<Key, Element> {
        guard let query = queryState else {
            trap("Cannot section an unmanaged collection: add its object to a realm first.")
        }
        if descriptors.isEmpty {
            trap("Sections need an order: 'sortDescriptors' is empty.")
        }
        return SectionedResults(SectionedState(query.sorted(descriptors), keys))
    }

    /// Traps if the first sort descriptor is of another property.
    fileprivate func checkOrder(_ descriptors: [SortDescriptor], of name: String) {
        guard let first = descriptors.first, first.keyPath != name else { return }
        trap(
            """
            Sections by '\(name)' need the order of that property, but are sorted by '\(first.keyPath)' first: put \
            '\(name)' first, or section by a block.
            """)
    }

    /// Returns the objects in live sections of equal values of a property, in its order.
    ///
    /// - Parameters:
    ///   - keyPath: the property whose value is the key of an object's section. It can be behind links.
    ///   - ascending: whether small keys are first.
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n).
    /// - Precondition: The collection is managed.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> where Element: ObjectBase {
        let name = KeyPathName.of(keyPath)
        return sections(
            [SortDescriptor(keyPath: name, ascending: ascending)],
            SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: true))
    }

    /// Returns the objects in live sections of equal values of a property, in a given order.
    ///
    /// - Parameters:
    ///   - keyPath: the property whose value is the key of an object's section. It can be behind links.
    ///   - sortDescriptors: the order of the objects, and so of the sections.
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n).
    /// - Precondition: The collection is managed, and the first sort descriptor is of the property: only then are the objects of a
    ///   section contiguous.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> where Element: ObjectBase {
        let name = KeyPathName.of(keyPath)
        checkOrder(sortDescriptors, of: name)
        return sections(
            sortDescriptors, SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: true))
    }

    /// Returns the objects in live sections of equal keys, in a given order. The sections are in the order of their first
    /// elements.
    ///
    /// - Parameters:
    ///   - block: returns the key of an object's section. It is called when an object is first evaluated. While the sections are
    ///   observed, it is called again when the object, or one that is at most three links away, is modified: the key must depend
    ///   only on objects within this reach. It runs wherever the sections are read or observed: on the queues and actors to which
    ///   they are passed, and on any thread if they are frozen. It can only read: it traps if it writes, or if it reads the
    ///   sections whose keys it computes.
    ///   - sortDescriptors: the order of the objects.
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n), and calls the block once for each
    ///   element.
    /// - Precondition: The collection is managed.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping @Sendable (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sections(sortDescriptors, SectionKeyMaker(block: block, home: nil))
    }

    /// Returns the plain values in live sections of equal keys, in their own order.
    ///
    /// - Parameters:
    ///   - block: returns the key of a value's section. It runs wherever the sections are read or observed.
    ///   - ascending: whether small values are first.
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n), and calls the block once for each
    ///   element.
    /// - Precondition: The collection is managed, and holds no objects.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping @Sendable (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(SectionKeyMaker(block: block, home: nil), ascending)
    }

    fileprivate func sectioned<Key>(
        _ keys: SectionKeyMaker<Key, Element>, _ ascending: Bool
    ) -> SectionedResults<Key, Element> {
        if let query = queryState, query.elements != nil {
            trap("Objects have no order of their own: give 'sortDescriptors:' to put them in sections.")
        }
        return sections([SortDescriptor(keyPath: "self", ascending: ascending)], keys)
    }
}

/// Sections by functions that are not `@Sendable`. The compiler prefers members of ``RealmCollection`` to those of the protocol that
/// it refines, so that functions that are `@Sendable` are never ambiguous.
extension RealmCollectionBase where Self: RealmCollection {
    /// Returns the objects in sections of equal keys that stay in their context, for functions that are not `@Sendable`. Freezing
    /// the sections evaluates them at once. Observing them on another queue or actor, thawing them elsewhere, or making a reference
    /// to them traps, because the block would run there. Otherwise it behaves like the overload for `@Sendable` functions.
    ///
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n), and calls the block once for each
    ///   element.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sections(sortDescriptors, SectionKeyMaker(block: block, home: sectionHome))
    }

    /// Returns the plain values in sections of equal keys that stay in their context, for functions that are not `@Sendable`.
    ///
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n), and calls the block once for each
    ///   element.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(SectionKeyMaker(block: block, home: sectionHome), ascending)
    }

    /// The context in which blocks that are not `@Sendable` run. A frozen realm belongs to no context: then it is the current one.
    private var sectionHome: Confinement {
        let confinement = queryState?.instance.confinement ?? .none
        if confinement != .none { return confinement }
        guard let queue = QueueIdentity.current, queue != .main else { return .currentThread }
        return .queue(queue)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Returns the projections in live sections of equal values of a property, in the order of the root's property that it shows.
    ///
    /// - Parameters:
    ///   - keyPath: the property of the projection whose value is the key of a section.
    ///   - ascending: whether small keys are first.
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n).
    /// - Precondition: The property shows one property of the root.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let descriptor = SortDescriptor(keyPath: shown(keyPath), ascending: ascending)
        return sections(
            [descriptor], SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: false))
    }

    /// Returns the projections in live sections of equal values of a property, in a given order.
    ///
    /// - Parameters:
    ///   - keyPath: the property of the projection whose value is the key of a section.
    ///   - sortDescriptors: the order of the projections, by properties of the root, and so of the sections.
    /// - Complexity: O(1) to create. The first read evaluates the sections in O(n log n).
    /// - Precondition: The property shows one property of the root, and the first sort descriptor is of that property.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        checkOrder(sortDescriptors, of: shown(keyPath))
        return sections(
            sortDescriptors, SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: false))
    }

    /// Returns the name of the root's property that a property of the projection shows.
    private func shown<Key>(_ keyPath: KeyPath<Element, Key>) -> String {
        let names = Element._rootKeyPaths(keyPath)
        if names.count == 1 { return names[0] }
        trap(
            "Sections need one property to be ordered by, but '\(keyPath)' shows \(names): section by a block."
        )
    }
}
