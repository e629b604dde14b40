/// A type whose optional a `RealmOptional` can hold.
public protocol RealmOptionalType: _OptionalPersistable {}

/// A type that a `RealmProperty` can hold: optionals of numbers, Booleans and enums, and ``AnyRealmValue``.
public protocol RealmPropertyType: _Persistable {}

extension Bool: RealmOptionalType {}
extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType {}
