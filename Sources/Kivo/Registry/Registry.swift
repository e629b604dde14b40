import KivoEngine
import KivoObserving
import Synchronization

/// All model classes that the program has used so far.
///
/// Thread-safe: a class is inspected once, and the result never changes.
enum Registry {
    private static let classes = Lock<[ObjectIdentifier: ClassInfo]>([:])
    private static let recent = RecentObjects<ClassInfo>(count: 128)

    /// Returns the description of a class. Traps with an explanation if the class cannot be a model.
    static func info(_ type: ObjectBase.Type) -> ClassInfo {
        let id = ObjectIdentifier(type)
        if let last = recent.candidate(id), ObjectIdentifier(last.type) == id { return last }
        if let known = classes.withLock({ $0[id] }) {
            recent.store(known, id)
            return known
        }
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

    /// The number of classes that the program has used.
    static var classCount: Int { classes.withLock { $0.count } }

    /// A class that a thread is inspecting.
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

    /// The classes that threads are inspecting, with the declarations that were found so far.
    private static let locating = Lock<[Located: ClassDeclaration?]>([:])

    /// The number of entries in `locating`. A thread sees at least its own entries, so that 0, the usual case, saves the lookup.
    private static let locatingCount = Atomic<Int>(0)

    /// Returns whether this thread is inspecting a class. An instance of the class is then a prototype without observers.
    static func isLocating(_ type: ObjectBase.Type) -> Bool {
        if locatingCount.load(ordering: .relaxed) == 0 { return false }
        return locating.withLock { $0[Located(thread: .current, type: ObjectIdentifier(type))] != nil }
    }

    /// Returns the declarations by the wrappers of a class, for the default implementations of the class functions.
    static func declaration(of type: ObjectBase.Type) -> ClassDeclaration {
        let located = Located(thread: .current, type: ObjectIdentifier(type))
        if let declaration = locating.withLock({ $0[located] }), let declaration { return declaration }
        return info(type).declaration
    }

    /// Publishes the declarations by the wrappers of a class that this thread is inspecting.
    static func publish(_ declaration: ClassDeclaration, of type: ObjectBase.Type) {
        let located = Located(thread: .current, type: ObjectIdentifier(type))
        locating.withLock { $0[located] = declaration }
    }

    /// Returns a class and all classes that it reaches through its properties, itself first.
    static func closure(_ type: ObjectBase.Type) -> [ClassInfo] { closure([info(type)]) }

    /// Returns classes and all classes that they reach through their properties, themselves first.
    static func closure(_ infos: [ClassInfo]) -> [ClassInfo] {
        var seen: Set<ObjectIdentifier> = []
        var reached = infos.filter { seen.insert(ObjectIdentifier($0.type)).inserted }
        var next = 0
        while next < reached.count {
            for property in reached[next].properties {
                for target in [property.type.target].compactMap({ $0 }) + property.type.companions
                where seen.insert(ObjectIdentifier(target)).inserted {
                    reached.append(info(target))
                }
            }
            next += 1
        }
        return reached
    }
}

/// An error: a file cannot be opened before these classes of the program, and those that they reach, are inspected.
struct UndescribedClasses: Error {
    let types: [ObjectBase.Type]
}

/// Inspection of classes before a file that contains them is opened: their initialisers belong to the program, and may open the
/// same file. An initialiser that does so opens the file without the class that is being inspected, which is unused until then.
extension Registry {
    /// Inspects classes and all that they reach. Returns those that do not reach a class that this thread is inspecting.
    static func describe(_ types: [ObjectBase.Type]) -> [ClassInfo] {
        types.filter { !reachesLocated($0) }.map { info($0) }
    }

    /// The names of the classes that this thread is inspecting.
    static var namesLocatedHere: [String] {
        if locatingCount.load(ordering: .relaxed) == 0 { return [] }
        return locating.withLock { $0.keys.filter { $0.thread == .current }.map(\.name) }.sorted()
    }

    /// Returns whether classes, and all that they reach, have been inspected. Ignores those that this thread is inspecting.
    private static func areDescribed(_ types: [ObjectBase.Type]) -> Bool {
        let known = classes.withLock { $0 }
        return traverse(types) { type in
            isLocating(type) ? [] : known[ObjectIdentifier(type)].map(targets)
        }
    }

    private static func reachesLocated(_ type: ObjectBase.Type) -> Bool {
        !traverse([type]) { isLocating($0) ? nil : targets(info($0)) }
    }

    private static func targets(_ info: ClassInfo) -> [ObjectBase.Type] {
        info.properties.flatMap { [$0.type.target].compactMap(\.self) + $0.type.companions }
    }

