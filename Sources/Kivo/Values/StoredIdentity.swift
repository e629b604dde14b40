import KivoEngine

/// When values are the same once they are stored. By Swift's `==` two texts of other bytes can be equal, which are two
/// values to queries, indexes, sets and maps of a realm; unmanaged collections tell them apart as well.
extension RealmCollectionValue {
    /// Whether an element is the same as another: text by its bytes, everything else by `==`.
    func isSame(as other: Self) -> Bool {
        if Self._elementKind == .any { return _isSameElement(as: other) }
        guard Self._elementKind == .string else { return self == other }
        let context = CollectionContext.unmanaged
        return _elementCell(context) == other._elementCell(context)
    }
}

extension Swift.Collection where Element: RealmCollectionValue {
    /// The position of the first element that is the same as another.
    func firstIndex(same element: Element) -> Index? { firstIndex { $0.isSame(as: element) } }

    /// Whether two collections hold the same elements in the same order.
    func areSame(as other: some Swift.Collection<Element>) -> Bool {
        elementsEqual(other) { $0.isSame(as: $1) }
    }

    /// Whether two collections of distinct elements hold the same ones.
    func areSameMembers(as other: some Swift.Collection<Element>) -> Bool {
        if count != other.count { return false }
        if Element._elementKind == .any {
            return allSatisfy { element in other.contains { $0.isSame(as: element) } }
        }
        guard Element._elementKind == .string else { return Set(self) == Set(other) }
        let context = CollectionContext.unmanaged
        func bytes(_ element: Element) -> [UInt8]? {
            if case .string(let text) = element._elementCell(context) { Array(text.utf8) } else { nil }
        }
        return Set(map(bytes)) == Set(other.map(bytes))
    }
}
