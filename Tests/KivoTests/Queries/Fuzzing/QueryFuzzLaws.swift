extension QueryFuzz {
    /// Returns the problem with a change, or nil if there is none; `isModified` returns whether a modification is expected of a
    /// new element, or nil if it may be modified.
    static func problem(
        _ old: [Int], _ new: [Int],
        _ change: (deletions: [Int], insertions: [Int], modifications: [Int], current: [Int]),
        hasDuplicates: Bool, isReplacing: Bool, isModified: (Int) -> Bool?
    ) -> String? {
        let (deletions, insertions, modifications, _) = change
        if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty { return "was told of nothing" }
        for (indices, count) in [(deletions, old.count), (insertions, new.count), (modifications, old.count)]
        {
            for (a, b) in zip(indices, indices.dropFirst()) where a >= b { return "indices do not ascend" }
            if let index = indices.first(where: { $0 < 0 || $0 >= count }) {
                return "index \(index) is outside"
            }
        }
        if let both = Set(deletions).intersection(modifications).first {
            return "\(both) is deleted and modified"
        }
        var shown = old
        var marks = old.indices.map { modifications.contains($0) }
        for index in deletions.reversed() {
            shown.remove(at: index)
            marks.remove(at: index)
        }
        for index in insertions {
            guard index <= shown.count else { return "insertion \(index) leaves a gap" }
            shown.insert(new[index], at: index)
            marks.insert(false, at: index)
        }
        guard shown.count == new.count else { return "the counts do not add up" }
        let (inserted, modified) = (Set(insertions), Set(marks.indices.filter { marks[$0] }))
        if modified.sorted() != change.current { return "current modifications are not \(change.current)" }
        for index in new.indices where !inserted.contains(index) {
            let isReplaced = shown[index] != new[index]
            if isReplaced, !isReplacing || !modified.contains(index) { return "\(index) is another element" }
            if isReplaced { continue }
            guard let isExpected = isModified(new[index]) else { continue }
            if isExpected {
                if !modified.contains(index) { return "\(index) is not told to be modified" }
            } else if modified.contains(index), !isReplacing {
                return "\(index) is told to be modified"
            }
        }
        if !hasDuplicates, !isReplacing {
            let fewest = old.count + new.count - 2 * commonCount(old, new)
            if deletions.count + insertions.count > fewest {
                return "\(deletions.count + insertions.count) steps where \(fewest) are enough"
            }
        }
        return nil
    }

    /// The length of a longest common subsequence.
    private static func commonCount(_ a: [Int], _ b: [Int]) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for element in a {
            var diagonal = 0
            for index in b.indices {
                let above = row[index + 1]
                row[index + 1] = element == b[index] ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[b.count]
    }

    /// The events since a version.
    struct Happened {
        private(set) var objects: Set<Int> = []
        private(set) var properties: Set<[Int]> = []
        private(set) var created: Set<Int> = []
        /// The objects that got or lost a referrer.
        private(set) var referred: Set<Int> = []

        init(_ events: ArraySlice<Event>) {
            for event in events {
                switch event {
                case .created(let id): created.insert(id)
                case .referred(let id): referred.insert(id)
                case .assigned(let id, let property):
                    objects.insert(id)
                    properties.insert([id, property])
                }
            }
        }
    }
}

extension QueryFuzz.World {
    /// Whether an object, or one at most three links away, was assigned to.
    func isModified(_ id: Int, _ happened: QueryFuzz.Happened) -> Bool {
        var (near, seen) = ([id], Set([id]))
        for distance in 0...3 {
            if near.contains(where: { happened.objects.contains($0) }) { return true }
            if distance == 3 { break }
            near = near.flatMap { id -> [Int] in
                let row = byID[id]!
                return QueryFuzz.properties(row.type).indices
                    .filter { QueryFuzz.properties(row.type)[$0].origin == nil }
                    .flatMap { targets(row, $0).map(\.id) }
            }.filter { seen.insert($0).inserted }
        }
        return false
    }

    /// Returns whether something that a key path names was assigned. Linking objects at its end count if the link of one
    /// of them was assigned; before its end, only the rest of the path counts. Nil if the object got or lost a referrer: how the
    /// referrals of several commits add up is not in the events.
    func isModified(_ id: Int, _ path: ArraySlice<Int>, _ happened: QueryFuzz.Happened) -> Bool? {
        guard let first = path.first, let row = byID[id] else { return false }
        let property = QueryFuzz.properties(row.type)[first]
        if let origin = property.origin {
            let back = QueryFuzz.index(origin, property.shape.target!)
            let isModified = any(
                targets(row, first).map { other -> Bool? in
                    if happened.created.contains(other.id) { return true }
                    if path.count == 1 { return happened.properties.contains([other.id, back]) }
                    return self.isModified(other.id, path.dropFirst(), happened)
                })
            return isModified == false && happened.referred.contains(id) ? nil : isModified
        }
        if happened.properties.contains([id, first]) { return true }
        return any(targets(row, first).map { isModified($0.id, path.dropFirst(), happened) })
    }

    /// Returns true if a verdict is, nil if one may be, and otherwise false.
    func any(_ verdicts: [Bool?]) -> Bool? {
        verdicts.contains(true) ? true : verdicts.contains(nil) ? nil : false
    }
}
