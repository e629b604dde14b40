import Foundation
import KivoEngine

extension ScalarType {
    /// Returns the cell of a value that is of this type or can be converted to it; nil for other values.
    func cell(of value: Any) -> Cell? {
        func convert<T: _Scalar>(_ type: T.Type) -> Cell? { T._fromAny(value)?._cell }
        if let cell = swiftType.map({ convert($0) }) ?? nil { return cell }
        if let mapped = flatten(value) as? any _CustomPersistable {
            return mapped._persistedScalar.flatMap { cell(of: $0) }
        }
        return (flatten(value) as? any PersistableEnum).flatMap { cell(ofCase: $0) }
    }

    private func cell(ofCase value: any PersistableEnum) -> Cell? {
        func cell<T: PersistableEnum>(_ value: T) -> Cell? {
            T._scalarType == self ? value._cell : self.cell(of: value.rawValue)
        }
        return cell(value)
    }

    /// The Swift type of these values in dynamic access.
    var swiftType: (any _Scalar.Type)? {
        switch self {
        case .bool: Bool.self
        case .int8: Int8.self
        case .int16: Int16.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .int: Int.self
        case .float: Float.self
        case .double: Double.self
        case .string: String.self
        case .data: Data.self
        case .date: Date.self
        case .uuid: UUID.self
        case .objectId: ObjectId.self
        case .decimal128: Decimal128.self
        case .any: nil
        }
    }
}

extension DeclaredType: CustomStringConvertible {
    /// The type as it is declared.
    public var description: String {
        let element =
            (target?.className() ?? scalar.map { $0.swiftType.map { "\($0)" } ?? "AnyRealmValue" } ?? "?")
            + (isOptional ? "?" : "")
        switch collection {
        case .none: return element
        case .list: return "List<\(element)>"
        case .set: return "MutableSet<\(element)>"
        case .map: return "Map<String, \(element)>"
        case .linkingObjects: return "LinkingObjects<\(element)>"
        }
    }
}
