import KivoSchemaDrawing
import KivoSourceModel

extension SchemaDifference {
    private typealias Property = SchemaOutline.Property

    /// Returns the changes of a class that is in both schemas.
    static func changes(
        _ before: SchemaOutline.Class, _ after: SchemaOutline.Class, _ oldStorage: [String: String],
        _ newStorage: [String: String]
    ) -> [Change] {
        var changes: [Change] = []
        if before.isEmbedded != after.isEmbedded {
            let text =
                after.isEmbedded
                ? "class is embedded now: each object needs exactly one owner"
                : "class is not embedded any more"
            changes.append(
                Change(
                    sign: .changed, property: nil, text: text, effort: after.isEmbedded ? .block : .version,
                    code: after.isEmbedded
                        ? [
                            "// Delete objects of '\(after.name)' that nothing links to; copy those that several link to."
                        ] : []))
        }
        let stored = before.properties.filter { $0.collection != .inverse }
        let now = after.properties.filter { $0.collection != .inverse }
        var removed = stored.filter { old in !now.contains { $0.column == old.column } }
        let added = now.filter { new in !stored.contains { $0.column == new.column } }
        for new in now {
            guard let old = stored.first(where: { $0.column == new.column }) else { continue }
            changes += self.changes(old, new, oldStorage[old.name], newStorage[new.name], after.name)
        }
        for new in added {
            let type = newStorage[new.name]
            // A property that was removed may be the added one under another name, if both have the same type.
            let candidates = removed.filter {
                $0.collection == new.collection && oldStorage[$0.name] == type && $0.target == new.target
            }
            if let old = candidates.count == 1 && added.count == 1
                ? candidates.first : candidates.first(where: { $0.isLike(new) })
            {
                removed.removeAll { $0.column == old.column }
                changes.append(
                    Change(
                        sign: .changed, property: new.name,
                        text:
                            "'\(old.name)' removed and '\(new.name)' added, both \(new.declaredType): renamed?",
                        effort: .block,
                        code: [
                            "migration.renameProperty(onType: \"\(after.name)\", from: \"\(old.column)\", to: \"\(new.column)\")"
                        ]))
                continue
            }
            changes.append(self.added(new, after.name))
        }
        for old in removed {
            changes.append(
                Change(
                    sign: .removed, property: old.name, text: "\(old.declaredType) removed: its values go",
                    effort: .version))
        }
        return changes + inverseChanges(before, after)
    }

    private static func added(_ new: Property, _ type: String) -> Change {
        if new.isPrimaryKey {
            return Change(
                sign: .added, property: new.name,
                text: "\(new.declaredType) added as primary key: every object needs its own",
                effort: .block, code: ["new![\"\(new.name)\"] = <#a value that no other object has#>"],
                isForEachObject: true)
        }
        return Change(
            sign: .added, property: new.name, text: "\(new.declaredType) added: \(initialValue(new))",
            effort: .version)
    }

    /// Returns a description of the new property's value in existing objects.
    private static func initialValue(_ property: Property) -> String {
        if property.collection != nil { return "empty in objects that are there" }
        if property.isOptional { return "nil in objects that are there" }
        if let scalar = ScalarName(rawValue: property.type) {
            return "\(scalar.zero ?? "the type's default") in objects that are there"
        }
        return property.type == "AnyRealmValue"
            ? "the type's default in objects that are there"
            : "the type's first value in objects that are there"
    }

