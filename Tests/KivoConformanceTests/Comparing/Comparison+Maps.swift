/// Maps compare exactly, by keys.
extension Comparison {
    static func map(_ delivery: Delivery?, expected: JSONValue, in scenario: Scenario) -> String? {
        guard expected["delivered"] == .bool(true) else {
            return delivery.map { "expected no call, got \(describe($0))" }
        }
        guard let delivery else { return "expected \(expected), got no call" }
        guard case .map(let got) = delivery.change else {
            return "expected \(expected), got \(describe(delivery))"
        }
        var wanted = MapDelivery(
            deletions: expected["deletions"]?.strings ?? [],
            insertions: expected["insertions"]?.strings ?? [],
            modifications: expected["modifications"]?.strings ?? [])
        if expected["root_deleted"] == .bool(true) {
            // Everything else in the recorded change is left over: the map's owner was deleted.
            let old = scenario.before?.members ?? [:]
            wanted = MapDelivery(deletions: sorted(Array(old.keys)), insertions: [], modifications: [])
        }
        guard got == wanted else { return "expected \(describe(wanted)), got \(describe(got))" }
        return addsUp(got, from: delivery.before, to: delivery.contents)
    }

    /// Applying a change to what was seen before has to give what is seen now.
    static func addsUp(_ change: MapDelivery, from before: JSONValue, to after: JSONValue) -> String? {
        var result = before.members ?? [:]
        // The contents of a deleted owner's map: nothing.
        let new = after.members ?? [:]
        for (name, keys) in [
            ("deletions", change.deletions), ("insertions", change.insertions),
            ("modifications", change.modifications),
        ] where zip(keys, keys.dropFirst()).contains(where: { !precedes($0, $1) }) {
            return "\(name) do not ascend: \(keys)"
        }
        for key in change.deletions where result.removeValue(forKey: key) == nil {
            return "'\(key)' is deleted and was not there"
        }
        for key in change.modifications {
            guard result[key] != nil, let value = new[key] else {
                return "'\(key)' is modified and did not stay"
            }
            result[key] = value
        }
        for key in change.insertions {
            guard result[key] == nil, let value = new[key] else {
                return "'\(key)' is inserted and is not new"
            }
            result[key] = value
        }
        return result == new ? nil : "\(describe(change)) leads from \(before) to \(result), not to \(new)"
    }

    /// Returns keys in the order in which observers receive them: that of their bytes.
    static func sorted(_ keys: [String]) -> [String] {
        keys.sorted(by: precedes)
    }

    private static func precedes(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }

    static func describe(_ change: MapDelivery) -> String {
        "deletions \(change.deletions) insertions \(change.insertions) modifications \(change.modifications)"
    }
}
