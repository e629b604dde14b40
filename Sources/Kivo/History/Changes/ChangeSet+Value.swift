import Foundation
import KivoEngine

extension ChangeSet {
    /// A value of a property as a realm stores it, without the types of a program: an enum is its raw value, a mapped type the type that
    /// it is stored as. Integers of all sizes are ``int(_:)``.
    ///
    /// Values are equal if they are stored alike: strings by their bytes, numbers with decimal places by their bits.
    public enum Value: Sendable {
        /// No value, or a link that leads to no object.
        case null
        /// A Boolean value.
        case bool(Bool)
        /// An integer.
        case int(Int)
        /// A number of single precision.
        case float(Float)
        /// A number of double precision.
        case double(Double)
        /// A text.
        case string(String)
        /// Bytes.
        case data(Data)
        /// A date.
        case date(Date)
        /// A decimal number.
        case decimal128(Decimal128)
        /// An object id.
        case objectId(ObjectId)
        /// A UUID.
        case uuid(UUID)
        /// A link to an object.
        indirect case object(ObjectID)
        /// An embedded object, as its properties by their stored names.
        case embedded([String: Value])
        /// The elements of a list, in order.
        case list([Value])
        /// The elements of a set.
        case set(Set<Value>)
        /// The entries of a dictionary, ascending by the bytes of their keys.
        case dictionary([Entry])
    }

    /// An entry of a dictionary. Keys with different bytes are different, as in a realm; `String` may take them for equal.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public let key: String
        /// The value.
        public let value: Value

        /// Creates an entry.
        public init(key: String, value: Value) { (self.key, self.value) = (key, value) }

        /// Returns whether keys and values are stored alike.
        public static func == (a: Entry, b: Entry) -> Bool {
            Cell.haveSameBytes(a.key, b.key) && a.value == b.value
        }
    }
}

extension ChangeSet.Value: Hashable {
    /// Returns whether two values are stored alike.
    public static func == (a: ChangeSet.Value, b: ChangeSet.Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.string(let x), .string(let y)): Cell.haveSameBytes(x, y)
        case (.data(let x), .data(let y)): x == y
        case (.date(let x), .date(let y)): x.word == y.word
        case (.decimal128(let x), .decimal128(let y)): x.words == y.words
        case (.objectId(let x), .objectId(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.object(let x), .object(let y)): x == y
        case (.embedded(let x), .embedded(let y)): x == y
        case (.list(let x), .list(let y)): x == y
        case (.set(let x), .set(let y)): x == y
        case (.dictionary(let x), .dictionary(let y)): x == y
        default: false
        }
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.bitPattern)
        case .double(let value): hasher.combine(value.bitPattern)
        // Strings with equal bytes have equal hashes.
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value.word)
        case .decimal128(let value):
            hasher.combine(value.words.0)
            hasher.combine(value.words.1)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .embedded(let values): hasher.combine(values)
        case .dictionary(let entries): hasher.combine(entries)
        case .list(let values): hasher.combine(values)
        case .set(let values): hasher.combine(values)
        }
    }

    /// The number of the case, which encoded change sets contain.
    var rank: UInt8 {
        switch self {
        case .null: 0
        case .bool: 1
        case .int: 2
        case .float: 3
        case .double: 4
        case .string: 5
        case .data: 6
        case .date: 7
        case .decimal128: 8
        case .objectId: 9
        case .uuid: 10
        case .object: 11
        case .embedded: 12
        case .list: 13
        case .set: 14
        case .dictionary: 15
        }
    }

    /// Whether the value of a primary key comes before another: numbers and UUIDs by their size, strings by their bytes.
    static func precedes(_ a: ChangeSet.Value, _ b: ChangeSet.Value) -> Bool {
        switch (a, b) {
        case (.int(let x), .int(let y)): x < y
        case (.string(let x), .string(let y)): x.utf8.lexicographicallyPrecedes(y.utf8)
        case (.objectId(let x), .objectId(let y)): x.words < y.words
        case (.uuid(let x), .uuid(let y)): x.words < y.words
        default: a.rank < b.rank
        }
    }
}
