import Dispatch

/// What ``SectionedResults`` and each ``ResultsSection`` of them have in common: a live, observable collection.
public protocol RealmSectionedResult: _SlicedCollection, Equatable, ThreadConfined where Index == Int {
    /// Observes the sections; see ``SectionedResults/observe(keyPaths:on:_:)-([String]?,_,_)``.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
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

    /// Observes the sections on the current thread; see ``SectionedResults/observe(keyPaths:on:_:)-([String]?,_,_)``.
    @_disfavoredOverload
    public func observe(_ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: nil, on: nil, block)
    }
}
