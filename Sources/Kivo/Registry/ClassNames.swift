/// Which class goes by which name in one store. Nested classes of one name would share a table.
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
            throw Realm.Error(
                .schemaMismatch,
                """
                Classes '\(String(reflecting: known))' and '\(String(reflecting: info.type))' are both called \
                '\(info.name)', and one realm cannot hold objects of both: rename one of them.
                """)
        }
    }
}
