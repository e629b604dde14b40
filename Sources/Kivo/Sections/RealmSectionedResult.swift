import Dispatch

/// The common interface of ``SectionedResults`` and each ``ResultsSection`` of them: a live, observable collection.
public protocol RealmSectionedResult: _SlicedCollection, Equatable, ThreadConfined where Index == Int {
    /// The type of the elements in the sections.
    associatedtype SectionElement: RealmCollectionValue
    /// Observes the sections, on a queue if there is one. Not for use by applications: they call
    /// ``observe(keyPaths:_:)-([String]?,_)``.
    func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

extension RealmSectionedResult {
    /// The first position, 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    ///
    /// - Complexity: That of `count`.
    public var endIndex: Int { count }
    /// Returns the next position.
    public func index(after index: Int) -> Int { index + 1 }
    /// Returns the previous position.
    public func index(before index: Int) -> Int { index - 1 }
}
