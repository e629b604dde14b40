/// The comparison of deliveries of which several can be right, because several edit scripts are equally short.
extension Comparison {
    /// Compares a delivery about sorted, distinct or list-backed results, or about backlinks.
    ///
    /// It has to add up, to be no longer than the recorded one, to name every element that stayed and changed, and
    /// no other. Where the recording engine's scripts are the shortest there are, this one has to be as well.
    static func equivalent(
        _ delivery: Delivery?, expected: JSONValue, changes: ElementChanges, isShortest: Bool
    ) -> String? {
        guard expected["delivered"] == .bool(true) else {
            return delivery.map { "expected no call, got \(describe($0))" }
        }
        guard let delivery else { return "expected \(expected), got no call" }
        guard case .collection(let got) = delivery.change else {
            return "expected \(expected), got \(describe(delivery))"
        }
        if let complaint = addsUp(got, from: delivery.before, to: delivery.contents) {
            return "expected \(expected), got \(describe(got)): \(complaint)"
        }
        let size = got.deletions.count + got.insertions.count
        let recorded = (expected["deletions"]?.ints ?? []).count + (expected["insertions"]?.ints ?? []).count
        let old = delivery.before.elements ?? []
        let new = delivery.contents.elements ?? []
        let shortest = isShortest ? old.count + new.count - 2 * changes.commonCount(old, new) : recorded
        guard size <= min(recorded, shortest) else {
            return
                "expected \(expected), got \(describe(got)), which is longer than \(min(recorded, shortest))"
        }
        let inserted = Set(got.insertions)
        let modified = Set(got.currentModifications)
        // Where the recorded delivery only says that an element moved, the operations tell whether it changed.
        let known = changes.recorded(expected)
        guard inserted.isDisjoint(with: modified) else { return "\(describe(got)) names an element twice" }
        for (index, element) in new.enumerated() where !inserted.contains(index) {
            guard (known[element] ?? changes.hasChanged(element)) == modified.contains(index) else {
                let told = modified.contains(index) ? "named as changed" : "not named as changed"
                return "expected \(expected), got \(describe(got)): \(element) at \(index) is \(told)"
            }
        }
        return nil
    }

    /// The length of a longest common subsequence.
    static func commonCount(_ old: [JSONValue], _ new: [JSONValue]) -> Int {
        var lengths = [Int](repeating: 0, count: new.count + 1)
        for element in old {
            var diagonal = 0
            for (index, other) in new.enumerated() {
                let above = lengths[index + 1]
                lengths[index + 1] = element == other ? diagonal + 1 : max(above, lengths[index])
                diagonal = above
            }
        }
        return lengths[new.count]
    }
}

/// Which elements of an observed collection count as changed.
struct ElementChanges {
    /// The contents that a recorded delivery's indexes of insertions and modifications go into.
    private let after: [JSONValue]
    private let keyPaths: [String]?
    private let ledger: ScenarioLedger
    /// The class of the elements; nil for plain values, which cannot change.
    let elementClass: String?

    init(_ scenario: Scenario, schema: ConformanceSchema, countsReferrals: Bool = false) {
        after = scenario.after?.elements ?? []
        keyPaths = scenario.observe?.keypaths
        ledger = ScenarioLedger(scenario, schema: schema, countsReferrals: countsReferrals)
        elementClass = scenario.observe.flatMap { Self.elementClass($0, schema) }
    }

    private static func elementClass(_ thing: ObservedThing, _ schema: ConformanceSchema) -> String? {
        let className: String?
        if let list = thing.list {
            className = (schema[list.class]?[list.prop]).map(argument)
        } else if let property = thing.prop {
            // `backlinks<C.p>` are objects of C.
            className = (schema[thing.class]?[property]).map(argument)
        } else {
            className = thing.class
        }
        return className.flatMap { schema[$0] == nil ? nil : $0 }
    }

    /// `C` of `list<C>` and of `backlinks<C.p>`.
    private static func argument(_ type: String) -> String {
        let text = type.split(separator: "<").dropFirst().first.map { $0.dropLast() } ?? ""
        return text.split(separator: ".").first.map(String.init) ?? ""
    }

    /// Whether an element counts as changed by the operations alone.
    func hasChanged(_ element: JSONValue) -> Bool {
        guard let elementClass, let id = element.int else { return false }
        return ledger.hasChanged(.init(className: elementClass, id: id), keyPaths: keyPaths)
    }

    /// The length of a longest common subsequence of the contents before and after. An object that was created
    /// in the place of a deleted one is another, though it has the same id.
    func commonCount(_ old: [JSONValue], _ new: [JSONValue]) -> Int {
        Comparison.commonCount(old, new.map { isNew($0) ? .null : $0 })
    }

    private func isNew(_ element: JSONValue) -> Bool {
        guard let elementClass, let id = element.int else { return false }
        return ledger.isNew(.init(className: elementClass, id: id))
    }

    /// Returns which of the elements that the recorded delivery keeps in place it names as changed.
    func recorded(_ expected: JSONValue) -> [JSONValue: Bool] {
        let inserted = Set(expected["insertions"]?.ints ?? [])
        let modified = Set(expected["modifications"]?.ints ?? [])
        var changes: [JSONValue: Bool] = [:]
        for (index, element) in after.enumerated() where !inserted.contains(index) {
            changes[element] = changes[element, default: false] || modified.contains(index)
        }
        return changes
    }
}
