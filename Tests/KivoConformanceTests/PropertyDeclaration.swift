import Kivo

/// How a model says which of its properties is which of a scenario's: the name and the key path; the type text
/// follows from the key path.
struct PropertyDeclaration<Model: ConformanceModel>: Sendable {
    let adapter: any PropertyAdapter<Model>

    private init(_ adapter: any PropertyAdapter<Model>) {
        self.adapter = adapter
    }

    static func plain<Value: ConformanceValue>(
        _ name: String, _ keyPath: SendableWritableKeyPath<Model, Value>
    ) -> Self {
        Self(ValueProperty(name: name, typeText: Value.typeText, isPlain: true, keyPath: keyPath))
    }

    /// An `id` that is the primary key.
    static func primaryKey(
        _ name: String, _ keyPath: SendableWritableKeyPath<Model, Int>
    ) -> Self where Model: KeyedConformanceModel {
        Self(ValueProperty(name: name, typeText: "int pk", isPlain: true, keyPath: keyPath))
    }

    static func link<Target: ConformanceModel>(
        _ name: String, _ keyPath: SendableWritableKeyPath<Model, Target?>
    ) -> Self {
        Self(
            ValueProperty(
                name: name, typeText: "link<\(Target.typeText)>", isPlain: false, keyPath: keyPath))
    }

    static func list<Element: ConformanceElement>(
        _ name: String, _ keyPath: SendableKeyPath<Model, List<Element>>
    ) -> Self {
        Self(ListProperty(name: name, keyPath: keyPath))
    }

    static func set<Element: ConformanceElement & Comparable>(
        _ name: String, _ keyPath: SendableKeyPath<Model, MutableSet<Element>>
    ) -> Self {
        Self(SetProperty(name: name, keyPath: keyPath))
    }

    static func map(_ name: String, _ keyPath: SendableKeyPath<Model, Map<String, Int>>) -> Self {
        Self(MapProperty(name: name, typeText: "dict<int>", keyPath: keyPath))
    }

    /// Objects in maps may be null, which the corpus' type text does not say.
    static func map<Target: ConformanceModel>(
        _ name: String, _ keyPath: SendableKeyPath<Model, Map<String, Target?>>
    ) -> Self {
        Self(MapProperty(name: name, typeText: "dict<\(Target.typeText)>", keyPath: keyPath))
    }
}
