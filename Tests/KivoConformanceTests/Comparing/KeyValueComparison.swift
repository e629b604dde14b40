import Kivo

/// Compares the notifications of key-value observers with the expected ones. Any other notification is a complaint.
enum KeyValueComparison {
    /// Returns the complaints about one object, at most one for each property.
    static func complaints(about story: ObjectStory, expected: JSONValue) -> [String] {
        guard case .object(var changes)? = expected["changes"], let invalidated = expected["invalidated"]
        else {
            return ["\(expected) expects nothing"]
        }
        if invalidated == .bool(true) {
            changes[KeyValueSubject.invalidation] = .object(["kind": .string("Set")])
        }
        var complaints: [String] = []
        for property in story.properties {
            let change = changes.removeValue(forKey: property.name)
            if let complaint = complaint(about: property, expected: change) {
                complaints.append("\(story.className) \(story.id).\(property.name): \(complaint)")
            }
        }
        return complaints
            + changes.keys.sorted().map { "\(story.className) \(story.id).\($0) was not observed" }
    }

    /// Returns the complaint about one property, or nil if there is none.
    static func complaint(about story: PropertyStory, expected: JSONValue?) -> String? {
        guard let expected else {
            if !story.calls.isEmpty { return "expected no call, got \(describe(story.calls))" }
            if let before = story.before, let after = story.after, before != after, !isInvalidation(story) {
                return "\(before) became \(after), and no call is expected"
            }
            return nil
        }
        guard let wanted = call(expected, from: story.before, to: story.after) else {
            return "\(expected) does not fit \(describe(story.before)) becoming \(describe(story.after))"
        }
        return story.calls == [wanted]
            ? nil : "expected \(describe([wanted])), got \(describe(story.calls))"
    }

    /// An object whose deletion is rolled back becomes valid again without a notification.
    private static func isInvalidation(_ story: PropertyStory) -> Bool {
        story.name == KeyValueSubject.invalidation && story.before == .bool(true)
    }

    /// The one call that an expected change stands for; nil if the contents lack the elements it is about.
    private static func call(_ expected: JSONValue, from before: JSONValue?, to after: JSONValue?)
        -> KeyValueCall?
    {
        let indexes = expected["indexes"]?.ints
        switch (expected["kind"], indexes) {
        case (.string("Insert"), let indexes?):
            guard let new = elements(indexes, of: after) else { return nil }
            return KeyValueCall(kind: .insertion, indexes: indexes, old: nil, new: new, contents: after)
        case (.string("Remove"), let indexes?):
            guard let old = elements(indexes, of: before) else { return nil }
            return KeyValueCall(kind: .removal, indexes: indexes, old: old, new: nil, contents: after)
        case (.string("Set"), let indexes?):
            guard let old = elements(indexes, of: before), let new = elements(indexes, of: after) else {
                return nil
            }
            return KeyValueCall(kind: .replacement, indexes: indexes, old: old, new: new, contents: after)
        case (.string("Set"), nil), (.string("SetAll"), nil):
            guard let before, let after else { return nil }
            return KeyValueCall(kind: .setting, indexes: nil, old: before, new: after, contents: after)
        default:
            return nil
        }
    }

    private static func elements(_ indexes: [Int], of contents: JSONValue?) -> JSONValue? {
        guard let all = contents?.elements, indexes.allSatisfy(all.indices.contains) else { return nil }
        return .array(indexes.map { all[$0] })
    }

    private static func describe(_ contents: JSONValue?) -> String {
        contents?.description ?? "nothing"
    }

    private static func describe(_ calls: [KeyValueCall]) -> String {
        if calls.isEmpty { return "no call" }
        return calls.map { call in
            let kind = call.kind.map { "\($0)" } ?? "no kind"
            let parts: [(String, String?)] = [
                ("at", call.indexes?.description), ("old", call.old?.description),
                ("new", call.new?.description), ("seeing", call.contents?.description),
                ("with", call.oddities.isEmpty ? nil : call.oddities.joined(separator: " and ")),
            ]
            return ([kind] + parts.compactMap { name, text in text.map { "\(name) \($0)" } })
                .joined(separator: " ")
        }
        .joined(separator: ", then ")
    }
}
