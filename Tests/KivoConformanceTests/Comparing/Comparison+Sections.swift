/// Sections compare as sorted results do: several edit scripts can be equally short.
extension Comparison {
    /// A delivery has to add up, to be no longer than the recorded one, to name every element that stayed and changed, and
    /// no other.
    static func sections(
        _ delivery: Delivery?, expected: JSONValue, changes: ElementChanges, in scenario: Scenario
    ) -> String? {
        if scenario.has(.notReproducible) {
            // The recorded delivery is wrong; the contents decide.
            guard let delivery else {
                return scenario.before == scenario.after ? nil : "the sections differ, got no call"
            }
            return sectionsAddUp(delivery)
        }
        guard expected["delivered"] == .bool(true) else {
            return delivery.map { "expected no call, got \(describe($0))" }
        }
        guard let delivery else { return "expected \(expected), got no call" }
        guard case .sections(let got) = delivery.change else {
            return "expected \(expected), got \(describe(delivery))"
        }
        if let complaint = sectionsAddUp(delivery) {
            return "expected \(expected), got \(describe(got)): \(complaint)"
        }
        let recorded = ["deletions", "insertions", "sections_deleted", "sections_inserted"]
            .reduce(0) { $0 + (expected[$1]?.elements?.count ?? 0) }
        let size =
            got.deletions.count + got.insertions.count + got.sectionDeletions.count
            + got.sectionInsertions.count
        guard size <= recorded else {
            return "expected \(expected), got \(describe(got)), which is longer"
        }
        for (section, ids) in ids(delivery.contents).enumerated() {
            for (row, element) in ids.enumerated() where !got.insertions.contains([section, row]) {
                guard changes.hasChanged(element) == got.currentModifications.contains([section, row])
                else {
                    return "expected \(expected), got \(describe(got)): \(element) is told wrongly"
                }
            }
        }
        return nil
    }

    private static func ids(_ contents: JSONValue) -> [[JSONValue]] {
        (contents.elements ?? []).map { $0["ids"]?.elements ?? [] }
    }

    /// Applying the change to what was seen before has to give what is seen now.
    private static func sectionsAddUp(_ delivery: Delivery) -> String? {
        guard case .sections(let change) = delivery.change else { return "not a change of sections" }
        let new = delivery.contents.elements ?? []
        let newIds = ids(delivery.contents)
        var keys = (delivery.before.elements ?? []).map { $0["key"] }
        var rows: [[JSONValue?]] = ids(delivery.before)
        for place in change.modifications {
            guard rows.indices.contains(place[0]), rows[place[0]].indices.contains(place[1]) else {
                return "there is nothing at \(place) to reload"
            }
            rows[place[0]][place[1]] = nil
        }
        for place in change.deletions.reversed() {
            guard rows.indices.contains(place[0]), rows[place[0]].indices.contains(place[1]) else {
                return "there is nothing at \(place) to delete"
            }
            if change.sectionDeletions.contains(place[0]) { return "\(place) is in a deleted section" }
            if rows[place[0]].remove(at: place[1]) == nil { return "\(place) is both deleted and modified" }
        }
        for section in change.sectionDeletions.reversed() {
            guard rows.indices.contains(section) else { return "there is no section \(section)" }
            keys.remove(at: section)
            rows.remove(at: section)
        }
        for section in change.sectionInsertions {
            guard section <= rows.count, section < new.count else { return "no place for section \(section)" }
            keys.insert(new[section]["key"], at: section)
            rows.insert([], at: section)
        }
        for place in change.insertions {
            guard rows.indices.contains(place[0]), place[1] <= rows[place[0]].count,
                place[0] < newIds.count, place[1] < newIds[place[0]].count
            else { return "no place for \(place)" }
            rows[place[0]].insert(newIds[place[0]][place[1]], at: place[1])
        }
        let reloaded = rows.indices.flatMap { section in
            rows[section].indices.filter { rows[section][$0] == nil }.map { [section, $0] }
        }
        guard reloaded == change.currentModifications else {
            return "the modified elements are not the same before and after"
        }
        for place in reloaded {
            guard place[1] < newIds[place[0]].count else { return "\(place) did not stay" }
            rows[place[0]][place[1]] = newIds[place[0]][place[1]]
        }
        guard keys == new.map({ $0["key"] }), rows == newIds else {
            return "leads to \(rows), not to \(newIds)"
        }
        return nil
    }

    static func describe(_ change: SectionsDelivery) -> String {
        """
        deletions \(change.deletions) insertions \(change.insertions) modifications \(change.modifications), now \
        \(change.currentModifications) sections deleted \(change.sectionDeletions) inserted \(change.sectionInsertions)
        """
    }
}
