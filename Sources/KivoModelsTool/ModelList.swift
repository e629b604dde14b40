import KivoSourceModel

/// A writer of the list of a target's models.
struct ModelList {
    let program: Program
    /// Notes about classes that cannot be listed.
    private(set) var notes: [Diagnostic] = []

    init(program: Program) { self.program = program }

    /// Returns the source of the list.
    mutating func text() -> String {
        let heading = "// Written by the KivoModels plugin from the classes of this target.\n"
        let imported = Set(program.files.flatMap(\.imports).compactMap(\.path.first))
        guard let module = ["Kivo", "RealmSwift"].first(where: imported.contains) else {
            return heading + "// No file of it imports Kivo.\n"
        }
        var always: [String] = []
        var conditional: [(conditions: [String], line: String)] = []
        var omitted: [String] = []
        for model in program.ownModels where model.isInDefaultSchema {
            let type = model.declaration
            if let reason = Self.reason(type) {
                omitted.append("// Not listed: \(type.qualifiedName), which \(reason).")
                notes.append(
                    Diagnostic(
                        .note, type.location,
                        "class '\(type.qualifiedName)' is not in 'KivoModels.all', since it \(reason)"))
                continue
            }
            let conditions = Self.conditions(type)
            let available = Self.availability(type)
            if conditions.isEmpty, available.isEmpty {
                always.append("\(type.qualifiedName).self")
                continue
            }
            var line = "all.append(\(type.qualifiedName).self)"
            for platforms in available { line = "if #available(\(platforms)) { \(line) }" }
            conditional.append((conditions, line))
        }
        var text = heading + "\nimport \(module)\n\n"
        text += omitted.map { $0 + "\n" }.joined()
        text += """
            /// The model classes of this target.
            ///
            ///     let configuration = Realm.Configuration(objectTypes: KivoModels.all)
            enum KivoModels {
                /// All of them, embedded ones too.
                nonisolated static var all: [ObjectBase.Type] {

            """
        let list =
            always.isEmpty ? "[]" : "[\n" + always.map { "            \($0),\n" }.joined() + "        ]"
        if conditional.isEmpty {
            text += "        \(list)\n"
        } else {
            text += "        var all: [ObjectBase.Type] = \(list)\n"
            for (conditions, line) in conditional {
                text += conditions.map { "        #if \($0)\n" }.joined()
                text += "        \(line)\n"
                text += conditions.map { _ in "        #endif\n" }.joined()
            }
            text += "        return all\n"
        }
        return text + "    }\n}\n"
    }

    /// Returns the reason why a class cannot be listed, or nil if it can.
    private static func reason(_ type: TypeDeclaration) -> String? {
        var part: TypeDeclaration? = type
        while let some = part {
            if some.isLocal { return "is declared in a function" }
            if some.isGeneric { return "is generic, or in something that is" }
            if some.access == "private" || some.access == "fileprivate" { return "is private to its file" }
            let available = some.attributes.filter { $0.name == "available" }.map {
                some.source.text($0.range)
            }
            if available.contains(where: { $0.contains("deprecated") || $0.contains("unavailable") }) {
                return "is deprecated or unavailable"
            }
            part = some.outer
        }
        return nil
    }

    /// Returns the conditions around a class and around its enclosing types.
    private static func conditions(_ type: TypeDeclaration) -> [String] {
        // The conditions of an enclosing type already include the class, unless the class is in an extension elsewhere.
        type.conditions + (type.outer.map { $0.source === type.source ? [] : conditions($0) } ?? [])
    }

    /// Returns the platforms that a class and its enclosing types require.
    private static func availability(_ type: TypeDeclaration) -> [String] {
        let own = type.attributes.filter { $0.name == "available" }.compactMap { attribute -> String? in
            let text = type.source.text(attribute.range)
            guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else { return nil }
            let platforms = text[text.index(after: open)...].dropLast()
            return platforms.hasSuffix("*") ? String(platforms) : nil
        }
        return own + (type.outer.map(availability) ?? [])
    }
}
