import Kivo

/// The base class of classes in other targets.
open class Named: Object {
    @Persisted(primaryKey: true) public var id: ObjectId
    @Persisted public var name: String
}

public enum Genre: String, PersistableEnum {
    case novel, essay
}
