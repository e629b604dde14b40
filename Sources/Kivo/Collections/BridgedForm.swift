import Foundation

/// Returns a value in the form of Foundation's collections: the stored form, the contents of a value of any type, and the null
/// marker for nil.
package func bridgedForm(_ any: Any) -> Any {
    var value = flatten(any).map(storedForm)
    if let mixed = value as? AnyRealmValue { value = AnyRealmValue._toAny(mixed) }
    return value ?? NSNull()
}
