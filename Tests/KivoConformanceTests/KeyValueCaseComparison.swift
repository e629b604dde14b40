/// Compares the notifications of a case with the expected ones.
struct KeyValueCaseComparison {
    let expected: [KeyValueCaseExpectation]
    let isUnordered: Bool

    /// What is wrong, nil if nothing is. Steps in `ignoring` are not looked at.
    func complaint(_ records: [KeyValueCaseRecord], ignoring: Set<Int> = []) -> String? {
        let steps = Set(expected.map(\.at)).union(records.map(\.at)).subtracting(ignoring)
        for step in steps.sorted() {
            let wanted = expected.filter { $0.at == step }
            let got = records.filter { $0.at == step }
            let agrees = isUnordered ? Self.agreesInAnyOrder(wanted, got) : Self.agrees(wanted, got)
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
    private static func agrees(_ wanted: [KeyValueCaseExpectation], _ got: [KeyValueCaseRecord]) -> Bool {
        // The numbers of notifications that the expectations so far may have taken.
        var taken: Set<Int> = [0]
        for expectation in wanted {
            var next: Set<Int> = []
            for start in taken {
                var end = start
                if expectation.isCountOpen { next.insert(end) }
                while end < got.count, matches(expectation, got[end]) {
                    end += 1
                    if expectation.isCountOpen || end - start == expectation.count { next.insert(end) }
                }
            }
            taken = next
        }
        return taken.contains(got.count)
    }

    private static func agreesInAnyOrder(_ wanted: [KeyValueCaseExpectation], _ got: [KeyValueCaseRecord])
        -> Bool
    {
        let slots = wanted.filter { !$0.isCountOpen }.flatMap { Array(repeating: $0, count: $0.count) }
        let open = wanted.filter(\.isCountOpen)
        // What each notification was taken for; slots that find it taken look for another for its taker.
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

    static func matches(_ wanted: KeyValueCaseExpectation, _ got: KeyValueCaseRecord) -> Bool {
        if let observer = wanted.string("observer"), observer != got.observer { return false }
        if let object = wanted.string("object"), !got.objects.contains(object) { return false }
        if let keyPath = wanted.string("keyPath"), keyPath != got.keyPath { return false }
        if let kind = wanted.string("kind"), kind != got.kind { return false }
        if !wanted.isCountOpen || wanted["isPrior"] != nil, wanted.isPrior != got.isPrior { return false }
        for name in ["old", "new", "indexes"] {
            guard let value = wanted[name] else { continue }
            if got.isTyped, value == .null, got.entries[name] == nil { continue }
            guard let entry = got.entries[name], matches(value, entry) else { return false }
        }
        if let context = wanted["context"] {
            guard label(ofContext: context) == got.context else { return false }
        }
        return wanted.absent.allSatisfy { got.entries[$0] == nil }
    }

    static func label(ofContext context: JSONValue) -> String {
        if case .string(let text) = context { text } else { "\(context)" }
    }

    // MARK: Values

    static func matches(_ wanted: JSONValue, _ got: RecordedValue) -> Bool {
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
        case (.array(let wanted), .list(let got)): matchesEach(wanted, got)
        case (.object(let members), _): matches(members, got)
        default: false
        }
    }

    private static func matchesEach(_ wanted: [JSONValue], _ got: [RecordedValue]) -> Bool {
        wanted.count == got.count && zip(wanted, got).allSatisfy { matches($0, $1) }
    }

    /// Compares with a typed value or a dictionary.
    private static func matches(_ members: [String: JSONValue], _ got: RecordedValue) -> Bool {
        if members.count == 1, let (form, value) = members.first {
            switch (form, got) {
            // A managed set arrives as an array, in an order of its own.
            case ("set", .set(let elements)), ("set", .list(let elements)):
                return matchesInAnyOrder(value.elements ?? [], elements)
            case ("struct", .point(let parts)): return value.ints == parts
            case ("data", .data(let data)):
                return matches(value, .string(String(decoding: data, as: UTF8.self)))
            case ("date", .date(let date)): return matches(value, .number(date))
            case ("some", _): return matches(value, got)
            case (_, .symbol(let text)):
                guard case .string(let symbol) = value else { return false }
                return KeyValueCaseSymbol.text(form, symbol) == text
            default: break
            }
        }
        guard case .map(let entries) = got, entries.count == members.count else { return false }
        return members.allSatisfy { name, value in entries[name].map { matches(value, $0) } ?? false }
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
