import KivoSourceModel

extension Adoption {
    /// The names of realm-swift that Kivo lacks, with advice.
    private static let missing: [String: String] = [
        "App": "sync needs a server that is discontinued: remove it",
        "SyncConfiguration": "sync needs a server that is discontinued: remove it",
        "flexibleSyncConfiguration": "sync needs a server that is discontinued: remove it",
        "partitionValue": "sync needs a server that is discontinued: remove it",
        "AsymmetricObject": "sync needs a server that is discontinued: derive the class from Object",
        "encryptionKey": "files are not encrypted: encrypt the volume, or values",
        "RealmOptional": "a property of type 'T?' takes its place",
        "RealmProperty": "a property of type 'T?' takes its place",
        "NSCompoundPredicate":
            "'import RealmSwift', of the product of that name, or write the condition as one predicate string",
        "RLMSupport": "remove it",
        "autoreleasepool": "Kivo needs none: remove it, or 'import RealmSwift' here",
    ]

    /// Lists the places that a person must review.
    func listLeftOvers(of file: SourceFile, isRealm: Bool) {
        adoptObservers(in: file)
        guard isRealm || file.types.contains(where: { plans[ObjectIdentifier($0)] != nil }) else { return }
        for body in file.bodies {
            for expression in body.expressions {
                expression.forEach { part in listLeftOver(part, in: file, isRealm: isRealm) }
            }
        }
    }

    private func listLeftOver(_ expression: Expression, in file: SourceFile, isRealm: Bool) {
        let source = file.source
        switch expression {
        case .name("NSPredicate", let token?):
            if unwrapped.contains(PlacedToken(source: ObjectIdentifier(source), index: token)) { return }
            guard isRealm else { return }
            leave(
                source, source.tokens[token].start,
                "'NSPredicate' of a format: 'import RealmSwift' here, of the product of that name, or give the format and its arguments to 'filter'"
            )
        case .name(let name, let token?):
            guard isRealm else { return }
            if let advice = Self.missing[name], !isReplacedBox(token, in: file) {
                leave(source, source.tokens[token].start, "'\(name)': \(advice)")
            } else if name.hasPrefix("RLM") {
                leave(
                    source, source.tokens[token].start,
                    "'\(name)' is of the Objective-C library: use the Swift class of that name")
            }
        case .call(let call):
            guard isRealm else { return }
            for argument in call.arguments {
                guard let label = argument.label, let advice = Self.missing[label],
                    case .name(_, let token?) = call.function.bare.head
                else { continue }
                leave(source, source.tokens[token].start, "'\(label)': \(advice)")
            }
        default: break
        }
    }

    /// Whether a token is in the default value of a property that is rewritten.
    private func isReplacedBox(_ token: Int, in file: SourceFile) -> Bool {
        let offset = file.source.tokens[token].start
        return file.types.contains { type in
            plans[ObjectIdentifier(type)]?.properties.contains {
                $0.isBox && ($0.declaration.valueRange?.contains(offset) ?? false)
            } ?? false
        }
    }

    /// Whether a file has an observer that is rewritten.
    func observersAdopted(in file: SourceFile) -> Bool {
        needsKivo.contains(ObjectIdentifier(file.source)) || file.types.contains { canBeObserver($0) }
    }

    /// Rewrites observers, which override `observeValue` of `NSObject`, to conform to a protocol of Kivo instead.
    private func adoptObservers(in file: SourceFile) {
        for type in file.types where type.kind == .class && plans[ObjectIdentifier(type)] == nil {
            guard let function = observing(type), !plans.isEmpty else { continue }
            guard canBeObserver(type) else {
                leave(
                    file.source, function.nameOffset,
                    "'observeValue' of class '\(type.name)': objects of Kivo tell a KeyValueObserver, which is a protocol; no 'super' has it"
                )
                continue
            }
            edit(file.source) { edits in
                edits.replace(type.inheritedRanges[0], with: "KeyValueObserver")
                for attribute in function.attributes where attribute.name == "override" {
                    edits.removeWithBlanks(attribute.range)
                }
            }
        }
    }

    private func observing(_ type: TypeDeclaration) -> FunctionDeclaration? {
        type.functions.first { function in
            function.name == "observeValue" && function.attributes.contains { $0.name == "override" }
        }
    }

    /// Whether a class derives from `NSObject` only in order to observe.
    private func canBeObserver(_ type: TypeDeclaration) -> Bool {
        guard type.kind == .class, !plans.isEmpty, plans[ObjectIdentifier(type)] == nil,
            observing(type) != nil,
            type.inherited.first?.path == ["NSObject"]
        else { return false }
        let overrides = type.functions.filter {
            $0.attributes.contains { $0.name == "override" || $0.name == "objc" }
        }
        let dynamic = type.properties.contains {
            $0.attribute("objc") != nil || $0.attribute("override") != nil
        }
        return overrides.count == 1 && !dynamic && !mentionsSuper(type)
    }

    private func mentionsSuper(_ type: TypeDeclaration) -> Bool {
        let source = type.source
        let first = source.tokenIndex(from: type.range.start)
        let last = source.tokenIndex(from: type.range.end)
        return (first..<max(first, last)).contains { source.matches($0, "super") }
    }
}

extension Expression {
    /// The leftmost expression in a chain of members.
    var head: Expression {
        switch bare {
        case .member(let base?, _, _): base.head
        case .generic(let base, _): base.head
        default: bare
        }
    }
}
