import Foundation

/// Compares the notifications of a case with the expected ones.
struct KeyValueCaseComparison {
    let expected: [KeyValueCaseExpectation]
    let isUnordered: Bool

    /// Returns the complaint, or nil if the records agree. Steps in `ignoring` are skipped.
    func complaint(_ records: [KeyValueCaseRecord], ignoring: Set<Int> = []) -> String? {
        let steps = Set(expected.map(\.at)).union(records.map(\.at)).subtracting(ignoring)
        for step in steps.sorted() {
            let wanted = expected.filter { $0.at == step }
            let got = records.filter { $0.at == step }
            let agrees = isUnordered ? agreesInAnyOrder(wanted, got) : agrees(wanted, got)
            if agrees { continue }
            return "step \(step): expected \(describe(wanted)), got \(describe(got))"
        }
        return nil
    }

    private func describe<Element: CustomStringConvertible>(_ elements: [Element]) -> String {
        if elements.isEmpty { return "nothing" }
        let shown = elements.prefix(4).map(\.description).joined(separator: ", ")
        return elements.count > 4 ? "\(shown), … (\(elements.count))" : shown
    }

    // MARK: Several

    /// Whether notifications are the expected ones in order. Those whose count is open take as many as fit.
    private func agrees(_ wanted: [KeyValueCaseExpectation], _ got: [KeyValueCaseRecord]) -> Bool {
        // The numbers of notifications that the expectations so far may have taken.
        var taken: Set<Int> = [0]
        for expectation in wanted {
            var next: Set<Int> = []
            for start in taken {
                var end = start
                if expectation.isCountOpen { next.insert(end) }
                while end < got.count, matches(expectation, got[end]) {
                    end += 1
                    if expectation.isCountOpen || expectation.counts.contains(end - start) {
                        next.insert(end)
                    }
                }
            }
            taken = next
        }
        return taken.contains(got.count)
    }

    private func agreesInAnyOrder(_ wanted: [KeyValueCaseExpectation], _ got: [KeyValueCaseRecord]) -> Bool {
        // Each way to choose the counts that are a choice.
        var choices: [[KeyValueCaseExpectation]] = [[]]
        for expectation in wanted where !expectation.isCountOpen {
            choices = choices.flatMap { slots in
                expectation.counts.map { slots + Array(repeating: expectation, count: $0) }
            }
        }
        let open = wanted.filter(\.isCountOpen)
        return choices.contains { agreesInAnyOrder($0, open: open, got) }
    }

    private func agreesInAnyOrder(
        _ slots: [KeyValueCaseExpectation], open: [KeyValueCaseExpectation], _ got: [KeyValueCaseRecord]
    ) -> Bool {
        // The slot to which each notification is assigned. A slot whose notification is already assigned looks for another one
        // for the slot that has it.
        var slotOf = [Int?](repeating: nil, count: got.count)
        func place(_ slot: Int, _ seen: inout Set<Int>) -> Bool {
            for index in got.indices where matches(slots[slot], got[index]) && seen.insert(index).inserted {
                if slotOf[index] == nil || place(slotOf[index]!, &seen) {
                    slotOf[index] = slot
                    return true
                }
            }
            return false
        }
        for slot in slots.indices {
            var seen: Set<Int> = []
            guard place(slot, &seen) else { return false }
        }
        return got.indices.allSatisfy { index in
            slotOf[index] != nil || open.contains { matches($0, got[index]) }
        }
    }

    // MARK: One

    private func matches(_ wanted: KeyValueCaseExpectation, _ got: KeyValueCaseRecord) -> Bool {
        let isNamed = [
            ("observer", [got.observer]), ("object", got.objects), ("keyPath", [got.keyPath]),
            ("kind", [got.kind]), ("context", [got.context]),
        ].allSatisfy { name, labels in
            guard let label = wanted[name], name == "context" || label != .null else { return true }
            return Self.choices(Self.label(label)).contains(where: labels.contains)
        }
        guard isNamed else { return false }
        if !wanted.isCountOpen || wanted["isPrior"] != nil, wanted.isPrior != got.isPrior { return false }
        for name in ["old", "new", "indexes"] {
            guard let value = wanted[name] else { continue }
            if got.isTyped, value == .null, got.entries[name] == nil { continue }
            // Elements that go with positions have an order of their own.
            let inAnyOrder = isUnordered && got.entries["indexes"] == nil
            guard let entry = got.entries[name], Self.matches(value, entry, inAnyOrder: inAnyOrder) else {
                return false
            }
        }
        return wanted.absent.allSatisfy { got.entries[$0] == nil }
    }

