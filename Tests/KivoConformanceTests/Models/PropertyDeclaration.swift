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
        Self(ValueProperty(name: name, typeText: Value.typeText, keyPath: keyPath))
    }

    /// An `id` that is the primary key.
    static func primaryKey(
        _ name: String, _ keyPath: SendableWritableKeyPath<Model, Int>
    ) -> Self where Model: KeyedConformanceModel {
        Self(ValueProperty(name: name, typeText: "int pk", keyPath: keyPath))
    }

    static func link<Target: ConformanceModel>(
        _ name: String, _ keyPath: SendableWritableKeyPath<Model, Target?>
    ) -> Self {
        Self(LinkProperty(name: name, keyPath: keyPath))
    }

    static func list<Element: ConformanceElement>(
        _ name: String, _ keyPath: SendableKeyPath<Model, List<Element>>
    ) -> Self {
        Self(ListProperty(name: name, keyPath: keyPath))
    }

    static func set<Element: ConformanceElement & Comparable & SendableMetatype>(
        _ name: String, _ keyPath: SendableKeyPath<Model, MutableSet<Element>>
    ) -> Self {
        Self(SetProperty(name: name, keyPath: keyPath, sort: { $0.sorted() }))
    }

    /// A set of objects, which come in the order of the set already.
    static func set<Target: ConformanceModel>(
        _ name: String, _ keyPath: SendableKeyPath<Model, MutableSet<Target>>
    ) -> Self {
        Self(SetProperty(name: name, keyPath: keyPath, sort: { $0 }))
    }

    static func backlinks<Origin: ConformanceModel>(
        _ name: String, from originProperty: String,
        _ keyPath: SendableKeyPath<Model, LinkingObjects<Origin>>
    ) -> Self {
        Self(BacklinksProperty(name: name, originProperty: originProperty, keyPath: keyPath))
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
