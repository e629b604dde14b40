import Foundation
import Kivo

extension RealmCollection where Element: ConformanceModel {
    /// Observes the query that `thing` describes, in sections by a property.
    func observeSections(
        for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext,
        property: @escaping (Element) -> JSONValue
    ) throws -> NotificationToken {
        var filtered = thing
        filtered.ordering = nil
        let source = try results(for: filtered, context)
        let descriptors = try (thing.ordering ?? []).flatMap { step in
            guard case .sort(let keys) = step else {
                throw ConformanceError("sections of distinct elements are not in the corpus")
            }
            return keys.map { SortDescriptor(keyPath: $0.prop, ascending: $0.ascending) }
        }
        let isText = descriptors.first?.keyPath == "name"
        guard thing.sectionMod != nil || isText else {
            throw ConformanceError("sections by whole numbers are not in the corpus")
        }
        if let size = thing.sectionMod {
            let key: (Self.Element) -> Int = { (property($0).int ?? 0) / size }
            let sections = source.sectioned(by: key, sortDescriptors: descriptors)
            return sections.observe(for: thing, recorder: recorder, key: JSONValue.int)
        }
        let key: (Self.Element) -> String = { element in
            if case .string(let text) = property(element) { text } else { "" }
        }
        let sections = source.sectioned(by: key, sortDescriptors: descriptors)
        return sections.observe(for: thing, recorder: recorder, key: JSONValue.string)
    }
}

extension SectionedResults where SectionElement: ConformanceModel {
    fileprivate func observe(
        for thing: ObservedThing, recorder: ChangeRecorder, key: @escaping (Key) -> JSONValue
    ) -> NotificationToken {
        let contents = { (sections: SectionedResults) -> JSONValue in
            .array(
                sections.map { section in
                    .object(["key": key(section.key), "ids": .array(section.map(\.json))])
                })
        }
        recorder.readContents = { contents(self) }
        return observe(keyPaths: thing.keypaths) { (change: SectionedResultsChange<SectionedResults>) in
            switch change {
            case .initial(let sections): recorder.recordInitial(contents: contents(sections))
            case .update(
                let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
                let delivery = SectionsDelivery(
                    deletions: deletions.map(Array.init), insertions: insertions.map(Array.init),
                    modifications: modifications.map(Array.init),
                    currentModifications: change.currentModifications.map(Array.init),
                    sectionDeletions: Array(deleted), sectionInsertions: Array(inserted))
                recorder.record(.sections(delivery), contents: contents(sections))
            }
        }
    }
}
