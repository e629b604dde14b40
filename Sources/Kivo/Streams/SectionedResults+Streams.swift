import KivoEngine

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
