/// Which class goes by which name in one store. Nested classes of one name would share a table by accident; classes that say
/// themselves that they have one name do so on purpose, as views of the same objects, which differ in the names of properties.
struct ClassNames: Sendable {
    private var classes: [String: ObjectBase.Type] = [:]

    /// Takes the names of a class and of all that it links to. Throws if another class has one of them.
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

/// Two classes of one realm have the same name.
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
