/// A type whose instances a realm can fetch.
public protocol RealmFetchable: RealmCollectionValue {
    /// The name of the class in the realm.
    static func className() -> String
    static var _fetchedClass: ObjectBase.Type { get }
}

extension Object: RealmFetchable {
    public static var _fetchedClass: ObjectBase.Type { self }
}
