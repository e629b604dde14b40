import KivoSourceModel

/// Checks of classes that are observed: their isolation, and their property observers.
extension ModelChecks {
    /// Checks that the properties of an isolated class cannot be accessed by name from anywhere.
    mutating func checkIsolation(of type: TypeDeclaration) {
        guard type.kind == .class, let actor = program.globalActor(of: type),
            let conformance = conformance(of: type), !conformance.isIsolated
        else { return }
        let (name, source) = (type.qualifiedName, conformance.part.source)
        if conformance.isOfBase {
            report(
                source, conformance.range.lowerBound,
                """
                class '\(name)' is isolated to '\(actor)', and the conformance of its base class to KeyValueObservable is not, \
                so that its properties can be set by name on any thread: conform to '@\(actor) KeyValueObservable' instead
                """)
        } else if conformance.part.qualifiedName == name {
            report(
                source, conformance.range.lowerBound,
                """
                class '\(name)' is isolated to '\(actor)', and its conformance to KeyValueObservable is not, so that its \
                properties can be set by name on any thread: declare it '@\(actor) \(source.text(conformance.range))'
                """)
        } else {
            report(
                type.source, type.nameOffset,
                """
                class '\(name)' is isolated to '\(actor)', and inherits a conformance to KeyValueObservable that is not, so \
                that its properties can be set by name on any thread: isolate '\(conformance.part.qualifiedName)' and its \
                conformance
                """)
        }
    }

    /// Returns the conformance of a class, or that of its nearest superclass that is not isolated.
    private func conformance(of type: TypeDeclaration) -> Program.ObservableConformance? {
        var next: TypeDeclaration? = type
        for _ in 0..<64 {
            guard let type = next else { return nil }
            if let found = program.observableConformance(of: type) { return found }
            next = program.superclass(of: type)
            // An isolated superclass is reported itself.
            if let next, program.globalActor(of: next) != nil { return nil }
        }
        return nil
    }

    /// Checks for property observers, which run after the observers of the object were notified.
    mutating func checkPropertyObserver(of property: PropertyDeclaration, in type: TypeDeclaration) {
        guard property.isObserved, let observer = property.accessor(.didSet) else { return }
        let (name, source) = (property.name, type.source)
        let advice = """
            keep the value in a private property and make '\(name)' computed, with 'willChangeValue(forKey:)' and \
            'didChangeValue(forKey:)' around the assignment in its setter
            """
        let names = Set(program.parts(of: type).flatMap(\.properties).filter { !$0.isStatic }.map(\.name))
        if let assigned = source.assignedName(in: observer.body.tokens, of: names) {
            report(
                source, property.nameOffset,
                """
                'didSet' of property '\(type.name).\(name)' sets '\(assigned)' after the observers of '\(name)' were notified, \
                which therefore see a value that they do not see in Cocoa: \(advice)
                """, as: .warning)
        } else {
            report(
                source, property.nameOffset,
                """
                'didSet' of property '\(type.name).\(name)' runs after the observers of '\(name)' were notified, in Cocoa \
                before; if that matters, \(advice)
                """, as: .note)
        }
    }
}

extension SourceText {
    /// Returns the first of some names to which the code in a range of tokens assigns, by `=` or an operator such as `+=`.
    fileprivate func assignedName(in range: Range<Int>, of names: Set<String>) -> String? {
        for index in range where tokens[index].kind == .word && names.contains(name(of: tokens[index])) {
            if matches(index - 1, ".") && !matches(index - 2, "self") { continue }
            var next = index + 1
            let operators: [StaticString] = ["+", "-", "*", "/", "%", "&", "|", "^"]
            while operators.contains(where: { matches(next, $0) }) { next += 1 }
            guard matches(next, "="), !matches(next + 1, "=") || tokens[next + 1].start > tokens[next].end
            else {
                continue
            }
            return name(of: tokens[index])
        }
        return nil
    }
}
