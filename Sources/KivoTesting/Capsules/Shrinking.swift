import Kivo

/// Makes a capsule smaller, as long as a test with it fails: leaves out commits, turns, objects of the base and changes of single objects,
/// and composes commits that follow each other.
///
///     let small = try shrink(capsule) { capsule in
///         let table = try replay(capsule) { DogTable($0.objects(Dog.self)) }
///         return !table.problems.isEmpty
///     }
///     try small.changes().forEach { print($0) }
///
/// What depends on something that is left out is left out as well. Objects have the keys that they had, so that unsorted collections have
/// their order, except for an object that a commit deleted and created again with the same primary key: it is modified. A base of more than
/// 4 MB stays as it is. Writes of observers throw if what they wrote is left out. A test that ends the program cannot be repeated in it.
///
/// - Parameters:
///   - capsule: A capsule with which the test fails.
///   - place: The instance whose turns are kept; nil for the one with the most turns.
///   - types: The classes of the realm; nil for all that the program uses.
///   - attempts: The number of smaller capsules that are tried at most.
///   - fails: A closure that returns whether the test fails with a capsule.
/// - Returns: The smallest capsule that was found; `capsule` itself if the test does not fail with a copy of it.
/// - Throws: `Realm.Error` if the classes do not match those of the capsule; ``CapsuleError`` if it does not have the instance; errors of
///   `fails`.
public func shrink(
    _ capsule: Capsule, at place: Capsule.Place? = nil, of types: [ObjectBase.Type]? = nil,
    attempts: Int = 1000, while fails: (Capsule) throws -> Bool
) throws -> Capsule {
    let draft = try CapsuleDraft(capsule, at: place, of: types)
    return try withoutActuallyEscaping(fails) { fails in
        var shrinking = Shrinking(draft: draft, smallest: capsule, attemptsLeft: attempts, fails: fails)
        return try shrinking.run()
    }
}

private struct Shrinking {
    /// The smallest draft with which the test fails, and its capsule.
    var draft: CapsuleDraft
    var smallest: Capsule
    var attemptsLeft: Int
    let fails: (Capsule) throws -> Bool

    mutating func run() throws -> Capsule {
        guard try attempt(draft) else { return smallest }
        var isSmaller = true
        while isSmaller, attemptsLeft > 0 {
            isSmaller = try removeSteps()
            if try removeObjects() { isSmaller = true }
            if try compose() { isSmaller = true }
            if try removeTurns() { isSmaller = true }
            if try removeChanges() { isSmaller = true }
        }
        return smallest
    }

    /// Returns whether the test fails with a draft, which is then the smallest one.
    private mutating func attempt(_ candidate: CapsuleDraft) throws -> Bool {
        guard attemptsLeft > 0 else { return false }
        attemptsLeft -= 1
        let capsule = try candidate.capsule()
        guard try fails(capsule) else { return false }
        (draft, smallest) = (candidate, capsule)
        return true
    }

    /// Leaves out parts of `count` items, first halves and then smaller ones. Returns whether any were left out.
    ///
    /// - Parameter remove: Removes a range of the items from a draft.
    private mutating func leaveOut(
        _ count: (CapsuleDraft) -> Int, _ remove: (inout CapsuleDraft, Range<Int>) -> Void
    ) throws -> Bool {
        var isSmaller = false
        var size = count(draft)
        while size > 0, attemptsLeft > 0 {
            var start = 0
            while start < count(draft) {
                var candidate = draft
                remove(&candidate, start..<min(start + size, count(draft)))
                if try attempt(candidate) { isSmaller = true } else { start += size }
            }
            size = size == 1 ? 0 : (size + 1) / 2
        }
        return isSmaller
    }

    private mutating func removeSteps() throws -> Bool {
        try leaveOut {
            $0.steps.count
        } _: {
            $0.steps.removeSubrange($1)
        }
    }

    private mutating func removeObjects() throws -> Bool {
        try leaveOut { draft in
            if case .objects(let objects) = draft.base { objects.count } else { 0 }
        } _: { draft, range in
            if case .objects(let objects) = draft.base { draft.base = .objects(objects.leavingOut(range)) }
        }
    }

    /// Composes each commit with the next one.
    private mutating func compose() throws -> Bool {
        var (isSmaller, index) = (false, 0)
        while index + 1 < draft.steps.count, attemptsLeft > 0 {
            var candidate = draft
            let next = candidate.steps.remove(at: index + 1)
            candidate.steps[index].changes += next.changes
            candidate.steps[index].hasTurn = next.hasTurn
            candidate.steps[index].isOwn = candidate.steps[index].isOwn || next.isOwn
            if try attempt(candidate) { isSmaller = true } else { index += 1 }
        }
        return isSmaller
    }

    private mutating func removeTurns() throws -> Bool {
        var isSmaller = false
        for index in draft.steps.indices where draft.steps[index].hasTurn {
            var candidate = draft
            candidate.steps[index].hasTurn = false
            if try attempt(candidate) { isSmaller = true }
        }
        return isSmaller
    }

    private mutating func removeChanges() throws -> Bool {
        var isSmaller = false
        for index in draft.steps.indices {
            for part in draft.steps[index].changes.indices {
                let isPartSmaller = try leaveOut {
                    $0.steps[index].changes[part].count
                } _: { draft, range in
                    draft.steps[index].changes[part] = draft.steps[index].changes[part].leavingOut(range)
                }
                if isPartSmaller { isSmaller = true }
            }
        }
        return isSmaller
    }
}

extension ChangeSet {
    /// Returns the changes without those at positions of ``all``.
    fileprivate func leavingOut(_ positions: Range<Int>) -> ChangeSet {
        let leftOut = Set(all[positions].map(\.object))
        return filter { !leftOut.contains($0.object) }
    }
}
