import Kivo

/// Objects that belong together, and the names that cases have for them.
///
/// What a case is about is found by the names and keys that it uses: the first stage that has them all is
/// taken.
struct KeyValueCaseStage {
    typealias Model = any KeyValueCaseModel.Type

    /// Words of the case's setup without which the stage is not meant.
    var words: [String] = []
    var isForManaged = false
    var isForPlain = true
    var kind = KeyValueCaseKind.objects
    /// The names of the classes that an object of a name may be of.
    var roles: [String: [String]] = [:]
    /// The names of classes by those that steps have for them.
    var typeNames: [String: String] = [:]
    /// Names that are there whenever another is.
    var companions: [String: [String]] = [:]
    /// The classes of the realm.
    var realmTypes: [ObjectBase.Type] = []
    /// Names that stand for paths.
    var aliases: (KeyValueCase) -> [String: String] = { _ in [:] }
    /// Connects the objects, before they are added to a realm.
    var prepare: (KeyValueCaseWorld) throws -> Void = { _ in }
    /// Returns the complaint after the last step, besides notifications.
    var complaint: () -> String? = { nil }

    /// The classes by the names that steps have for them.
    var types: [String: Model] { typeNames.compactMapValues { kind.models[$0] } }

    /// The classes that an object of a name may be of.
    func models(_ name: String) -> [Model] { (roles[name] ?? []).compactMap { kind.models[$0] } }
}

/// A stage with the objects that one case needs of it.
struct KeyValueCaseCast {
    let stage: KeyValueCaseStage
    /// The class of each name.
    let classes: [String: KeyValueCaseStage.Model]
    let aliases: [String: String]
    /// The names in a case that do not stand for an object of a model.
    static let foundationNames: Set<String> = ["null", "coins15", "coins0to9", "threeArrays"]

    /// Casts the objects of a case; nil if the stage lacks any.
    init?(_ stage: KeyValueCaseStage, _ test: KeyValueCase, _ scenario: KeyValueCaseScenario) {
        guard scenario.isManaged || scenario == .unmanaged ? stage.isForManaged : stage.isForPlain else {
            return nil
        }
        guard stage.words.allSatisfy({ test.setup.contains($0) }) else { return nil }
        let usage = KeyValueCaseUsage(test)
        aliases = stage.aliases(test)
        self.stage = stage
        var classes: [String: KeyValueCaseStage.Model] = [:]
        for name in usage.startNames where !Self.foundationNames.contains(name) {
            let root = Self.root(aliases[name] ?? name)
            let keys = aliases[name] == nil ? usage.keys[name]! : []
            guard
                let model = stage.models(root).first(where: { model in
                    keys.allSatisfy { Self.covers(model, $0) }
                })
            else { return nil }
            classes[root] = model
        }
        for (name, type) in usage.created {
            guard let model = stage.types[type] else { return nil }
            guard (usage.types[type] ?? []).allSatisfy({ Self.covers(model, $0) }) else { return nil }
            // Not there before its step, but known.
            classes[name] = nil
        }
        for type in usage.types.keys where stage.types[type] == nil { return nil }
        for (name, companions) in stage.companions where classes[name] != nil {
            for companion in companions where classes[companion] == nil {
                classes[companion] = stage.models(companion).first
            }
        }
        for (name, use) in usage.values where classes[name] == nil && !name.hasPrefix("any") {
            let owner =
                classes[Self.root(aliases[use.owner] ?? use.owner)]
                ?? usage.created[use.owner].flatMap { stage.types[$0] }
            guard let model = owner?.caseProperty(use.key)?.objectClass else { continue }
            if !(model is EmbeddedObject.Type) { classes[name] = model }
        }
        self.classes = classes
    }

    /// The name at the start of a path; a twin has that of what it is the twin of.
    static func root(_ path: String) -> String {
        String(path.prefix { $0 != "." && $0 != "'" && $0 != "[" })
    }

    /// Keys that no model has are used on purpose, and containers have any.
    private static func covers(_ model: KeyValueCaseStage.Model, _ key: String) -> Bool {
        if key == "invalidated" || key == "isInvalidated" { return model is any KeyValueCaseRow.Type }
        if key.hasPrefix("non") && key.contains("exist") { return true }
        if model is any KeyValueCaseOpenKeys.Type { return true }
        return model.caseProperty(key) != nil
    }
}

/// A model with keys beyond its properties.
protocol KeyValueCaseOpenKeys: KeyValueCaseModel {}

extension KeyValueCaseModels.Table: KeyValueCaseOpenKeys {}
extension KeyValueCaseModels.Closed: KeyValueCaseOpenKeys {}
extension KeyValueCaseModels.Adapter: KeyValueCaseOpenKeys {}
extension KeyValueCaseModels.FrozenTable: KeyValueCaseOpenKeys {}
extension KeyValueCaseClasses.Table: KeyValueCaseOpenKeys {}
extension KeyValueCaseClasses.Closed: KeyValueCaseOpenKeys {}
extension KeyValueCaseClasses.Adapter: KeyValueCaseOpenKeys {}
extension KeyValueCaseClasses.FrozenTable: KeyValueCaseOpenKeys {}
