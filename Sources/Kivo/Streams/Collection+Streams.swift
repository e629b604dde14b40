import KivoEngine

extension ChangeStream {
    /// Creates a stream of the changes that the collection's listeners receive.
    fileprivate init<Collection>(
        _ collection: Collection, _ instance: RealmInstance, _ what: String,
        isGone: @escaping () -> Bool = { false },
        _ makeListener: @escaping (@escaping (ViewChange?) -> Void) -> Listener
    ) where Change == RealmCollectionChange<Collection> {
        instance.checkStreamable(what)
        self.init {
            ListenerSource(instance, isInitial: true, isGone: isGone) { call in
                makeListener { change in
                    call(
                        StreamElement(
                            change: RealmCollectionChange(collection, change), moves: change?.moves ?? []))
                }
            }
        }
    }
}

extension RealmInstance {
    /// Traps unless values of this realm can be observed: a frozen or read-only realm never changes.
    func checkStreamable(_ what: String) {
        checkConfinement()
        if isFrozen { trap("\(what) of a frozen realm does not change and cannot be observed.") }
        if configuration.isUnchanging {
            trap("\(what) of a read-only realm does not change and cannot be observed.")
        }
    }
}

extension QueryState {
    /// Returns the filter for modifications of elements. Without key paths, projections count only the properties that they show.
    fileprivate func streamFilter<Element>(_ keyPaths: [String], _ type: Element.Type) -> KeyPathFilter? {
        let shown = keyPaths.isEmpty ? (type as? any RealmFetchable.Type)?._observedKeyPaths : nil
        return elements.flatMap { KeyPathFilter.make(shown ?? keyPaths, $0) }
    }
}

extension Results {
    /// The changes of the results, for `for await`: one `.initial`, then an `.update` whenever elements were inserted, removed,
    /// moved or modified. An update composes all changes since the element before. See ``ChangeStream``.
    public var changes: ChangeStream<RealmCollectionChange<Results<Element>>> {
        changes(keyPaths: [String]())
    }

    /// Returns the changes of the results; of elements, only changes that the key paths name count. See ``changes``. An empty
    /// array means no filter; an unknown key path traps.
    public func changes(keyPaths: [String]) -> ChangeStream<RealmCollectionChange<Results<Element>>> {
        let filter = state.streamFilter(keyPaths, Element.self)
        return ChangeStream(self, state.instance, "A collection", isGone: { [state] in state.isSourceGone }) {
            [state] call in
            state.makeListener(filter, call)
        }
    }

    /// Returns the changes of the results; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<Results<Element>>> where Element: ObjectBase {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}

extension CollectionReference {
    fileprivate func changes<Collection>(
        _ keyPaths: [String], _ collection: Collection
    ) -> ChangeStream<RealmCollectionChange<Collection>> {
        if isInvalidated { trapInvalidated() }
        let filter = context.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        return ChangeStream(collection, instance, "Collection '\(name)'") { call in
            CollectionListener(members: self, values: self, filter) { call($0?.change) }
        }
    }
}

extension List {
    /// The changes of the list, for `for await`; see ``Results/changes`` and ``ChangeStream``. The indices follow the recorded
    /// operations.
    ///
    /// - Precondition: The list is managed.
    public var changes: ChangeStream<RealmCollectionChange<List<Element>>> { changes(keyPaths: []) }

    /// Returns the changes of the list; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(keyPaths: [String]) -> ChangeStream<RealmCollectionChange<List<Element>>> {
        managed("observe").changes(keyPaths, self)
    }

    /// Returns the changes of the list; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<List<Element>>> where Element: ObjectBase {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}

extension MutableSet {
    /// The changes of the set, for `for await`; see ``Results/changes`` and ``ChangeStream``.
    ///
    /// - Precondition: The set is managed.
    public var changes: ChangeStream<RealmCollectionChange<MutableSet<Element>>> { changes(keyPaths: []) }

    /// Returns the changes of the set; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(keyPaths: [String]) -> ChangeStream<RealmCollectionChange<MutableSet<Element>>> {
        managed("observe").changes(keyPaths, self)
    }

    /// Returns the changes of the set; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<MutableSet<Element>>> where Element: ObjectBase {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}

extension LinkingObjects {
    /// The changes of the objects that link here, for `for await`; see ``Results/changes`` and ``ChangeStream``.
    ///
    /// - Precondition: The object is managed.
    public var changes: ChangeStream<RealmCollectionChange<LinkingObjects<Element>>> {
        changes(keyPaths: [String]())
    }

    /// Returns the changes of the objects that link here; of these, only changes that the key paths name count. See ``changes``.
    public func changes(
        keyPaths: [String]
    ) -> ChangeStream<RealmCollectionChange<LinkingObjects<Element>>> {
        let target = managed("observe")
        let filter = KeyPathFilter.make(keyPaths, target.originContext)
        return ChangeStream(self, target.instance, "A collection", isGone: { target.isInvalidated }) { call in
            ResultsListener(QueryState(target), filter, call)
        }
    }

