import Dispatch

/// What ``SectionedResults`` and each ``ResultsSection`` of them have in common: a live, observable collection.
public protocol RealmSectionedResult: _SlicedCollection, Equatable, ThreadConfined where Index == Int {
    /// An element of the collection that is in sections.
    associatedtype SectionElement: RealmCollectionValue
    /// Observes the sections, on a queue if there is one. Not for use by applications: they call
    /// ``observe(keyPaths:_:)-([String]?,_)``.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

extension RealmSectionedResult {
    /// 0: positions are counted from the first.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }
    /// The next position.
    public func index(after index: Int) -> Int { index + 1 }
    /// The position before.
    public func index(before index: Int) -> Int { index - 1 }
}
