/// Compares a delivery with the recorded one. Every function answers with what is wrong, or nil.
enum Comparison {
    /// Lists, sets and unsorted results over a class compare exactly, except for what the public API does not report (moves and
    /// `cleared`) and what the scenario's flags take out.
    static func collection(_ delivery: Delivery?, expected: JSONValue, in scenario: Scenario) -> String? {
        guard expected["delivered"] == .bool(true) else {
            return delivery.map { "expected no call, got \(describe($0))" }
        }
        guard let delivery else { return "expected \(expected), got no call" }
        guard case .collection(let got) = delivery.change else {
            return "expected \(expected), got \(describe(delivery))"
        }
        var wanted = CollectionDelivery(
            deletions: expected["deletions"]?.ints ?? [], insertions: expected["insertions"]?.ints ?? [],
            modifications: expected["modifications_old"]?.ints ?? [],
            currentModifications: expected["modifications"]?.ints ?? [])
        if expected["root_deleted"] == .bool(true) {
            // Everything else in the recorded change is left over: the collection's owner was deleted.
            wanted = CollectionDelivery(
                deletions: Array(0..<(scenario.before?.elements?.count ?? 0)), insertions: [],
                modifications: [], currentModifications: [])
        }
        guard got.deletions == wanted.deletions else { return disagreement(wanted, got) }
        if scenario.has(.staleIndexesOnOwnerDeletion) { return nil }
        guard got.insertions == wanted.insertions else { return disagreement(wanted, got) }
        if !scenario.has(.movedElementAlsoReplaced), got != wanted { return disagreement(wanted, got) }
        return addsUp(got, from: delivery.before, to: delivery.contents)
    }

    /// Applying a change to what was seen before has to give what is seen now.
    static func addsUp(_ change: CollectionDelivery, from before: JSONValue, to after: JSONValue) -> String? {
        let old = before.elements ?? []
        // The contents of a deleted owner's list: nothing.
        let new = after.elements ?? []
        for (name, indexes, count) in [
            ("deletions", change.deletions, old.count), ("insertions", change.insertions, new.count),
            ("modifications", change.modifications, old.count),
            ("current modifications", change.currentModifications, new.count),
        ] {
            guard zip(indexes, indexes.dropFirst()).allSatisfy(<) else {
                return "\(name) do not ascend: \(indexes)"
            }
            guard indexes.allSatisfy((0..<count).contains) else {
                return "\(name) are not within 0..<\(count): \(indexes)"
            }
        }
        // Reloaded elements have no value yet, and deleted ones must not be among them.
        var result: [JSONValue?] = old
        for index in change.modifications { result[index] = nil }
        for index in change.deletions.reversed() {
            guard result.remove(at: index) != nil else { return "\(index) is both deleted and modified" }
        }
        for index in change.insertions {
            guard index <= result.count else { return "insertion \(index) is beyond the end" }
            result.insert(new[index], at: index)
        }
        guard result.count == new.count else {
            return "\(describe(change)) leads to \(result.count) elements, there are \(new.count)"
        }
        guard result.indices.filter({ result[$0] == nil }) == change.currentModifications else {
            return "\(describe(change)): the modified elements are not the same before and after"
        }
        for index in change.currentModifications { result[index] = new[index] }
        guard result == new else {
            return "\(describe(change)) leads from \(old) to \(result), not to \(new)"
        }
        return nil
    }

    /// Objects compare exactly.
    static func object(_ delivery: Delivery?, expected: JSONValue, in scenario: Scenario) -> String? {
        guard expected["delivered"] == .bool(true) else {
            return delivery.map { "expected no call, got \(describe($0))" }
        }
        guard let delivery else { return "expected \(expected), got no call" }
        let agrees =
            switch delivery.change {
            case .objectDeleted: expected["deleted"] == .bool(true)
            case .object(let names):
                expected["deleted"] == .bool(false) && expected["changed"] == JSONValue(names)
            case .collection, .map, .sections, .failure: false
            }
        return agrees ? nil : "expected \(expected), got \(describe(delivery))"
    }

    private static func disagreement(_ wanted: CollectionDelivery, _ got: CollectionDelivery) -> String {
        "expected \(describe(wanted)), got \(describe(got))"
    }

    static func describe(_ change: CollectionDelivery) -> String {
        """
        deletions \(change.deletions) insertions \(change.insertions) modifications \(change.modifications), \
        now \(change.currentModifications)
        """
    }

    static func describe(_ delivery: Delivery) -> String {
        switch delivery.change {
        case .collection(let change): describe(change)
        case .map(let change): describe(change)
        case .sections(let change): describe(change)
        case .object(let names): "changed \(names)"
        case .objectDeleted: "deleted"
        case .failure(let message): "error \(message)"
        }
    }
}
