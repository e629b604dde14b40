/// A type whose instances a realm can fetch.
public protocol RealmFetchable: RealmCollectionValue {
    /// Returns the name of the class in the realm.
    static func className() -> String
    static var _fetchedClass: ObjectBase.Type { get }
    /// The object that the instance is, or represents.
    var _fetchedObject: ObjectBase { get }
    /// The key paths that observers of fetched instances observe if they name none; nil for all.
    static var _observedKeyPaths: [String]? { get }
}

extension Object: RealmFetchable {
    public static var _fetchedClass: ObjectBase.Type { self }
    public var _fetchedObject: ObjectBase { self }
    public static var _observedKeyPaths: [String]? { nil }
}
