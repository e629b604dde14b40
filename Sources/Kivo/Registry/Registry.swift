import KivoEngine
import Synchronization

/// All model classes that the program has used so far.
///
/// Thread-safe: a class is looked at once, and what was found never changes.
enum Registry {
    private static let classes = Lock<[ObjectIdentifier: ClassInfo]>([:])

    /// The description of a class. Traps in words if the class cannot be a model.
    static func info(_ type: ObjectBase.Type) -> ClassInfo {
        let id = ObjectIdentifier(type)
        if let known = classes.withLock({ $0[id] }) { return known }
        if isLocating(type) {
            trap(
                """
                Class '\(type.className())' uses values by name, or objects of its own in a realm, in its initialiser, a default \
                value or its 'deinit', which is run to find out what the class's properties are: use the properties themselves, \
                or objects of other classes there.
                """)
        }
        let located = Located(thread: .current, type: id, name: type.className())
        locatingCount.add(1, ordering: .relaxed)
        locating.withLock { $0[located] = .some(nil) }
        let info = ClassInfo(type)
        locating.withLock { _ = $0.removeValue(forKey: located) }
        locatingCount.subtract(1, ordering: .relaxed)
        return classes.withLock {
            if let known = $0[id] { return known }
            $0[id] = info
            return info
        }
    }

    /// How many classes the program has used.
    static var classCount: Int { classes.withLock { $0.count } }

    /// A class that a thread is about to look at.
    private struct Located: Hashable {
        let thread: ThreadIdentity
        let type: ObjectIdentifier
        var name = ""

        static func == (left: Located, right: Located) -> Bool {
            left.thread == right.thread && left.type == right.type
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(thread)
            hasher.combine(type)
        }
    }

    /// The classes that threads are about to look at, and what was found of their declarations so far.
    private static let locating = Lock<[Located: ClassDeclaration?]>([:])

    /// Their number: a thread sees its own counted, and nearly always there is none to look for.
    private static let locatingCount = Atomic<Int>(0)

    /// Whether this thread is about to find out about a class: an instance of it is a prototype then, which nobody
    /// observes.
    static func isLocating(_ type: ObjectBase.Type) -> Bool {
        if locatingCount.load(ordering: .relaxed) == 0 { return false }
        return locating.withLock { $0[Located(thread: .current, type: ObjectIdentifier(type))] != nil }
    }

    /// What the wrappers of a class declare, for the class's own functions that say what is declared.
    static func declaration(of type: ObjectBase.Type) -> ClassDeclaration {
        let located = Located(thread: .current, type: ObjectIdentifier(type))
        if let found = locating.withLock({ $0[located] }), let found { return found }
        return info(type).declaration
    }

    /// Makes known what the wrappers of a class declare that this thread is about to look at.
    static func publish(_ declaration: ClassDeclaration, of type: ObjectBase.Type) {
        let located = Located(thread: .current, type: ObjectIdentifier(type))
        locating.withLock { $0[located] = declaration }
    }

    /// A class and all that it reaches through its properties, itself first.
    static func closure(_ type: ObjectBase.Type) -> [ClassInfo] { closure([info(type)]) }

    /// Classes and all that they reach through their properties, themselves first.
    static func closure(_ infos: [ClassInfo]) -> [ClassInfo] {
        var seen: Set<ObjectIdentifier> = []
        var found = infos.filter { seen.insert(ObjectIdentifier($0.type)).inserted }
        var next = 0
        while next < found.count {
            for property in found[next].properties {
                for target in [property.type.target].compactMap({ $0 }) + property.type.companions
                where seen.insert(ObjectIdentifier(target)).inserted {
                    found.append(info(target))
                }
            }
            next += 1
        }
        return found
    }
}

/// A file cannot be opened before classes of the program were looked at, with what they reach.
struct UndescribedClasses: Error {
    let types: [ObjectBase.Type]
}

/// Looking at classes before a file is opened that has them: their initialisers are the program's, and may open the same file. What
/// such an initialiser opens goes without the class that is being looked at, which is unused until then.
extension Registry {
    /// Looks at classes and at all that they reach; returns those that do not reach a class that this thread is about to look at.
    static func describe(_ types: [ObjectBase.Type]) -> [ClassInfo] {
        types.filter { !reachesLocated($0) }.map { info($0) }
    }

    /// The names of the classes that this thread is about to look at.
    static var namesLocatedHere: [String] {
        if locatingCount.load(ordering: .relaxed) == 0 { return [] }
        return locating.withLock { $0.keys.filter { $0.thread == .current }.map(\.name) }.sorted()
    }

    /// Whether classes, and all that they reach, have been looked at, but for those that this thread is about to look at.
    private static func areDescribed(_ types: [ObjectBase.Type]) -> Bool {
        let known = classes.withLock { $0 }
        return walk(types) { type in
            isLocating(type) ? [] : known[ObjectIdentifier(type)].map(targets)
        }
    }

