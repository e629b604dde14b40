import Foundation
import Kivo
import KivoEngine

/// The value of a field of CSV: what `kivo dump --format csv` prints of a value, read as a property's type.
enum CSVValue {
    /// Returns the value of a field as JSON, for ``ValueReader``; nil if the text represents none of the property's type.
    ///
    /// - Parameter guardsFormulas: Whether an apostrophe guards texts that a spreadsheet would take for a formula; it is removed.
    static func json(
        _ field: CSVReader.Field, _ property: TableProperty, guardsFormulas: Bool
    ) -> JSONValue? {
        let text = field.text ?? ""
        if property.collection != nil { return text.isEmpty ? .array([]) : JSONValue(text.utf8) }
        // Only strings and data can be empty without being null.
        if field.isNull || text.isEmpty && property.spec.target != nil { return .null }
        if property.spec.target != nil {
            return Int(text).map { .object([("key", .number(String($0)))]) }
        }
        return ScalarType(rawValue: property.spec.typeCode).flatMap {
            json(text, $0, guardsFormulas: guardsFormulas)
        }
    }

    private static func json(_ text: String, _ type: ScalarType, guardsFormulas: Bool) -> JSONValue? {
        switch type {
        case .string: return .string(guardsFormulas ? RowWriter.unguarded(text) : text)
        case .any: return nil
        case .data: break
        case _ where text.isEmpty: return .null
        // Spreadsheets print them in capitals.
        case .bool: return Bool(text.lowercased()).map { .bool($0) }
        case .int8, .int16, .int32, .int64, .int: return Int(text).map { .number(String($0)) }
        case .float, .double:
            // In decimal digits; a number that is too large for the type does not fit.
            if text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) {
                return Double(text).map { _ in .number(text) }
            }
            guard ["inf", "-inf", "nan", "-nan"].contains(text) else { return nil }
        default: break
        }
        return StoredValue(text, type).flatMap { JSONValue($0.json.utf8) }
    }

    /// Returns the reason why CSV cannot have the values of a property, or nil if it can.
    static func obstacle(_ property: TableProperty, _ catalog: Catalog) -> String? {
        if !property.isKnown { return "is of a type that this tool does not know" }
        if let target = property.spec.target, catalog.tables[target].isEmbedded {
            return "holds embedded objects"
        }
        return nil
    }
}