    /// Returns the changes of the objects that link here; of these, only changes that the key paths name count. See ``changes``.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<LinkingObjects<Element>>> {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}

extension Map {
    /// The changes of the map, for `for await`: one `.initial`, then an `.update` whenever keys were inserted or removed or
    /// values were modified. See ``ChangeStream``.
    ///
    /// - Precondition: The map is managed.
    public var changes: ChangeStream<RealmMapChange<Map>> { changes(keyPaths: []) }

    /// Returns the changes of the map; of objects in it, only changes that the key paths name count. See ``changes``.
    ///
    /// - Precondition: The map is managed and not invalidated.
    public func changes(keyPaths: [String]) -> ChangeStream<RealmMapChange<Map>> {
        guard let references else {
            trap("Cannot observe an unmanaged map: add its object to a realm first.")
        }
        let (keys, values) = (references.keys, references.values)
        keys.instance.checkStreamable("Collection '\(keys.name)'")
        if keys.isInvalidated { keys.trapInvalidated() }
        let filter = values.context.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        return ChangeStream {
            ListenerSource(keys.instance, isInitial: true) { call in
                CollectionListener(members: keys, values: values, filter) {
                    call(StreamElement(change: RealmMapChange(self, keys, $0)))
                }
            }
        }
    }
}

extension AnyRealmCollection {
    /// The changes of the collection, for `for await`; see ``Results/changes`` and ``ChangeStream``.
    ///
    /// - Precondition: The collection is managed.
    public var changes: ChangeStream<RealmCollectionChange<AnyRealmCollection<Element>>> {
        changes(keyPaths: [String]())
    }

    /// Returns the changes of the collection; of elements, only changes that the key paths name count. See ``changes``.
    ///
    /// - Precondition: The collection is managed.
    public func changes(
        keyPaths: [String]
    ) -> ChangeStream<RealmCollectionChange<AnyRealmCollection<Element>>> {
        guard let state = queryState else {
            trap("Cannot observe an unmanaged collection: add its object to a realm first.")
        }
        let filter = state.streamFilter(keyPaths, Element.self)
        return ChangeStream(self, state.instance, "A collection", isGone: { state.isSourceGone }) { call in
            state.makeListener(filter, call)
        }
    }

    /// Returns the changes of the collection; of elements, only changes that the key paths name count. See ``changes``.
    ///
    /// - Precondition: The collection is managed.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeStream<RealmCollectionChange<AnyRealmCollection<Element>>> where Element: ObjectBase {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}

extension SectionedState {
    fileprivate func changes<Collection>(
        _ keyPaths: [String], only section: Key?,
        _ make: @escaping (SectionedState, SectionedChange?) -> SectionedResultsChange<Collection>
    ) -> ChangeStream<SectionedResultsChange<Collection>> {
        instance.checkStreamable("A collection")
        let filter = query.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        return ChangeStream {
            ListenerSource(self.instance, isInitial: true, isGone: { self.query.isSourceGone }) { call in
                SectionedListener(self, only: section, filter) {
                    call(StreamElement(change: make(self, $0)))
                }
            }
        }
    }
}

extension SectionedResults {
    /// The changes of the sections, for `for await`: one `.initial`, then an `.update` that composes all changes since the
    /// element before. See ``ChangeStream``.
    public var changes: ChangeStream<SectionedResultsChange<SectionedResults>> {
        changes(keyPaths: [String]())
    }

    /// Returns the changes of the sections; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(keyPaths: [String]) -> ChangeStream<SectionedResultsChange<SectionedResults>> {
        state.changes(keyPaths, only: nil) { SectionedResultsChange(SectionedResults($0), $1) }
    }

    /// Returns the changes of the sections; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(
        keyPaths: [PartialKeyPath<SectionElement>]
    ) -> ChangeStream<SectionedResultsChange<SectionedResults>> where SectionElement: ObjectBase {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}

extension ResultsSection {
    /// The changes of the section of this key, for `for await`; see ``SectionedResults/changes``.
    public var changes: ChangeStream<SectionedResultsChange<ResultsSection>> {
        changes(keyPaths: [String]())
    }

    /// Returns the changes of this key's section; of elements, only changes that the key paths name count. See ``changes``.
    public func changes(keyPaths: [String]) -> ChangeStream<SectionedResultsChange<ResultsSection>> {
        let key = key
        return state.changes(keyPaths, only: key) { SectionedResultsChange(ResultsSection($0, key), $1) }
    }

    /// Returns the changes of this key's section; of elements, only changes that the key paths name count. See
    /// ``SectionedResults/changes``.
    public func changes(
        keyPaths: [PartialKeyPath<T>]
    ) -> ChangeStream<SectionedResultsChange<ResultsSection>> where T: ObjectBase {
        changes(keyPaths: keyPaths.map { KeyPathName.of($0) })
    }
}
