import KivoEngine

/// The values that an object is made of: a dictionary, an array in order of declaration, or another object. Keys of a dictionary
/// that name no property are passed over: data of other programs often says more than a class wants to know.
enum GivenValues {
    case dictionary([String: Any])
    case optionals([String: Any?])
    /// By column.
    case array([Any], columns: [Int])
    case object(ObjectBase, ClassInfo)

    /// Traps if an array has too many values, or the value is nothing to make an object of.
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
                '\(value)' cannot make an object of class '\(info.name)': give a dictionary, an array or an \
                object.
                """)
        }
    }

    /// Whether a value is one to make an object of.
    static func canMakeObject(_ value: Any) -> Bool {
        cast(value, as: ObjectBase.self) != nil || value is [String: Any] || value is [String: Any?]
            || value is [Any]
    }

    /// The embedded object whose values these are, if they are those of one.
    var embeddedSource: ObjectIdentifier? {
        guard case .object(let object, let info) = self, info.isEmbedded else { return nil }
        return ObjectIdentifier(object)
    }

    /// The value of a property: nil if none is given, `.some(nil)` if nil is.
    func value(of property: PropertyInfo) -> Any?? {
        switch self {
        case .dictionary(let dictionary): return dictionary[property.name].map { .some($0) }
        case .optionals(let dictionary): return dictionary[property.name]
        case .array(let values, let columns):
            guard let index = columns.firstIndex(of: property.column), index < values.count else {
                return nil
            }
            return .some(values[index])
        case .object(let object, let info):
            guard let other = info.property(named: property.name) else { return nil }
            return .some(object.kivoValue(other))
        }
    }
}
