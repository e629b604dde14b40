import Foundation
import KivoEngine

extension SectionedResultsChange {
    /// The index paths of the modified elements in the current sections, ascending; empty for a first call.
    ///
    /// These are the elements of the update's `modifications`, in the same order. Use them to read the elements, and for views
    /// that take changes one after another. They are computed from the update alone. The change of a single section does not
    /// contain its current index, which is read from the section.
    ///
    /// - Complexity: O(n + m log n) for m modifications and n deletions and insertions.
    /// - Precondition: If the collection is a single section, its realm belongs to the current thread, queue or actor.
    public var currentModifications: [IndexPath] {
        guard
            case .update(
                let collection, let deletions, let insertions, let modifications, let inserted, let deleted) =
                self, let first = modifications.first
        else { return [] }
        let positions = { (paths: [IndexPath]) in
            paths.map { SectionedChange.Position(section: $0[0], row: $0[1]) }
        }
        var change = SectionedChange()
        change.sectionDeletions = Array(deleted)
        change.sectionInsertions = Array(inserted)
        change.deletions = positions(deletions)
        change.insertions = positions(insertions)
        if let section = collection as? any IndexedSection, let index = section.sectionIndex {
            change.sectionShift = index - first[0]
        }
        return change.currentPositions(ofOld: positions(modifications)).map {
            IndexPath(indexes: [$0.section, $0.row])
        }
    }
}

/// A section that has an index among all sections.
private protocol IndexedSection {
    /// The current index, or nil if the section does not exist.
    var sectionIndex: Int? { get }
}

extension ResultsSection: IndexedSection {
    fileprivate var sectionIndex: Int? { state.index(of: key) }
}