    private static func reachesLocated(_ type: ObjectBase.Type) -> Bool {
        !walk([type]) { isLocating($0) ? nil : targets(info($0)) }
    }

    private static func targets(_ info: ClassInfo) -> [ObjectBase.Type] {
        info.properties.flatMap { [$0.type.target].compactMap(\.self) + $0.type.companions }
    }

    /// Goes through all that classes reach; returns whether `next` never returned nil.
    private static func walk(
        _ types: [ObjectBase.Type], _ next: (ObjectBase.Type) -> [ObjectBase.Type]?
    ) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var rest = types
        while let type = rest.popLast() {
            guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
            guard let targets = next(type) else { return false }
            rest += targets
        }
        return true
    }
}

extension Registry {
    /// The class of a table that the program declares: the one that the file names or, if there is none, the only one of the
    /// program that has the table's name. Nil also if there are several, and if the file names none: what came without a class
    /// is nobody's until it is used.
    static func info(of table: TableSpec) -> ClassInfo? { type(of: table).map(info) }

    private static func type(of table: TableSpec) -> ObjectBase.Type? {
        if let type = type(named: table.typeName), type.className() == table.name { return type }
        guard table.typeName.contains(".") else { return nil }
        return type(declaredAs: table.name, typeName: table.typeName)
    }

    /// The class of the program that has a name in realms, used or not; if several do, the one of a name with its module. Nil
    /// if it cannot be told.
    static func type(declaredAs name: String, typeName: String = "") -> ObjectBase.Type? {
        var seen: Set<ObjectIdentifier> = []
        let swiftName = typeName.split(separator: ".").last.map(String.init) ?? name
        var candidates = ProgramClasses.named(name)
        if swiftName != name { candidates += ProgramClasses.named(swiftName) }
        candidates += classes.withLock { $0.values.filter { $0.name == name }.map(\.type) }
        candidates = candidates.filter {
            seen.insert(ObjectIdentifier($0)).inserted && $0 != DynamicObject.self && $0.className() == name
        }
        if let exact = candidates.first(where: { String(reflecting: $0) == typeName }) { return exact }
        return candidates.count == 1 ? candidates[0] : nil
    }

    /// The program's classes of which a file has tables. Classes that want to be named in `objectTypes` are not among them, nor those
    /// that this thread is about to look at.
    ///
    /// - Throws: ``UndescribedClasses`` if they, or what they reach, have not been looked at yet: that runs initialisers of the
    ///   program, which may open the same file.
    static func classes(of catalog: Catalog) throws(UndescribedClasses) -> [ClassInfo] {
        let types = catalog.tables.compactMap { table -> ObjectBase.Type? in
            guard !table.isDerived, table.isDefined, table.container == nil, let type = type(of: table),
                type.shouldIncludeInDefaultSchema()
            else { return nil }
            return type
        }
        guard areDescribed(types) else { throw UndescribedClasses(types: types) }
        return describe(types)
    }

    /// The class of a name that was used before; nil if there is none, or several.
    static func type(className name: String) -> ObjectBase.Type? {
        let known = classes.withLock { $0.values.filter { $0.name == name } }
        return known.count == 1 ? known[0].type : nil
    }

    /// The class of the program, used before or not, that a realm of a configuration stores under a name; nil if there is none, or
    /// several.
    static func type(storedAs name: String, _ configuration: Realm.Configuration) -> ObjectBase.Type? {
        if let types = configuration.objectTypes { return types.first { $0.className() == name } }
        guard let type = type(className: name) ?? type(declaredAs: name), !isBase(type),
            type.shouldIncludeInDefaultSchema()
        else { return nil }
        return type
    }

    /// Whether a class is one that models derive from.
    static func isBase(_ type: ObjectBase.Type) -> Bool {
        let bases: [ObjectBase.Type] = [
            ObjectBase.self, Object.self, EmbeddedObject.self, DynamicObject.self,
        ]
        return bases.contains { $0 == type }
    }

    /// The program's model class of a name with its module, as `String(reflecting:)` has it: one that was used before,
    /// or one that is not inside of a function or another private place.
    static func type(named name: String) -> ObjectBase.Type? {
        if name.isEmpty { return nil }
        let known = classes.withLock { $0.values.first { $0.qualifiedName == name } }
        if let known { return known.type }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        // Names come from files. Other syntax means other things to the look-up.
        let isSimpleName = parts.allSatisfy { part in
            part.first.map { $0.isLetter || $0 == "_" } ?? false
                && part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        guard isSimpleName else { return nil }
        return parts.count == 2 ? _typeByName(name) as? ObjectBase.Type : ProgramClasses.nested(name)
    }
}
