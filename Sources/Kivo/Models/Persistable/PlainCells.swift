import Foundation
import KivoEngine
import KivoObserving

extension DeclaredType {
    /// Returns the cell of a value of a type that the toolchain declares, as it is stored; nil for other values, and for
    /// those that do not fit.
    func cell(ofPlain value: Any) -> Cell? {
        guard let scalar else { return nil }
        if let cell = scalar.cell(ofPlain: value) { return cell }
        return isOptional && nonNull(value) == nil ? .null : nil
    }

    /// Returns the cells of the elements of an array, for a list whose elements need no conversion by the app; nil if one of them
    /// has none.
    func cells(ofPlain value: Any) -> [Cell]? {
        if scalar == nil || isEnum || isMapped { return nil }
        if scalar == .string, let texts = exactly(value, [String].self) { return texts.map(Cell.string) }
        if scalar == .int, let numbers = exactly(value, [Int].self) { return numbers.map { .word($0.word) } }
        guard let values = value as? [Any] else { return nil }
        var cells: [Cell] = []
        for value in values {
            guard let cell = cell(ofPlain: value) else { return nil }
            cells.append(cell)
        }
        return cells
    }
}

extension ScalarType {
    /// Returns the cell of a value of a type that the toolchain declares, as it is stored; nil for other values, and for those
    /// that do not fit.
    fileprivate func cell(ofPlain value: Any) -> Cell? {
        let type = type(of: value)
        switch self {
        case .int where type == Int.self: return (value as? Int).map { .word($0.word) }
        case .string where type == String.self: return (value as? String).map { .string($0) }
        case .double where type == Double.self: return (value as? Double).map { .word($0.word) }
        case .bool where type == Bool.self: return (value as? Bool).map { .word($0.word) }
        case .date where type == Date.self: return (value as? Date).map { .word($0.word) }
        case .any: return nil
        default:
            let isPlain =
                isOfFrequentType(value) || type == Date.self || type == UUID.self
                || cast(value, as: NSNumber.self) != nil
            return isPlain ? cell(of: value) : nil
        }
    }
}

/// Returns a value as one of exactly a type, which takes no search for conformances and no conversion of elements.
@inline(__always)
func exactly<T>(_ value: Any, _ type: T.Type) -> T? {
    Swift.type(of: value) == type ? value as? T : nil
}