    /// A name as it is written: contexts may be numbers.
    static func label(_ name: JSONValue) -> String {
        if case .string(let text) = name { text } else { "\(name)" }
    }

    /// Returns the alternatives that a text stands for: itself, and for "1 or 2" also each of the two.
    static func choices(_ text: String) -> [String] {
        let parts = text.components(separatedBy: " or ")
        return parts.count > 1 ? [text] + parts : [text]
    }

    // MARK: Values

    /// Whether a value is the wanted one; `inAnyOrder` if the elements of arrays may come in any order.
    static func matches(_ wanted: JSONValue, _ got: RecordedValue, inAnyOrder: Bool = false) -> Bool {
        if matchesItself(wanted, got, inAnyOrder) { return true }
        guard case .string(let text) = wanted else { return false }
        return alternatives(text).contains { matchesItself($0, got, inAnyOrder) }
    }

    /// The values between which a text is a choice, if it is one.
    private static func alternatives(_ text: String) -> [JSONValue] {
        choices(text).dropFirst().map { choice in
            (try? JSONDecoder().decode(JSONValue.self, from: Data(choice.utf8))) ?? .string(choice)
        }
    }

    private static func matchesItself(
        _ wanted: JSONValue, _ got: RecordedValue, _ inAnyOrder: Bool
    ) -> Bool {
        switch (wanted, got) {
        case (.string("<any>"), _): true
        case (.string("<any object>"), .object): true
        case (.string("<the list>"), .list): true
        case (.string(let text), .object(let names)): names.contains { "<\($0)>" == text }
        case (.string(let text), .string(let string)): text == string
        case (.null, .null): true
        case (.bool(let wanted), .bool(let got)): wanted == got
        case (.int(let wanted), .number(let got)): Double(wanted) == got
        case (.double(let wanted), .number(let got)): wanted == got
        case (.int(let wanted), .float(let got)): Float(wanted) == got
        case (.double(let wanted), .float(let got)): Float(wanted) == got
        case (.array(let wanted), .list(let got)) where inAnyOrder: matchesInAnyOrder(wanted, got)
        case (.array(let wanted), .list(let got)): matchesEach(wanted, got)
        case (.object(let members), _): matches(members, got, inAnyOrder)
        default: false
        }
    }

    private static func matchesEach(_ wanted: [JSONValue], _ got: [RecordedValue]) -> Bool {
        wanted.count == got.count && zip(wanted, got).allSatisfy { matches($0, $1) }
    }

    /// Compares with a typed value or a dictionary.
    private static func matches(
        _ members: [String: JSONValue], _ got: RecordedValue, _ inAnyOrder: Bool
    ) -> Bool {
        if members.count == 1, let (form, value) = members.first {
            switch (form, got) {
            // A managed set arrives as an array, in an order of its own.
            case ("set", .set(let elements)), ("set", .list(let elements)):
                return matchesInAnyOrder(value.elements ?? [], elements)
            case ("struct", .point(let parts)): return value.ints == parts
            case ("data", .data(let data)):
                return matches(value, .string(String(decoding: data, as: UTF8.self)))
            case ("date", .date(let date)): return matches(value, .number(date))
            case ("some", _): return matches(value, got, inAnyOrder: inAnyOrder)
            case (_, .symbol(let text)):
                guard case .string(let symbol) = value else { return false }
                return KeyValueCaseSymbol.text(form, symbol) == text
            default: break
            }
        }
        guard case .map(let entries) = got, entries.count == members.count else { return false }
        return members.allSatisfy { name, value in
            entries[name].map { matches(value, $0, inAnyOrder: inAnyOrder) } ?? false
        }
    }

    private static func matchesInAnyOrder(_ wanted: [JSONValue], _ got: [RecordedValue]) -> Bool {
        guard wanted.count == got.count else { return false }
        var left = got
        for value in wanted {
            guard let index = left.firstIndex(where: { matches(value, $0) }) else { return false }
            left.remove(at: index)
        }
        return true
    }
}
