import Kivo

/// The sections of `@ObservedSectionedResults`: the frozen results of a ``ResultsStorage``, divided once for each version.
///
/// SwiftUI compares the sections that it shows with the next ones, so that they must not change.
@MainActor
package final class SectionedStorage<Key: _Persistable & Hashable, Element: RealmFetchable> {
    nonisolated package let results: ResultsStorage<Element>
    package let keys: SectionDivision<Key, Element>
    private var known: (source: Results<Element>, sections: SectionedResults<Key, Element>)?

    package init(_ results: ResultsStorage<Element>, _ keys: SectionDivision<Key, Element>) {
        (self.results, self.keys) = (results, keys)
    }

    /// The sections for views.
    package var shown: SectionedResults<Key, Element> {
        let source = results.shown
        if let known, known.source == source { return known.sections }
        let sections = keys.divide(source, results.order)
        known = (source, sections)
        return sections
    }

    /// Deletes the elements at positions of a section that still exist.
    package static func remove(atOffsets offsets: [Int], of section: ResultsSection<Key, Element>) {
        CollectionEdits.delete(
            offsets.filter { $0 < section.count }.map { section[$0]._fetchedObject })
    }
}

/// A division of elements into sections.
package struct SectionDivision<Key: _Persistable & Hashable, Element: RealmFetchable> {
    /// The key path by which the elements are sorted if no order is given.
    private let keyPath: String?
    let divide: (Results<Element>, [SortDescriptor]) -> SectionedResults<Key, Element>

    /// Creates a division into sections of equal keys that a closure returns.
    package static func block(_ block: @escaping (Element) -> Key) -> SectionDivision {
        SectionDivision(keyPath: nil, block)
    }

    /// The results are frozen before they are divided, so that the closure is called only on the main actor.
    private init(keyPath: String?, _ block: @escaping (Element) -> Key) {
        self.keyPath = keyPath
        divide = { $0.sectioned(by: block, sortDescriptors: $1) }
    }

    /// Returns the declared order, or that of the keys. Traps if there is neither.
    package func order(_ declared: [SortDescriptor]) -> [SortDescriptor] {
        if !declared.isEmpty { return declared }
        guard let keyPath else {
            fatalError(
                """
                Sections of '\(Element.className())' by a block need an order: give 'sortDescriptors:' to \
                '@ObservedSectionedResults'.
                """)
        }
        return [SortDescriptor(keyPath: keyPath)]
    }
}

extension SectionDivision where Element: ObjectBase {
    /// Creates a division into sections of equal values of a property, which can be computed from a persisted one.
    package static func property(_ keyPath: KeyPath<Element, Key>) -> SectionDivision {
        SectionDivision(keyPath: _name(for: keyPath)) { $0[keyPath: keyPath] }
    }
}

extension SectionDivision where Element: ProjectionObservable {
    /// Creates a division into sections of equal values of a property of projections.
    package static func shown(_ keyPath: KeyPath<Element, Key>) -> SectionDivision {
        let names = Element._rootKeyPaths(keyPath)
        return SectionDivision(keyPath: names.count == 1 ? names[0] : nil) { $0[keyPath: keyPath] }
    }
}
