/// A change whose positions lead to a collection. Paced observers receive it with a frozen collection, which stays as it was however
/// far the live one has moved.
protocol CollectionChange {
    var frozen: Self { get }
}

extension RealmCollectionChange: CollectionChange where CollectionType: ThreadConfined {
    var frozen: RealmCollectionChange {
        switch self {
        case .initial(let collection): .initial(collection.frozenIfValid)
        case .update(let collection, let deletions, let insertions, let modifications):
            .update(
                collection.frozenIfValid, deletions: deletions, insertions: insertions,
                modifications: modifications)
        case .error: self
        }
    }
}

extension RealmMapChange: CollectionChange {
    var frozen: RealmMapChange {
        switch self {
        case .initial(let map): .initial(map.frozenIfValid)
        case .update(let map, let deletions, let insertions, let modifications):
            .update(
                map.frozenIfValid, deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: self
        }
    }
}

extension SectionedResultsChange: CollectionChange where Collection: RealmSectionedResult {
    var frozen: SectionedResultsChange {
        switch self {
        case .initial(let sections): .initial(sections.frozenIfValid)
        case .update(
            let sections, let deletions, let insertions, let modifications, let sectionsToInsert,
            let sectionsToDelete):
            .update(
                sections.frozenIfValid, deletions: deletions, insertions: insertions,
                modifications: modifications, sectionsToInsert: sectionsToInsert,
                sectionsToDelete: sectionsToDelete)
        }
    }
}

extension ThreadConfined {
    /// The frozen value; the value itself if the object that owned it was deleted, so that it shows nothing any more.
    fileprivate var frozenIfValid: Self {
        let isGone = (self as? any PartOfResults)?.isSourceInvalidated ?? isInvalidated
        return isGone ? self : freeze()
    }
}

/// A part of results, which is invalidated while it is empty, and can be frozen then.
private protocol PartOfResults {
    var isSourceInvalidated: Bool { get }
}

extension ResultsSection: PartOfResults {
    fileprivate var isSourceInvalidated: Bool { state.query.isInvalidated }
}
