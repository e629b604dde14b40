import Foundation
import KivoObserving

/// A value that was refused, as messages name it at the beginning of a sentence: what it is, and a scalar itself. The contents of
/// objects and collections would fill pages.
struct RefusedValue: CustomStringConvertible {
    private let value: Any?

    init(_ value: Any?) { self.value = flatten(value) }

    var description: String {
        guard let value else { return "nil" }
        if let any = value as? AnyRealmValue { return RefusedValue(AnyRealmValue.toAny(any)).description }
        if let object = cast(value, as: ObjectBase.self) {
            return "An object of class '\(object.kivoInfo.name)'"
        }
        if let data = value as? Data { return "A value of type 'Data' with \(counted(data.count, "byte"))" }
        let type = "\(type(of: value))"
        if let text = scalarText(value) { return "The \(type) '\(text)'" }
        guard let count = CollectionContents.elements(of: value)?.count else {
            return "A value of type '\(type)'"
        }
        return "A value of type '\(type)' with \(counted(count, "element"))"
    }

    /// The value's name inside of a sentence.
    var inSentence: String {
        let text = description
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private func counted(_ count: Int, _ unit: String) -> String {
        "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    private func scalarText(_ value: Any) -> String? {
        switch value {
        case let text as String: text.count > 60 ? "\(text.prefix(60))…" : text
        case is any Scalar, is any BinaryInteger, is any BinaryFloatingPoint, is any PersistableEnum:
            "\(value)"
        case let number as NSNumber: "\(number)"
        default: nil
        }
    }
}
