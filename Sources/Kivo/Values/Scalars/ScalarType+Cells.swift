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
}
