extension ResolvedPath {
    /// Returns the value of a path that leads to at most one value, or nil if a link on the way is null.
    @inline(__always)
    package func cell(_ snapshot: Snapshot, _ row: Row) -> Cell? {
        if hops.isEmpty, case .column(let column, let kind) = end {
            return row.leaf.column(column).cell(row.slot, kind)
        }
        return linkedCell(snapshot, row)
    }

    private func linkedCell(_ snapshot: Snapshot, _ row: Row) -> Cell? {
        var value: Cell?
        _ = forEach(snapshot, row) { cell in
            value = cell
            return false
        }
        return value
    }

    /// Calls `body` with each value of a row until it returns false. Returns false if `body` returned false.
    package func forEach(_ snapshot: Snapshot, _ row: Row, _ body: (Cell) -> Bool) -> Bool {
        hops[...].forEachRow(snapshot, row) { end.forEach(snapshot, $0, body) }
    }
}

extension ResolvedPath.End {
    /// The null that replaces a value after a null link.
    var unreached: Cell {
        switch self {
        case .column(_, .link), .entry(_, .link), .object: .link(0)
        case .column, .entry, .elements, .position, .nested: .null
        }
    }

    /// Calls `body` with each value of a row at the end of the path until it returns false. Returns false if `body` returned
    /// false.
    fileprivate func forEach(_ snapshot: Snapshot, _ row: Row, _ body: (Cell) -> Bool) -> Bool {
        switch self {
        case .nested(let end, let steps, let tables):
            return end.forEach(snapshot, row) { tables.forEach($0, steps[...], snapshot, body) }
        case .column(let column, let kind): return body(row.leaf.column(column).cell(row.slot, kind))
        case .object: return body(.link(row.key))
        case .entry(let entry, let element):
            // A missing key reads like a null value.
            return body(entry.cell(row, element) ?? unreached)
        case .position(let column, let element, let index):
            let sequence = row.sequence(column, element)
            let position = index < 0 ? sequence.count + index : index
            return body(position >= 0 && position < sequence.count ? sequence.cell(at: position) : .null)
        case .elements(let column, let element):
            var continues = true
            row.sequence(column, element).forEachRun { elements, range in
                for index in 0..<range.count where continues {
                    continues = body(element.load(elements + index * element.stride))
                }
                return continues
            }
            return continues
        }
    }
}

extension ArraySlice<ResolvedPath.Hop> {
    /// Calls `body` with each row that the hops lead to until it returns false. Returns false if `body` returned false.
    func forEachRow(_ snapshot: Snapshot, _ row: Row, _ body: (Row) -> Bool) -> Bool {
        guard let hop = first else { return body(row) }
        let rest = dropFirst()
        let table = snapshot.table(hop.target)
        return hop.forEachTarget(snapshot, row) { key in
            guard let next = table.row(key) else { return true }
            return rest.forEachRow(snapshot, next, body)
        }
    }
}

extension ResolvedPath.Hop {
    /// Calls `body` with each object that the hop leads to from a row until it returns false. Returns false if `body` returned
    /// false. An element of a collection is passed once per occurrence; an origin is passed once, however often it refers to the
    /// row.
    func forEachTarget(_ snapshot: Snapshot, _ row: Row, _ body: (ObjectKey) -> Bool) -> Bool {
        switch self {
        case .link(let column, _):
            let key = ObjectKey(bitPattern: row.leaf.column(column).word(row.slot))
            return key == 0 || body(key)
        case .entry(let entry, _):
            guard let key = entry.cell(row, .link)?.linkKey, key != 0 else { return true }
            return body(key)
        case .elements(let column, _):
            return row.sequence(column, .link).forEachLinkWhile({ $0 == 0 || body($0) })
        case .anyLink(let column, let target):
            guard let link = AnySlot(row.leaf.column(column).data, row.slot).link, link.table == target else {
                return true
            }
            return body(link.key)
        case .anyElements(let column, let target):
            var continues = true
            row.sequence(column, .any).forEachAnyLink { link in
                if continues, link.table == target { continues = body(link.key) }
            }
            return continues
        case .origins(let origins):
            var last: ObjectKey = 0
            return snapshot.backlinks(origins.backlinks, of: row.key).forEachWhile({ key in
                if key == last { return true }
                last = key
                return body(key)
            })
        }
    }
}

/// Paths to collections, for aggregates and subqueries. Each object that has such a collection is an owner and yields a value of
/// its own.
extension ResolvedPath {
    /// A Boolean value that indicates whether the path ends at a collection or at the origins of an object.
    package var isCollection: Bool {
        switch end {
        case .elements: true
        case .column, .entry, .position, .nested: false
        case .object: if case .origins? = hops.last { true } else { false }
        }
    }

    /// The hops to the owners.
    var ownerHops: ArraySlice<Hop> {
        if case .object = end { hops.dropLast() } else { hops[...] }
    }

    /// Returns the number of elements of an owner.
    func elementCount(_ snapshot: Snapshot, _ owner: Row) -> Int {
        switch (end, hops.last) {
        case (.elements(let column, let element), _): owner.sequence(column, element).count
        case (_, .origins(let origins)?): snapshot.backlinks(origins.backlinks, of: owner.key).count
        default: 0
        }
    }

    /// Calls `body` with each row among the elements of an owner, once for each occurrence. Counts and sums need every
    /// occurrence, whereas conditions need each row only once.
    func forEachElement(_ snapshot: Snapshot, _ owner: Row, _ body: (Row) -> Void) {
        guard let target else { return }
        let table = snapshot.table(target)
        let follow = { (key: ObjectKey) in
            if key != 0, let row = table.row(key) { body(row) }
        }
        switch (end, hops.last) {
        case (.elements(let column, _), _): owner.sequence(column, .link).forEachLink(follow)
        case (_, .origins(let origins)?):
            snapshot.backlinks(origins.backlinks, of: owner.key).forEach(follow)
        default: break
        }
    }
}
