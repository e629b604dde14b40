import Foundation
import KivoEngine

/// A change that observers of ``SectionedResults``, or of one of their sections, receive.
///
/// Index paths have two indexes: that of the section among all sections, and that of the element in it. Apply deletions first
/// (from the back), then remove sections (from the back), insert sections (from the front), then insertions (from the front),
/// then modifications. The result is the change from the state that the observer saw last to the current one.
@frozen
public enum SectionedResultsChange<Collection> {
    /// The first call: the collection can be used.
    case initial(Collection)
    /// Elements or sections were inserted, removed, moved or modified.
    ///
    /// - Parameters:
    ///   - deletions: index paths of removed elements, in the collection as the observer saw it last. Those of a section that was
    ///   removed as a whole are not listed.
    ///   - insertions: index paths of new elements, in the current collection; for a new section, of all its elements.
    ///   - modifications: index paths of remaining elements that were modified, in the current collection.
    ///   - sectionsToInsert: indexes of new sections, in the current collection.
    ///   - sectionsToDelete: indexes of removed sections, in the collection as the observer saw it last.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)

    init(_ collection: Collection, _ change: SectionedChange?) {
        guard let change else {
            self = .initial(collection)
            return
        }
        let paths = { (positions: [SectionedChange.Position]) in
            positions.map { IndexPath(indexes: [$0.section, $0.row]) }
        }
        self = .update(
            collection, deletions: paths(change.deletions), insertions: paths(change.insertions),
            modifications: paths(change.modifications), sectionsToInsert: IndexSet(change.sectionInsertions),
            sectionsToDelete: IndexSet(change.sectionDeletions))
    }
}
