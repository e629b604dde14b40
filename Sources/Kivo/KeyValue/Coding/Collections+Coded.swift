import Foundation
import KivoObserving

extension KeyValueCodedCollection {
    package var forms: any KeyValueForms { ModelForms() }
    package var hasOwnSelf: Bool { true }
}

extension KeyValueCodedCollection where Self: RealmCollectionBase {
    package var codedElements: [Any] { map { $0 as Any } }

    package func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        let values: [Any] = map { KeyValueCoding.value(of: $0, forKey: key) ?? NSNull() }
        return values
    }

    package func setCodedValue(_ value: Any?, forKey key: String) {
        for element in self { KeyValueCoding.setValue(value, of: element, forKey: key) }
    }
}

extension List: KeyValueCodedCollection {}
extension MutableSet: KeyValueCodedCollection {
    package func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return Set(compactMap { hashable(KeyValueCoding.value(of: $0, forKey: key)) })
    }
}
extension LinkingObjects: KeyValueCodedCollection {}

extension Map: KeyValueCodedCollection {
    package var hasOwnSelf: Bool { false }
    package var codedElements: [Any] { values.map { $0 as Any } }

    package func codedValue(forKey key: String) -> Any? {
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        return flatten(self[Key(_mapKey: key)])
    }

    package func setCodedValue(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(for: Key(_mapKey: key)) }
        guard let value = nonNull(value) else {
            // A nil value of an optional type, or the null marker.
            if let null = Value.element(from: nil) {
                return updateValue(null, forKey: Key(_mapKey: key))
            }
            return removeObject(for: Key(_mapKey: key))
        }
        guard let element = Value.element(from: value) else {
            trap("'\(value)' is no value of a map of '\(Value.self)'.")
        }
        updateValue(element, forKey: Key(_mapKey: key))
    }
}
