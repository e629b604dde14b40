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
