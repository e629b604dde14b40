/// Explanations of names of properties that a class does not have.
extension ClassInfo {
    /// Returns a sentence, after a space, that says why a class has no property of a name: it is not persisted, or its name is spelt
    /// otherwise. Returns an empty text if there is nothing to say.
    func hint(onUnknown name: String) -> String {
        if (declared ?? self).declaresUnpersisted(name) {
            return " It is declared there, but is not '@Persisted'."
        }
        return Spelling.closest(to: name, among: properties.map(\.name)).map { " Did you mean '\($0)'?" }
            ?? ""
    }

    /// Returns whether the Swift class has a stored property of a name that is not part of the model. Creates an instance of the
    /// class, because only reflection knows such properties.
    private func declaresUnpersisted(_ name: String) -> Bool {
        if isDynamic { return false }
        if ignoredProperty(named: name) != nil { return true }
        let object = type.init()
        return WrapperLocator.levels(of: object).contains { level in
            level.subjectType != ObjectBase.self
                && level.children.contains { $0.label == name || $0.label == "$__lazy_storage_$_\(name)" }
        }
    }
}

/// A search for the intended name after a spelling mistake.
private enum Spelling {
    /// Returns the name with the most similar spelling, or nil if none is close.
    static func closest(to name: String, among names: [String]) -> String? {
        let wanted = Array(name.lowercased())
        let distances = names.sorted().map { (name: $0, distance: distance(wanted, Array($0.lowercased()))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, wanted.count / 3)
        else { return nil }
        return best.name
    }

    /// Returns the number of letters that are inserted, removed, replaced or swapped with the next one between two words.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var (beforeLast, last) = ([Int](), Array(0...b.count))
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
