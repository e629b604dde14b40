extension RealmCollection {
    fileprivate func sections<Key>(
        _ descriptors: [SortDescriptor], _ keys: SectionKeyMaker<Key, Element>
    ) -> SectionedResults<Key, Element> {
        guard let query = _query else {
            trap("Cannot section an unmanaged collection: add its object to a realm first.")
        }
        if descriptors.isEmpty {
            trap("Sections need an order: 'sortDescriptors' is empty.")
        }
        return SectionedResults(SectionedState(query.state.sorted(descriptors), keys))
    }

    /// Traps unless the first sort descriptor is of a property.
    fileprivate func checkOrder(_ descriptors: [SortDescriptor], of name: String) {
        guard let first = descriptors.first, first.keyPath != name else { return }
        trap(
            """
            Sections by '\(name)' need the order of that property, but are sorted by '\(first.keyPath)' first: put \
            '\(name)' first, or section by a block.
            """)
    }

    /// The objects in sections of equal values of a property, in its order, live. Traps if the collection is unmanaged.
    ///
    /// - Parameters:
    ///   - keyPath: the property, which can be behind links, whose value is the key of an object's section.
    ///   - ascending: whether small keys come first.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> where Element: ObjectBase {
        let name = KeyPathName.of(keyPath)
        return sections(
            [SortDescriptor(keyPath: name, ascending: ascending)],
            SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: true))
    }

    /// The objects in sections of equal values of a property, in an order, live. Traps if the collection is unmanaged, and
    /// unless the first sort descriptor is of the property: only then do the objects of a section come together.
    ///
    /// - Parameters:
    ///   - keyPath: the property, which can be behind links, whose value is the key of an object's section.
    ///   - sortDescriptors: the order of the objects, and so of the sections.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> where Element: ObjectBase {
        let name = KeyPathName.of(keyPath)
        checkOrder(sortDescriptors, of: name)
        return sections(
            sortDescriptors, SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: true))
    }

    /// The objects in sections of equal keys, in an order, live: the sections come in the order of their first elements.
    /// Traps if the collection is unmanaged.
    ///
    /// - Parameters:
    ///   - block: the key of the section that an object belongs to. It is called when an object is looked at first and,
    ///     while the sections are observed, again when the object, or one that is at most three links away, is modified:
    ///     what the key depends on has to be within this reach. It runs wherever the sections are read or observed: on the
    ///     queues and actors that they are handed to, and frozen on any thread. It can only read: writing in it traps, and so
    ///     does reading the sections whose keys it makes.
    ///   - sortDescriptors: the order of the objects.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping @Sendable (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sections(sortDescriptors, SectionKeyMaker(block: block, isSendable: true))
    }

    /// The objects in sections of equal keys, which stay where they are: freezing them, observing them on another queue or actor,
    /// or making a reference to them traps, because the block would run there. For functions that are not `@Sendable`; the rest
    /// is as with the form for those that are.
    @_disfavoredOverload
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sections(sortDescriptors, SectionKeyMaker(block: block, isSendable: false))
    }

    /// The plain values in sections of equal keys, in their own order, live. Traps if the collection is unmanaged or holds
    /// objects.
    ///
    /// - Parameters:
    ///   - block: the key of the section that a value belongs to. It runs wherever the sections are read or observed.
    ///   - ascending: whether small values come first.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping @Sendable (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(SectionKeyMaker(block: block, isSendable: true), ascending)
    }

    /// The plain values in sections of equal keys, which stay where they are; for functions that are not `@Sendable`.
    @_disfavoredOverload
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(SectionKeyMaker(block: block, isSendable: false), ascending)
    }

    private func sectioned<Key>(
        _ keys: SectionKeyMaker<Key, Element>, _ ascending: Bool
    ) -> SectionedResults<Key, Element> {
        if let query = _query, query.state.elements != nil {
            trap("Objects have no order of their own: give 'sortDescriptors:' to put them in sections.")
        }
        return sections([SortDescriptor(keyPath: "self", ascending: ascending)], keys)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// The projections in sections of equal values of a property, in the order of what it shows, live.
    ///
    /// Traps unless the property shows one property of the root.
    ///
    /// - Parameters:
    ///   - keyPath: the property of the projection whose value is the key of a section.
    ///   - ascending: whether small keys come first.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let descriptor = SortDescriptor(keyPath: shown(keyPath), ascending: ascending)
        return sections(
            [descriptor], SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: false))
    }

    /// The projections in sections of equal values of a property, in an order, live.
    ///
    /// Traps unless the property shows one property of the root, and the first sort descriptor is of that.
    ///
    /// - Parameters:
    ///   - keyPath: the property of the projection whose value is the key of a section.
    ///   - sortDescriptors: the order of the projections, by properties of the root, and so of the sections.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        checkOrder(sortDescriptors, of: shown(keyPath))
        return sections(
            sortDescriptors, SectionKeyMaker(property: { $0[keyPath: keyPath] }, isSortKey: false))
    }

    /// The root's property that one of the projection shows.
    private func shown<Key>(_ keyPath: KeyPath<Element, Key>) -> String {
        let names = Element._rootKeyPaths(keyPath)
        if names.count == 1 { return names[0] }
        trap(
            "Sections need one property to be ordered by, but '\(keyPath)' shows \(names): section by a block."
        )
    }
}
