/// The names of the classes in one store. Two nested classes with the same name would share a table by accident. Classes that
/// define a name themselves share it on purpose: they are views of the same objects with different property names.
struct ClassNames: Sendable {
    private var classes: [String: ObjectBase.Type] = [:]

    /// Registers the names of a class and of all that it links to. Throws if another class has one of them.
    mutating func claim(_ info: ClassInfo) throws {
        for info in Registry.closure(info.type) {
            guard let known = classes[info.name] else {
                classes[info.name] = info.type
                continue
            }
            if known == info.type { continue }
            if known._realmObjectName() != nil, info.type._realmObjectName() != nil { continue }
            throw SharedClassName(
                name: info.name, classes: (String(reflecting: known), String(reflecting: info.type)))
        }
    }
}

/// An error: two classes of one realm have the same name.
struct SharedClassName: Error, CustomStringConvertible {
    let name: String
    let classes: (String, String)

    var description: String {
        """
        Classes '\(classes.0)' and '\(classes.1)' are both called '\(name)', and one realm cannot hold objects of both: \
        rename one of them.
        """
    }
}
