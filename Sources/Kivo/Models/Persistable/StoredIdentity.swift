import KivoEngine

/// Identity of values in their stored form. Swift's `==` treats some texts with different bytes as equal. They are two values in
/// queries, indexes, sets and maps of a realm, and therefore also in unmanaged collections.
extension RealmCollectionValue {
    /// Returns whether two elements are identical: text by its bytes, other values by `==`.
    func isSame(as other: Self) -> Bool {
        if Self.kindOfElement == .any {
            return Self._access.type.isSameElement(Self.widened(self), Self.widened(other))
        }
        guard Self.kindOfElement == .string else { return self == other }
        let context = CollectionContext.unmanaged
        return cell(in: context) == other.cell(in: context)
    }
}

extension Swift.Collection where Element: RealmCollectionValue {
    /// Returns the position of the first element that is identical to another.
    func firstIndex(same element: Element) -> Index? { firstIndex { $0.isSame(as: element) } }

    /// Returns whether two collections contain identical elements in the same order.
    func areSame(as other: some Swift.Collection<Element>) -> Bool {
        elementsEqual(other) { $0.isSame(as: $1) }
    }

    /// Returns whether two collections of distinct elements contain identical elements.
    func areSameMembers(as other: some Swift.Collection<Element>) -> Bool {
        if count != other.count { return false }
        if Element.kindOfElement == .any {
            return allSatisfy { element in other.contains { $0.isSame(as: element) } }
        }
        guard Element.kindOfElement == .string else { return Set(self) == Set(other) }
        let context = CollectionContext.unmanaged
        func bytes(_ element: Element) -> [UInt8]? {
            if case .string(let text) = element.cell(in: context) { Array(text.utf8) } else { nil }
        }
        return Set(map(bytes)) == Set(other.map(bytes))
    }
}
