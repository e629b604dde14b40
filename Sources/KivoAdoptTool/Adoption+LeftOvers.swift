import KivoSourceModel

extension Adoption {
    /// The names of realm-swift, and of the Objective-C runtime, that Kivo lacks, with advice.
    private static let missing: [String: String] = [
        "AsymmetricObject": "sync needs a server that is discontinued: derive the class from Object",
        "SyncConfiguration": "sync needs a server that is discontinued: remove it",
        "RealmOptional": "a property of type 'T?' takes its place",
        "RealmProperty": "a property of type 'T?' takes its place",
        "NSPredicate":
            "'import RealmSwift' here\(ofProduct), or give the format and its arguments to 'filter'",
        "NSCompoundPredicate":
            "'import RealmSwift' here\(ofProduct), or write the condition as one predicate string",
        "RLMSupport": "remove it",
        "autoreleasepool": "Kivo needs none: remove it, or 'import RealmSwift' here\(ofProduct)",
    ]
    /// The functions and labels of calls that Kivo lacks.
    private static let missingCalls: [String: String] = [
        "App": "sync needs a server that is discontinued: remove it",
        "flexibleSyncConfiguration": "sync needs a server that is discontinued: remove it",
        "partitionValue": "sync needs a server that is discontinued: remove it",
        "encryptionKey": "files are not encrypted: encrypt the volume, or values",
    ]
    static let ofProduct = ", of the product of that name"
    private static let predicates: Set = ["NSPredicate", "NSCompoundPredicate"]
    /// The names that the product RealmSwift adds to Kivo.
    private static let ofRealmSwift = predicates.union(["autoreleasepool"])

    /// Whether a file has predicates of Foundation that are not rewritten.
    func usesPredicates(_ file: SourceFile) -> Bool {
        let source = file.source
        return source.tokens.indices.contains { index in
            let token = source.tokens[index]
            return token.kind == .word && !isSettled(index, source)
                && Self.predicates.contains(source.name(of: token))
                && advice(on: index, source) != nil
        }
    }

    /// Lists the places that a person must review. It looks at every token, so that it misses no expression.
    func listLeftOvers(of file: SourceFile, isRealm: Bool) {
        adoptObservers(in: file)
        listObjectiveC(in: file)
        let source = file.source
        for index in source.tokens.indices where !isSettled(index, source) {
            let token = source.tokens[index]
            guard token.kind == .word || token.kind == .pound else { continue }
            if source.matches(index, "#keyPath") {
                leave(
                    source, token.start,
                    "'#keyPath' of a class that was not rewritten needs the Objective-C runtime")
            } else if source.matches(index, "value"), let name = boxName(before: index, source) {
                leaveValue(of: name, at: index, source)
            } else if isRealm, let advice = advice(on: index, source), !isReplaced(token, in: file),
                !(keepsImport(file) && Self.ofRealmSwift.contains(source.name(of: token)))
            {
                leave(source, token.start, "'\(source.text(of: token))'\(advice)")
            }
        }
    }

    /// Returns the name of a box before '.value', or nil if there is none.
    private func boxName(before index: Int, _ source: SourceText) -> String? {
        guard source.matches(index - 1, ".") else { return nil }
        var index = index - 2
        while source.matches(index, "?") || source.matches(index, "!") || source.matches(index, ")") {
            index -= 1
        }
        guard index >= 0, !isSettled(index, source) else { return nil }
        let name = source.name(of: source.tokens[index])
        return boxes[name] == nil ? nil : name
    }

    /// Returns what to do about a name that Kivo lacks, or nil if it has the name, or the program declares it.
    private func advice(on index: Int, _ source: SourceText) -> String? {
        let name = source.name(of: source.tokens[index])
        let isMember = source.matches(index - 1, ".") && !source.matches(index - 2, "RealmSwift")
        let isCalled = source.matches(index + 1, "(")
        if let advice = Self.missingCalls[name] {
            let isUsed = name == "App" ? isCalled && !isMember : isMember || source.matches(index + 1, ":")
            return isUsed ? ": \(advice)" : nil
        }
        if isMember || source.matches(index - 1, "func") || program.types[name] != nil { return nil }
        if let advice = Self.missing[name] { return ": \(advice)" }
        return isOfObjectiveCLibrary(index, source)
            ? " is of the Objective-C library: use the Swift class of that name" : nil
    }

    /// Whether a token names something of the Objective-C library. `@objc(RLMZone)` names what it precedes.
    func isOfObjectiveCLibrary(_ index: Int, _ source: SourceText) -> Bool {
        let name = source.name(of: source.tokens[index])
        guard name.hasPrefix("RLM"), program.types[name] == nil else { return false }
        return !(source.matches(index - 1, "(") && source.matches(index - 2, "objc"))
    }

    /// Whether a token is in the declaration of a box that is rewritten.
    private func isReplaced(_ token: Token, in file: SourceFile) -> Bool {
        file.types.contains { type in
            plans[ObjectIdentifier(type)]?.properties.contains {
                $0.isBox && $0.declaration.range.contains(token.start)
            } ?? false
        }
    }

    /// Whether a file has an observer that is rewritten.
    func observersAdopted(in file: SourceFile) -> Bool {
        file.types.contains { canBeObserver($0) || canDeriveFromBase($0) }
    }

    /// Rewrites observers, which override `observeValue` of `NSObject`, to conform to a protocol of Kivo instead.
    private func adoptObservers(in file: SourceFile) {
        for type in file.types where type.kind == .class && plans[ObjectIdentifier(type)] == nil {
            guard let function = observing(type), !plans.isEmpty else { continue }
            if canDeriveFromBase(type) {
                edit(file.source) { $0.replace(type.inheritedRanges[0], with: "KeyValueObject") }
                continue
            }
            guard canBeObserver(type) else {
                leave(
                    file.source, function.nameOffset,
                    "'observeValue' of class '\(type.name)': objects of Kivo notify a KeyValueObserver, which is a protocol; no 'super' has it"
                )
                continue
            }
            let prefix = program.globalActor(of: type).map { "@\($0) " } ?? ""
            edit(file.source) { edits in
                edits.replace(type.inheritedRanges[0], with: prefix + "KeyValueObserver")
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

    /// Whether a class that calls `super.observeValue` derives from `NSObject`, which Kivo's base class can replace.
    private func canDeriveFromBase(_ type: TypeDeclaration) -> Bool {
        guard type.kind == .class, !plans.isEmpty, plans[ObjectIdentifier(type)] == nil,
            observing(type) != nil,
            type.inherited.first?.path?.last == "NSObject", program.globalActor(of: type) == nil
        else { return false }
        let source = type.source
        return source.tokens(of: type).contains { index in
            source.matches(index, "super") && source.matches(index + 1, ".")
                && source.matches(index + 2, "observeValue")
        }
    }

    private func mentionsSuper(_ type: TypeDeclaration) -> Bool {
        let source = type.source
        let first = source.tokenIndex(from: type.range.start)
        let last = source.tokenIndex(from: type.range.end)
        return (first..<max(first, last)).contains { source.matches($0, "super") }
    }
}
