import Kivo

/// What the classes of other targets are derived from.
open class Named: Object {
    @Persisted(primaryKey: true) public var id: ObjectId
    @Persisted public var name: String
}

public enum Genre: String, PersistableEnum {
    case novel, essay
}
