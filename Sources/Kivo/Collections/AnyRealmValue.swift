import Foundation
import KivoEngine

/// A value of any type, for a ``Persisted`` property, in a ``List``, a ``MutableSet`` or a ``Map``, and in queries.
///
///     class Note: Object {
///         @Persisted var content: AnyRealmValue
///     }
///     note.content = .int(5)
///     note.content = .fromDictionary(["tags": .fromArray([.string("a"), .string("b")])])
///     note.content.dictionaryValue!["tags"]!.listValue!.append(.none)
///
/// A property without a default is ``none``. The property is never optional. It can be indexed, but it cannot be a primary key. A
/// link to an object that is deleted becomes ``none``, in a property and in a collection; a map keeps the key.
///
/// ## Lists and dictionaries as values
///
/// Assigning a list or a dictionary copies it, with all its contents. A managed object returns a live collection: it is the same
/// collection each time, is changed in place, and has observers of its own. A change in it, at any depth, is a change of the
/// property that holds it, and of the elements on the way.
///
/// Assigning a list to a value that is a list keeps the collection and replaces all of its contents. Its observers are notified
/// of deletions and insertions. Dictionaries behave likewise. Assigning any other value ends the collection. A ``MutableSet``
/// holds no lists and dictionaries: inserting one traps.
///
/// ## Comparing
///
/// The operator `==` returns true if two values are of one case and their contents are equal. Objects are compared like `Object`,
/// lists and dictionaries by their contents, managed or not. The lists and maps in two values, ``listValue`` and
/// ``dictionaryValue``, are compared like all collections: managed ones by identity.
///
/// Sets, sorting, distinct, minima and maxima, and lookups of elements use one order of all values: none, booleans, numbers,
/// strings, data, dates, object ids, UUIDs, objects. Numbers of all types are compared by their numeric value (`.int(1)` and
/// `.double(1)` are one element of a set), strings and data by their bytes. A fraction in a `Double` is compared as the shortest
/// decimal that is read as that `Double`, so that 0.1 equals the decimal 0.1.
///
/// In conditions, numbers are compared with numbers. Values of other types that differ are never equal, less or greater. Lists and
/// dictionaries are equal to those with the same contents (`==`, `!=`, `IN`, `CONTAINS`), which are read when the condition is
/// made.
/// Predicate strings can test the type by name (`content.@type == 'string'`, `content.@type IN {'int', 'list'}`; `'numeric'`
/// stands for all numbers). They can also test the number of elements of lists and dictionaries (`content[SIZE] > 2`), which is
/// nil for other values.
///
/// Observers of a collection of values are notified of changes in its objects like those of a collection of objects.
///
/// The order follows realm-swift's rules for sets of mixed values, and for its queries.
public enum AnyRealmValue {
    /// No value.
    case none
    /// An integer.
    case int(Int)
    /// A boolean.
    case bool(Bool)
    /// A number of single precision.
    case float(Float)
    /// A number of double precision.
    case double(Double)
    /// A string.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A date.
    case date(Date)
    /// An object of any class, but no embedded one. Assigning it to a managed object adds it to the realm.
    case object(Object)
    /// An object id.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A UUID.
    case uuid(UUID)
    /// Values by string keys.
    case dictionary(Map<String, AnyRealmValue>)
    /// Values in order.
    case list(List<AnyRealmValue>)
}

extension AnyRealmValue {
    /// Returns a dictionary of values.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// Returns a list of values.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }

    /// The integer, if it is one.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    /// The boolean, if it is one.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number of single precision, if it is one.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    /// The number of double precision, if it is one.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The string, if it is one.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes, if the value is data.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    /// The date, if it is one.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    /// The object id, if it is one.
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
    /// The decimal number, if it is one.
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
    /// The UUID, if it is one.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The dictionary, if it is one: live, if the value belongs to a managed object.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The list, if it is one: live, if the value belongs to a managed object.
    public var listValue: List<AnyRealmValue>? { if case .list(let value) = self { value } else { nil } }

    /// Returns the object, if the value is an object of a class.
    public func object<T: Object>(_ objectType: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    /// The object of a realm, if the value is one, with its properties by name, whatever its class. Nil for an unmanaged object.
    public var dynamicObject: DynamicObject? {
        guard case .object(let object) = self else { return nil }
        if let object = object as? DynamicObject { return object }
        guard object.isManaged, let instance = object.kivoInstance else { return nil }
        object.locateOrTrap()
        let context = instance.classes.dynamicContext(of: object.kivoContext.table)
        return unsafeDowncast(context.accessor(object.kivoRow.key), to: DynamicObject.self)
    }

    /// Whether the value is a list or a dictionary.
    var isContainer: Bool {
        switch self {
        case .dictionary, .list: true
        default: false
        }
    }
}

extension AnyRealmValue: Hashable {
    /// Returns whether two values are of one case and their contents are equal. Objects are equal if their classes say so; inside of
    /// lists and dictionaries, also if they are the same object of a realm.
    ///
    /// - Complexity: O(1), or O(n) in the number of elements of lists and dictionaries, with those inside.
    public static func == (a: AnyRealmValue, b: AnyRealmValue) -> Bool {
        switch (a, b) {
        case (.none, .none): true
        case (.int(let x), .int(let y)): x == y
        case (.bool(let x), .bool(let y)): x == y
        case (.float(let x), .float(let y)): x == y
        case (.double(let x), .double(let y)): x == y
        case (.string(let x), .string(let y)): x == y
        case (.data(let x), .data(let y)): x == y
        case (.date(let x), .date(let y)): x == y
        case (.object(let x), .object(let y)): x == y
        case (.objectId(let x), .objectId(let y)): x == y
        case (.decimal128(let x), .decimal128(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.dictionary(let x), .dictionary(let y)):
            x === y
                || x.count == y.count
                    && zip(x.entries, y.entries).allSatisfy { $0.key == $1.key && isSame($0.value, $1.value) }
        case (.list(let x), .list(let y)):
            x === y || x.count == y.count && zip(x.contents, y.contents).allSatisfy(isSame)
        default: false
        }
    }

    /// Returns whether two elements of lists or dictionaries are equal. Each read of an object makes another accessor of its row.
    private static func isSame(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        if case .object(let x) = a, case .object(let y) = b { return x == y || x.isSameObject(as: y) }
        return a == b
    }

    /// Hashes the value consistently with ``==(_:_:)``. A list or dictionary contributes only its number of elements.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .dictionary(let value):
            hasher.combine(1)
            hasher.combine(value.count)
        case .list(let value):
            hasher.combine(2)
            hasher.combine(value.count)
        }
    }
}

extension AnyRealmValue: CustomStringConvertible {
    /// A textual description of the value.
    public var description: String {
        switch self {
        case .none: "none"
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .data(let value): "<\(value.count) bytes>"
        case .date(let value): words(value)
        case .object(let value): "\(value)"
        case .objectId(let value): "\(value)"
        case .decimal128(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .dictionary(let value): "\(value)"
        case .list(let value): "\(value)"
        }
    }
}

extension AnyRealmValue: MinMaxType, AddableType, SortableType, _Indexable {}
