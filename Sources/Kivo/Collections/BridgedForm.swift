import Foundation

/// A value as collections of Foundation hold it: the stored form, of a value of any type what it holds, and the null marker
/// for nil.
package func bridgedForm(_ any: Any) -> Any {
    var value = flatten(any).map(storedForm)
    if let mixed = value as? AnyRealmValue { value = AnyRealmValue._toAny(mixed) }
    return value ?? NSNull()
}
