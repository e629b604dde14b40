import Foundation

/// The requests to etcd's JSON gateway, as text. Keys and values are encoded in base 64.
package enum EtcdJSON {
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    static func string(_ text: String) -> String {
        // The only fragment that needs escapes is what a person chose.
        let data = try? JSONSerialization.data(withJSONObject: [text])
        let array = data.map { String(decoding: $0, as: UTF8.self) } ?? "[\"\"]"
        return String(array.dropFirst().dropLast())
    }

    static func number(_ number: some BinaryInteger) -> String { "\"\(number)\"" }

    static func bytes(_ bytes: some Sequence<UInt8>) -> String {
        "\"" + Data(bytes).base64EncodedString() + "\""
    }

    static func key(_ key: String) -> String { bytes(key.utf8) }

    /// The end of the range of all keys that begin with a prefix, which ends in a slash.
    static func end(ofPrefix prefix: String) -> String {
        bytes(prefix.utf8.dropLast() + [UInt8(ascii: "/") + 1])
    }

    // MARK: Operations

    /// Reads a key, or the keys from one on to the end of a prefix.
    package static func range(
        _ key: String, toEndOf prefix: String? = nil, limit: Int = 0, isDescending: Bool = false,
        keysOnly: Bool = false
    ) -> String {
        var members = [("key", EtcdJSON.key(key))]
        if let prefix { members.append(("range_end", end(ofPrefix: prefix))) }
        if limit > 0 { members.append(("limit", number(limit))) }
        if isDescending {
            members.append(("sort_order", "\"DESCEND\""))
            members.append(("sort_target", "\"KEY\""))
        }
        if keysOnly { members.append(("keys_only", "true")) }
        return object(members)
    }

    /// Sets the value of a key.
    package static func put(_ key: String, _ value: some Sequence<UInt8>, lease: Int64 = 0) -> String {
        var members = [("key", EtcdJSON.key(key)), ("value", bytes(value))]
        if lease != 0 { members.append(("lease", number(lease))) }
        return object(members)
    }

    /// Deletes a key, or the keys from one on to another, or to the end of a prefix.
    static func delete(_ key: String, to end: String? = nil, prefix: String? = nil) -> String {
        var members = [("key", EtcdJSON.key(key))]
        if let end { members.append(("range_end", EtcdJSON.key(end))) }
        if let prefix { members.append(("range_end", EtcdJSON.end(ofPrefix: prefix))) }
        return object(members)
    }

    /// The condition that a key exists, or does not.
    static func exists(_ key: String, _ exists: Bool) -> String {
        object([
            ("key", EtcdJSON.key(key)), ("target", "\"CREATE\""),
            ("result", exists ? "\"GREATER\"" : "\"EQUAL\""), ("create_revision", number(0)),
        ])
    }

    /// The condition that a key has a value.
    static func has(_ key: String, _ value: some Sequence<UInt8>) -> String {
        object([
            ("key", EtcdJSON.key(key)), ("target", "\"VALUE\""), ("result", "\"EQUAL\""),
            ("value", bytes(value)),
        ])
    }

    /// Watches the keys of some ranges from a revision on, or from now on if it is nil. The end of a range is not part of it.
    package static func watch(_ ranges: [(start: String, end: String)], from revision: Int64?) -> String {
        ranges.map { range in
            var members = [("key", EtcdJSON.key(range.start)), ("range_end", EtcdJSON.key(range.end))]
            if let revision { members.append(("start_revision", number(revision))) }
            return object([("create_request", object(members))])
        }.joined(separator: "\n")
    }

    /// A transaction. Operations are pairs of their kind, such as `request_put`, and their members.
    static func transaction(
        if conditions: [String] = [], then success: [(String, String)], else failure: [(String, String)] = []
    ) -> String {
        object([
            ("compare", array(conditions)), ("success", array(success.map { object([$0]) })),
            ("failure", array(failure.map { object([$0]) })),
        ])
    }
}
