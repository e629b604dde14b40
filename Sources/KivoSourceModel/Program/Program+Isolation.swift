/// The actor isolation that the settings of a target give to its sources.
package struct IsolationSettings: Hashable, Sendable {
    /// Whether declarations without isolation belong to the main actor.
    package var isMainActorByDefault = false
    /// Whether conformances of isolated types are isolated if one of their members is.
    package var infersConformances = false

    package init(isMainActorByDefault: Bool = false, infersConformances: Bool = false) {
        (self.isMainActorByDefault, self.infersConformances) = (isMainActorByDefault, infersConformances)
    }

    package mutating func setMainActorByDefault() {
        isMainActorByDefault = true
        infersConformances = true
    }
}

extension Program {
    /// The protocols of observable classes, whose members access properties by name.
    private static let observableProtocols: Set<String> = [
        "KeyValueObservable", "KeyValueObservingCustomization",
    ]
    /// The members of these protocols that classes implement.
    private static let observableMembers: Set<String> = [
        "accessInstanceVariablesDirectly", "automaticallyNotifiesObservers", "computedProperties",
        "keyPathsAffectingValue", "keyPathsForValuesAffectingValue", "setNilValueForKey", "setValue", "value",
    ]
    /// The base classes that conform to these protocols in any isolation.
    private static let observableBases: Set<String> = [
        "KeyValueObject", "KeyValueOperation", "KeyValueProgress",
    ]

    /// Returns the name of the global actor to which a class is isolated, or nil if it is not isolated, as far as these sources say.
    package func globalActor(of type: TypeDeclaration) -> String? {
        var next: TypeDeclaration? = type
        for _ in 0..<64 {
            guard let type = next else { return nil }
            if type.attributes.contains(where: { $0.name == "nonisolated" }) { return nil }
            if let name = globalActor(in: type.attributes, of: type) { return name }
            for entry in type.inherited {
                guard let declared = declaration(of: entry, in: type.outer), declared.kind == .protocol,
                    let name = globalActor(in: declared.attributes, of: declared)
                else { continue }
                return name
            }
            next = superclass(of: type)
            guard next == nil else { continue }
            guard isolation(of: type.source).isMainActorByDefault else { return nil }
            let foreign = type.inherited.first.flatMap { foreignName(of: $0, in: type.outer) }
            return foreign.map { $0 == "NSObject" || Self.plainProtocols.contains($0) || isObservable($0) }
                ?? true ? "MainActor" : nil
        }
        return nil
    }

    private func isObservable(_ name: String) -> Bool {
        Self.observableProtocols.contains(name) || name == "KeyValueObserver"
    }

    private func globalActor(in attributes: [AttributeDeclaration], of type: TypeDeclaration) -> String? {
        attributes.first { attribute in
            if attribute.name == "MainActor" { return true }
            guard attribute.isCustom else { return false }
            let declared = declaration(of: .name(attribute.name), in: type.outer)
            return declared?.attributes.contains { $0.name == "globalActor" } ?? false
        }?.name
    }

    /// The conformance of a class by which its properties are accessed by name.
    package struct ObservableConformance {
        /// The class or the extension that declares the conformance.
        package var part: TypeDeclaration
        /// The range of the protocol, or of the base class that conforms to it.
        package var range: Range<Int>
        package var isIsolated: Bool
        /// Whether a base class of KivoObserving declares the conformance.
        package var isOfBase: Bool
    }

    /// Returns the conformance of a class that it declares itself or inherits from a base class of KivoObserving, or nil if there is
    /// none.
    package func observableConformance(of type: TypeDeclaration) -> ObservableConformance? {
        var found: ObservableConformance?
        for part in parts(of: type) {
            for (entry, range) in zip(part.inherited, part.inheritedRanges) {
                guard let name = foreignName(of: entry, in: part.outer) else { continue }
                let isOfBase = Self.observableBases.contains(name)
                guard isOfBase || Self.observableProtocols.contains(name) else { continue }
                let text = part.source.text(range)
                let isIsolated = text.hasPrefix("@") && !text.hasPrefix("@preconcurrency")
                if found == nil || isIsolated {
                    found = ObservableConformance(
                        part: part, range: range, isIsolated: isIsolated, isOfBase: isOfBase)
                }
            }
        }
        guard found?.isIsolated == false, isolation(of: type.source).infersConformances else { return found }
        let parts = parts(of: type)
        let members =
            parts.flatMap(\.functions).map { ($0.name, $0.attributes) }
            + parts.flatMap(\.properties).map { ($0.name, $0.attributes) }
        found?.isIsolated = members.contains { name, attributes in
            Self.observableMembers.contains(name) && !attributes.contains { $0.name == "nonisolated" }
        }
        return found
    }

    /// Returns the settings of the target of a source.
    package func isolation(of source: SourceText) -> IsolationSettings {
        isolationSettings[source.path] ?? IsolationSettings()
    }
}
