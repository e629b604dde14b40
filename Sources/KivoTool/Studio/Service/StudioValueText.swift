import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// How much of a value the page gets. The rest is read when somebody unfolds it.
struct ValueLimits {
    /// The characters of strings, of four bytes on average at most, and the bytes of data.
    var text = 200
    /// The elements of lists, sets and maps.
    var elements = 6

    /// The limits of a cell of a table.
    static let cell = ValueLimits()
    /// The limits of a value on the page of its object, or within an unfolded collection.
    static let whole = ValueLimits(text: 1 << 16, elements: 100)
}

extension StoredValues {
    /// Writes the value of a property for the page: as in exports, but long ones as `{"cut","size","hash"}`, long data as
    /// `{"hex","size","hash"}`, collections as `{"count","first"}`, and links with the label of their object. Of collections, only what is
    /// written is read.
    ///
    /// - Parameter targets: The classes whose objects get labels: see ``StoredClass/targets(in:)``.
    func write(
        _ property: TableProperty, _ table: TableID, _ key: ObjectKey, _ limits: ValueLimits,
        _ targets: [TableID: StoredClass] = [:], to json: inout JSONText
    ) {
        guard property.collection != nil else {
            let value = value(property, table, key)
            guard case .link(_, let target) = value, let some = property.spec.target.flatMap({ targets[$0] })
            else { return json.value(value, limits) }
            return json.object { json in
                json.member("key", Int(target))
                json.member("label", label(some, target))
            }
        }
        json.object { json in
            let range = elements(property, table, key, from: 0, count: limits.elements, limits, to: &json)
            json.member("count", range)
        }
    }

    /// Writes elements of a list, a set or a map as the member `first`. Returns the number of all.
    func elements(
        _ property: TableProperty, _ table: TableID, _ key: ObjectKey, from start: Int, count: Int,
        _ limits: ValueLimits, to json: inout JSONText
    ) -> Int {
        let rows = snapshot.table(table)
        let values = rows.sequence(key, property.valuesColumn ?? property.column, property.spec.element!)
        let keys = property.valuesColumn.map { _ in rows.sequence(key, property.column, .string) }
        let total = values.count
        json.name("first")
        json.array { json in
            for position in (min(start, total)..<min(start + count, total)) {
                let element = value(values.cell(at: position), property.spec)
                guard let keys else {
                    json.value(element, limits)
                    continue
                }
                json.array { json in
                    if case .string(let key) = keys.cell(at: position) {
                        json.string(key)
                    } else {
                        json.string("")
                    }
                    json.value(element, limits)
                }
            }
        }
        return total
    }

    /// Returns a short text by which a person recognizes an object.
    func label(_ some: StoredClass, _ key: ObjectKey) -> String? {
        guard let property = some.labelProperty, snapshot.table(some.table).contains(key) else { return nil }
        let text = value(property, some.table, key).plainText
        return text.isEmpty ? nil : text.cut(to: 60)
    }
}

extension StoredClass {
    /// Returns the classes to whose objects links lead, by their tables.
    func targets(in catalog: Catalog) -> [TableID: StoredClass] {
        let tables = Set(properties.filter { $0.collection == nil }.compactMap(\.spec.target))
        return Dictionary(uniqueKeysWithValues: tables.map { ($0, StoredClass($0, catalog)) })
    }

    /// The property by which a person recognizes an object: its name, its primary key, or its first string.
    var labelProperty: TableProperty? {
        let plain = properties.filter { $0.collection == nil && $0.spec.target == nil && !$0.spec.isAny }
        let names = ["name", "title", "label"]
        return plain.first { names.contains($0.name) } ?? plain.first { $0.spec.isPrimaryKey }
            ?? plain.first { $0.spec.typeCode == ScalarType.string.rawValue }
    }
}

extension StoredValue {
    /// A checksum of all of the value. An edit names it in place of a long value that it replaces.
    var fingerprint: String {
        let sum =
            switch self {
            case .string(let text): StoredValue.checksum(Array(text.utf8), seed: 1)
            case .data(let bytes): StoredValue.checksum(bytes, seed: 2)
            default: StoredValue.checksum(Array(json.utf8), seed: 3)
            }
        return String(sum, radix: 16)
    }

    private static func checksum(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: seed) }
    }

    /// Whether the value has elements, of which the page may know only some.
    var isCollection: Bool {
        switch self {
        case .list, .map: true
        case .any(let value): value.isCollection
        default: false
        }
    }
}

extension String {
    /// Returns the beginning of a text: at most so many characters, and no more than four times as many bytes, because a character may
    /// have any number of combining marks.
    func cut(to count: Int) -> String {
        var (end, bytes, characters) = (startIndex, 0, 0)
        while characters < count, end < endIndex {
            let next = index(after: end)
            bytes += utf8.distance(from: end, to: next)
            if bytes > 4 * count {
                return characters > 0 ? String(self[..<end]) : String(unicodeScalars.prefix(count))
            }
            (end, characters) = (next, characters + 1)
        }
        return String(self[..<end])
    }
}

extension JSONText {
    /// Writes a value for the page.
    mutating func value(_ value: StoredValue, _ limits: ValueLimits) {
        switch value {
        case .string(let text) where text.utf8.count > limits.text:
            object { json in
                json.member("cut", text.cut(to: limits.text))
                json.member("size", text.utf8.count)
                json.member("hash", value.fingerprint)
            }
        case .data(let bytes):
            object { json in
                json.name("hex")
                json.hexadecimal(bytes.prefix(limits.text))
                json.member("size", bytes.count)
                if bytes.count > limits.text { json.member("hash", value.fingerprint) }
            }
        case .any(let value) where value != .null:
            object { json in
                json.member("type", value.typeWord)
                json.name("value")
                json.anyValue(value, limits)
            }
        default: self.value(value)
        }
    }

    /// Writes what a value of any type holds.
    private mutating func anyValue(_ value: StoredValue, _ limits: ValueLimits) {
        switch value {
        case .link(let name, let key):
            object { json in
                json.member("class", name)
                json.member("key", Int(key))
            }
        case .list(let values):
            object { json in
                json.member("count", values.count)
                json.name("first")
                json.array { json in
                    for value in values.prefix(limits.elements) { json.value(.any(value), limits) }
                }
            }
        case .map(let entries):
            object { json in
                json.member("count", entries.count)
                json.name("first")
                json.array { json in
                    for entry in entries.prefix(limits.elements) {
                        json.array { json in
                            json.string(entry.key)
                            json.value(.any(entry.value), limits)
                        }
                    }
                }
            }
        default: self.value(value, limits)
        }
    }

    /// Writes a row of a table: its key, and the values in the order of the columns.
    mutating func row(
        _ key: ObjectKey, _ some: StoredClass, _ values: StoredValues, _ targets: [TableID: StoredClass]
    ) {
        array { json in
            json.number(Int(key))
            for property in some.properties {
                values.write(property, some.table, key, .cell, targets, to: &json)
            }
        }
    }
}
