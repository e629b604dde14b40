import KivoEngine

/// The values from which an object is created: a dictionary, an array in order of declaration, or another object. Dictionary keys
/// that name no property are ignored: data of other programs often contain more than a class declares.
enum InitialValues {
    case dictionary([String: Any])
    case optionals([String: Any?])
    /// Values, with the column of each.
    case array([Any], columns: [Int])
    case object(ObjectBase, ClassInfo)

    /// Creates the values for a class. Traps if an array has too many values, or no object can be created from the value.
    init(_ value: Any, _ info: ClassInfo) {
        if let dictionary = value as? [String: Any] {
            self = .dictionary(dictionary)
        } else if let dictionary = value as? [String: Any?] {
            self = .optionals(dictionary)
        } else if let array = value as? [Any] {
            let columns = info.storedProperties.map(\.column)
            if array.count > columns.count {
                trap("\(array.count) values for class '\(info.name)', which has \(columns.count) properties.")
            }
            self = .array(array, columns: columns)
        } else if let object = cast(value, as: ObjectBase.self) {
            self = .object(object, object.kivoInfo)
        } else {
            trap(
                """
                \(RefusedValue(value)) cannot make an object of class '\(info.name)': give a dictionary, an array or an \
                object.
                """)
        }
    }

    /// Returns whether an object can be created from a value.
    static func canMakeObject(_ value: Any) -> Bool {
        cast(value, as: ObjectBase.self) != nil || value is [String: Any] || value is [String: Any?]
            || value is [Any]
    }

    /// The embedded object that the values are copied from, if it is one.
    var embeddedSource: ObjectIdentifier? {
        guard case .object(let object, let info) = self, info.isEmbedded else { return nil }
        return ObjectIdentifier(object)
    }

    /// Returns the value of a property.
    func value(of property: PropertyInfo) -> InitialValue {
        switch self {
        case .dictionary(let dictionary): return dictionary[property.name].map { .value($0) } ?? .absent
        case .optionals(let dictionary): return dictionary[property.name].map { .value($0) } ?? .absent
        case .array(let values, let columns):
            guard let index = columns.firstIndex(of: property.column), index < values.count else {
                return .absent
            }
            return .value(values[index])
        case .object(let object, let info):
            guard let other = info.property(named: property.name) else { return .absent }
            return .value(object.kivoValue(other))
        }
    }
}

/// The value of one property among the values from which an object is created or updated.
enum InitialValue {
    /// A new object gets the default value, an existing one keeps its value.
    case absent
    case value(Any?)
}
