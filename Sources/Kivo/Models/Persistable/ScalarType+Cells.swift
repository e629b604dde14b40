import Foundation
import KivoEngine

extension ScalarType {
    /// Returns the cell of a value that is of this type or can be converted to it; nil for other values.
    func cell(of value: Any) -> Cell? {
        func convert<T: Scalar>(_ type: T.Type) -> Cell? { flatten(value).flatMap(T.convert)?.cell }
        if let cell = swiftType.map({ convert($0) }) ?? nil { return cell }
        if let mapped = flatten(value) as? any _CustomPersistable {
            return mapped.persistedScalar.flatMap { cell(of: $0) }
        }
        return (flatten(value) as? any PersistableEnum).flatMap { cell(ofCase: $0) }
    }

    private func cell(ofCase value: any PersistableEnum) -> Cell? {
        func cell<T: PersistableEnum>(_ value: T) -> Cell? {
            T.declared.scalar == self ? value.cell(in: .unmanaged) : self.cell(of: value.rawValue)
        }
        return cell(value)
    }
}
