import Foundation
import KivoEngine

/// What the observers of ``SectionedResults``, and of a section of them, are told.
///
/// Index paths are of two indexes: that of the section, among all sections, and that of the element in it. Apply deletions
/// first (from the back), then remove sections (from the back), insert sections (from the front), then insertions (from the
/// front), then modifications: that turns what the observer saw last into what there is now.
@frozen
public enum SectionedResultsChange<Collection> {
    /// The first call: the collection can be used.
    case initial(Collection)
    /// Elements or sections came, went, moved or were modified.
    ///
    /// - Parameters:
    ///   - deletions: index paths, in the collection as the observer saw it last, of elements that are gone. Those of a
    ///     section that is gone as a whole are not listed.
    ///   - insertions: index paths, in the collection as it is now, of elements that are new; all of them in a new section.
    ///   - modifications: index paths, in the collection as it is now, of elements that stayed and were modified.
    ///   - sectionsToInsert: indexes of sections, as they are now, that are new.
    ///   - sectionsToDelete: indexes of sections, as the observer saw them last, that are gone.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)

    init(_ collection: Collection, _ change: SectionedChange?) {
        guard let change else {
            self = .initial(collection)
            return
        }
        let paths = { (places: [SectionedChange.Place]) in
            places.map { IndexPath(indexes: [$0.section, $0.row]) }
        }
        self = .update(
            collection, deletions: paths(change.deletions), insertions: paths(change.insertions),
            modifications: paths(change.modifications), sectionsToInsert: IndexSet(change.sectionInsertions),
            sectionsToDelete: IndexSet(change.sectionDeletions))
    }
}