    /// Returns the changes of a property that keeps its stored name.
    private static func changes(
        _ old: Property, _ new: Property, _ oldStorage: String?, _ newStorage: String?, _ type: String
    ) -> [Change] {
        var changes: [Change] = []
        func change(_ text: String, _ effort: Effort, _ code: [String] = []) {
            changes.append(
                Change(
                    sign: .changed, property: new.name, text: text, effort: effort, code: code,
                    isForEachObject: !code.isEmpty))
        }
        if old.name != new.name {
            change(
                "'\(old.name)' is called '\(new.name)' now, and stored as '\(new.column)' as before", .none)
        }
        if old.collection != new.collection || oldStorage != newStorage || old.target != new.target {
            change(
                "\(old.declaredType) is \(new.declaredType) now: values have to be converted", .block,
                ["new![\"\(new.name)\"] = \(conversion(old, new))"])
        } else {
            if old.type != new.type {
                change("\(old.declaredType) is \(new.declaredType) now, which is stored alike", .none)
            }
            if old.isOptional != new.isOptional {
                change(
                    new.isOptional
                        ? "can be nil now: values stay"
                        : "cannot be nil any more: nil becomes the type's default, values stay",
                    .version)
            }
        }
        if old.isPrimaryKey != new.isPrimaryKey {
            if new.isPrimaryKey {
                change(
                    "is the primary key now: no two objects may have one value", .block,
                    ["// Delete or change objects whose '\(new.name)' another one has."])
            } else {
                change("is not the primary key any more", .version)
            }
        }
        if old.isIndexed != new.isIndexed {
            change(new.isIndexed ? "is indexed now" : "is not indexed any more", .version)
        }
        return changes
    }

    /// Returns an expression for the new value.
    private static func conversion(_ old: Property, _ new: Property) -> String {
        guard old.collection == nil, new.collection == nil, old.target == nil, new.target == nil else {
            return "<#\(new.declaredType)#>  // was \(old.declaredType)"
        }
        let value = "old![\"\(old.name)\"]"
        func isNumber(_ property: Property) -> Bool {
            ScalarName(rawValue: property.type).map { $0.isInteger || $0.isFloatingPoint } ?? false
        }
        if isNumber(old), isNumber(new) {
            let converted = "(\(value) as? \(old.type)).map { \(new.type)($0) }"
            return new.isOptional ? converted : converted + " ?? 0"
        }
        if new.type == "String" {
            return new.isOptional ? "\(value).map { \"\\($0)\" }" : "\(value).map { \"\\($0)\" } ?? \"\""
        }
        if old.type == "String", isNumber(new) {
            let converted = "(\(value) as? String).flatMap { \(new.type)($0) }"
            return new.isOptional ? converted : converted + " ?? 0"
        }
        return "<#\(new.declaredType)#>  // was \(old.declaredType)"
    }

    /// Returns the changes of linking objects, which are computed and not stored in the file.
    private static func inverseChanges(_ before: SchemaOutline.Class, _ after: SchemaOutline.Class)
        -> [Change]
    {
        let old = before.properties.filter { $0.collection == .inverse }
        let new = after.properties.filter { $0.collection == .inverse }
        let added = new.filter { !old.contains($0) }
        let removed = old.filter { old in !new.contains(old) && !added.contains { $0.name == old.name } }
        return added.map {
            Change(
                sign: .added, property: $0.name, text: "\($0.declaredType) of '\($0.origin ?? "")'",
                effort: .none)
        }
            + removed.map {
                Change(sign: .removed, property: $0.name, text: "\($0.declaredType) removed", effort: .none)
            }
    }
}

extension SchemaOutline.Property {
    /// The name under which values are stored.
    var column: String { storedName ?? name }

    /// Whether another property has a name with nearly the same letters, or one name begins or ends with the other.
    func isLike(_ other: Self) -> Bool {
        let (a, b) = (name.lowercased(), other.name.lowercased())
        if a.hasSuffix(b) || b.hasSuffix(a) || a.hasPrefix(b) || b.hasPrefix(a) { return true }
        let shared = a.reduce(into: (count: 0, rest: b)) { state, letter in
            guard let index = state.rest.firstIndex(of: letter) else { return }
            state.rest.remove(at: index)
            state.count += 1
        }.count
        return shared * 4 >= max(a.count, b.count) * 3
    }
}