    /// Visits all classes that some classes reach. Returns false as soon as `next` returns nil.
    private static func traverse(
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
    /// Returns the program's class for a table: the class that the file names, or else the only class of the program with the
    /// table's name. Returns nil if there is none, if there are several, or if the file names no class. A table without a class
    /// in the file belongs to none until one uses it.
    static func info(of table: TableSpec) -> ClassInfo? { type(of: table).map(info) }

    private static func type(of table: TableSpec) -> ObjectBase.Type? {
        if let type = type(named: table.typeName), type.className() == table.name { return type }
        guard table.typeName.contains(".") else { return nil }
        return type(declaredAs: table.name, typeName: table.typeName)
    }

    /// Returns the program's class with a name in realms, used or not. If there are several, returns the one with the given
    /// qualified name, or nil if none has it.
    static func type(declaredAs name: String, typeName: String = "") -> ObjectBase.Type? {
        var seen: Set<ObjectIdentifier> = []
        let swiftName = typeName.split(separator: ".").last.map(String.init) ?? name
        // A class that defines its name in realms has another name in Swift.
        let names = swiftName == name ? [name] : [name, swiftName]
        var candidates = names.flatMap(ProgramClasses.named).compactMap { $0 as? ObjectBase.Type }
        candidates += modelsByName[name] ?? []
        candidates += classes.withLock { $0.values.filter { $0.name == name }.map(\.type) }
        candidates = candidates.filter {
            seen.insert(ObjectIdentifier($0)).inserted && $0 != DynamicObject.self && $0.className() == name
        }
        if let exact = candidates.first(where: { String(reflecting: $0) == typeName }) { return exact }
        return candidates.count == 1 ? candidates[0] : nil
    }

    /// The model classes of the program, used or not, by their names in realms. Empty if the runtime does not list the program's
    /// classes.
    private static let modelsByName = Dictionary(
        grouping: ProgramClasses.derived().compactMap { type -> ObjectBase.Type? in
            guard type is Object.Type || type is EmbeddedObject.Type, let type = type as? ObjectBase.Type,
                !isBase(type), !AnyContainer.allCases.contains(where: { $0.type == type })
            else { return nil }
            return type
        }
    ) { $0.className() }

    /// Returns the classes that a realm without `objectTypes` can hold, used or not, except those that must be named in
    /// `objectTypes`. If several have one name, returns the only one of them that was used, or none. Does not inspect them.
    static func typesOfDefaultSchema() -> [ObjectBase.Type] {
        let used = Dictionary(grouping: classes.withLock { $0.values.map(\.type) }) { $0.className() }
        return modelsByName.merging(used) { $0 + $1 }.compactMap { name, types in
            let known = used[name].flatMap { $0.count == 1 ? $0[0] : nil }
            let only = types.allSatisfy { $0 == types[0] } ? types[0] : nil
            guard let type = known ?? only, !name.isEmpty, !isBase(type), type.shouldIncludeInDefaultSchema(),
                !AnyContainer.allCases.contains(where: { $0.type == type })
            else { return nil }
            return type
        }
    }

    /// Returns the program's classes of the tables of a file. Excludes classes that must be named in `objectTypes`, and those
    /// that this thread is inspecting.
    ///
    /// - Throws: ``UndescribedClasses`` if these classes, or classes that they reach, have not been inspected yet. Inspection
    ///   runs initialisers of the program, which may open the same file.
    static func classes(of catalog: Catalog) throws(UndescribedClasses) -> [ClassInfo] {
        let types = catalog.tables.compactMap { table -> ObjectBase.Type? in
            guard table.isClass, let type = type(of: table), type.shouldIncludeInDefaultSchema()
            else { return nil }
            return type
        }
        guard areDescribed(types) else { throw UndescribedClasses(types: types) }
        return describe(types)
    }

    /// Returns the class with a name that was used before, or nil if there is none or several.
    static func type(className name: String) -> ObjectBase.Type? {
        let known = classes.withLock { $0.values.filter { $0.name == name } }
        return known.count == 1 ? known[0].type : nil
    }

    /// Returns the program's class, used before or not, that a realm stores under a name. Returns nil if there is none or several.
    ///
    /// - Parameter types: The `objectTypes` of the realm's configuration.
    static func type(storedAs name: String, among types: [ObjectBase.Type]? = nil) -> ObjectBase.Type? {
        if let types { return types.first { $0.className() == name } }
        guard let type = type(className: name) ?? type(declaredAs: name), !isBase(type),
            type.shouldIncludeInDefaultSchema()
        else { return nil }
        return type
    }

    /// Returns whether a class is one of the base classes of models.
    static func isBase(_ type: ObjectBase.Type) -> Bool {
        let bases: [ObjectBase.Type] = [
            ObjectBase.self, Object.self, EmbeddedObject.self, DynamicObject.self,
        ]
        return bases.contains { $0 == type }
    }

    /// Returns the program's model class with a qualified name in the form of `String(reflecting:)`. Finds classes that were used
    /// before, and those that are not declared in a function or another private scope.
    static func type(named name: String) -> ObjectBase.Type? {
        if name.isEmpty { return nil }
        let known = classes.withLock { $0.values.first { $0.qualifiedName == name } }
        if let known { return known.type }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        // Names come from files, and the lookup interprets other syntax differently.
        let isSimpleName = parts.allSatisfy { part in
            part.first.map { $0.isLetter || $0 == "_" } ?? false
                && part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        guard isSimpleName else { return nil }
        return (parts.count == 2 ? _typeByName(name) : ProgramClasses.nested(name)) as? ObjectBase.Type
    }
}
