extension ChangeStream {
    /// Returns the changes at a pace, with frozen collections.
    func paced(_ pacing: Realm.Pacing) -> ChangeStream {
        ChangeStream { [makeSource] in
            let source = makeSource()
            source.pace(pacing.rule)
            return source
        }
    }
}

extension Results {
    /// Returns the changes of the results at a pace, with frozen results: positions lead to what the change carries, also when the
    /// loop takes its time and the live results have moved on.
    ///
    /// The consumer receives a change as often as the pacing says, and not before it asks for one. A stream is read by hand in any case:
    /// with ``Realm/Pacing/manual``, only its collections are frozen.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; empty for no filter. An unknown one traps.
    ///   - pacing: how often the consumer receives a change.
    ///
    /// - Complexity: O(1): the results are evaluated when a loop begins. A change then costs O(log n) for each element in it.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<RealmCollectionChange<Results<Element>>> { changes(keyPaths: keyPaths).paced(pacing) }
}

extension List {
    /// Returns the changes of the list at a pace, with frozen lists; see ``Results/changes(keyPaths:pacing:)``.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<RealmCollectionChange<List<Element>>> { changes(keyPaths: keyPaths).paced(pacing) }
}

extension MutableSet {
    /// Returns the changes of the set at a pace, with frozen sets; see ``Results/changes(keyPaths:pacing:)``.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<RealmCollectionChange<MutableSet<Element>>> {
        changes(keyPaths: keyPaths).paced(pacing)
    }
}

extension LinkingObjects {
    /// Returns the changes of the objects that link here at a pace, frozen; see ``Results/changes(keyPaths:pacing:)``.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<RealmCollectionChange<LinkingObjects<Element>>> {
        changes(keyPaths: keyPaths).paced(pacing)
    }
}

extension Map {
    /// Returns the changes of the map at a pace, with frozen maps; see ``Results/changes(keyPaths:pacing:)``.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<RealmMapChange<Map>> { changes(keyPaths: keyPaths).paced(pacing) }
}

extension AnyRealmCollection {
    /// Returns the changes of the collection at a pace, with frozen collections; see ``Results/changes(keyPaths:pacing:)``.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<RealmCollectionChange<AnyRealmCollection<Element>>> {
        changes(keyPaths: keyPaths).paced(pacing)
    }
}

extension SectionedResults {
    /// Returns the changes of the sections at a pace, with frozen sections; see ``Results/changes(keyPaths:pacing:)``.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<SectionedResultsChange<SectionedResults>> { changes(keyPaths: keyPaths).paced(pacing) }
}

extension ResultsSection {
    /// Returns the changes of the section of this key at a pace, with frozen sections; see ``Results/changes(keyPaths:pacing:)``.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<SectionedResultsChange<ResultsSection>> { changes(keyPaths: keyPaths).paced(pacing) }
}

extension KeyValueObservable where Self: ObjectBase {
    /// Returns the changes of the object at a pace; see ``Results/changes(keyPaths:pacing:)``. The object is the live one.
    public func changes(
        keyPaths: [String] = [], pacing: Realm.Pacing
    ) -> ChangeStream<ObjectChange<Self>> { changes(keyPaths: keyPaths).paced(pacing) }
}
