import Foundation
import KivoObserving

/// The default implementations of the overridable methods of key-value coding.
extension ObjectBase {
    final func kivoValue(forKey key: String) -> Any? {
        if key == "self" { return self }
        if key == "isInvalidated" || key == "invalidated" { return isInvalidated }
        let info = kivoInfo
        if let property = info.property(named: key) { return flatten(kivoBoxedValue(property)) }
        if let property = info.ignoredProperty(named: key) {
            return flatten(property.wrapper.value(property.address(in: self)))
        }
        if let keyPath = info.keyValue.computedProperty(key) { return flatten(self[keyPath: keyPath]) }
        return value(forUndefinedKey: key)
    }

    final func kivoSetValue(_ value: Any?, forKey key: String) {
        let info = kivoInfo
        let value = nonNull(value)
        if let property = info.property(named: key) {
            let type = property.type
            let takesNil =
                type.isOptional || type.scalar == .any || property.isLink || type.collection != .none
            if value == nil, !takesNil { return setNilValueForKey(key) }
            kivoSetValue(property, value)
        } else if let property = info.ignoredProperty(named: key) {
            kivoSetIgnored(property, value)
        } else if let keyPath = info.keyValue.computedProperty(key) {
            KeyValueCoding.setComputed(keyPath, value, key, of: self, info.keyValue)
        } else {
            setValue(value, forUndefinedKey: key)
        }
    }

    private final func kivoSetIgnored(_ property: IgnoredPropertyInfo, _ value: Any?) {
        let address = property.address(in: self)
        guard property.wrapper.takes(value) else {
            if value == nil { return setNilValueForKey(property.name) }
            trap("'\(value!)' is no value of property '\(kivoInfo.name).\(property.name)'.")
        }
        let assign = { _ = property.wrapper.setValue(address, value) }
        if let observations = kivoObservations {
            observations.changing(property.column, .wholesale, assign)
        } else {
            assign()
        }
    }
}
