import KivoEngine

/// Each call is one change for key-value observers of the property, even if it changes nothing.
extension MutableSet {
    /// Makes a change in either kind of storage, as one change for key-value observers.
    private func change(
        unmanaged: (inout [Element]) -> Void, managed: (WriteTransaction, CollectionReference) -> Void
    ) {
        if let reference { return reference.change(.wholesale) { managed($0, reference) } }
        parent.changing(.wholesale) {
            // Not read earlier, because an observer that is notified before the change may have changed the set.
            guard case .unmanaged(var elements) = storage else { return }
            storage = .unmanaged([])
            unmanaged(&elements)
            storage = .unmanaged(elements)
        }
    }

    /// Returns the cells of elements to insert. Adds unmanaged objects to the realm. Traps outside of a write.
    private func cells(_ elements: [Element]) -> [Cell] {
        if Element.self == AnyRealmValue.self { for element in elements { Self.checkElement(element) } }
        guard let reference else { return [] }
        _ = reference.requireTransaction()
        return elements.map { $0.cell(in: reference.context) }
    }

    /// Traps if the element is a list or dictionary as a value of any type.
    static func checkElement(_ element: Element) {
        guard let value = element as? AnyRealmValue, value.isContainer else { return }
        trap("A set of 'AnyRealmValue' holds no lists and dictionaries: use a list for them, or a map.")
    }

    private static func insert(
        _ cells: [Cell], _ transaction: WriteTransaction, _ reference: CollectionReference
    ) {
        for cell in cells {
            reference.checkElement(cell)
            let (position, isEqual) = reference.sequence.lowerBound(cell)
            if !isEqual { transaction.insertElement(cell, at: position, into: reference.id) }
        }
    }

    /// Inserts an element, unless it is in the set.
    ///
    /// - Complexity: O(log n) in a managed set, O(n) in an unmanaged one.
    /// - Precondition: A managed set is in a write transaction. No element is a list or dictionary in an ``AnyRealmValue``.
    public func insert(_ element: Element) {
        if let reference, reference.insertDirectly(element) { return }
        insert(objectsIn: CollectionOfOne(element))
    }

    /// Inserts the elements of a sequence that are not in the set.
    ///
    /// - Complexity: O(k log n) in a managed set, O(k · n) in an unmanaged one; k is the number of given elements.
    /// - Precondition: A managed set is in a write transaction. No element is a list or dictionary in an ``AnyRealmValue``.
    public func insert<S: Swift.Sequence>(objectsIn objects: S) where S.Element == Element {
        let objects = Array(objects)
        let cells = cells(objects)
        change { elements in
            for object in objects where elements.firstIndex(same: object) == nil { elements.append(object) }
        } managed: { transaction, reference in
            Self.insert(cells, transaction, reference)
        }
    }

    /// Removes an element, if it is in the set.
    ///
    /// - Complexity: O(log n) in a managed set, O(n) in an unmanaged one.
    /// - Precondition: A managed set is in a write transaction.
    public func remove(_ element: Element) {
        removeElements(existingCells([element])) { elements in
            [elements.firstIndex(same: element)].compactMap { $0 }
        } positions: {
            Array($0)
        }
    }

    /// Removes all elements.
    ///
    /// - Complexity: O(n).
    /// - Precondition: A managed set is in a write transaction.
    public func removeAll() {
        change {
            $0 = []
        } managed: { transaction, reference in
            transaction.removeAllElements(from: reference.id)
        }
    }

    /// Returns the cells of those elements that a managed set can contain. They are made before a change, because code of the app
    /// may convert the elements. Traps outside of a write.
    private func existingCells(_ elements: @autoclosure () -> [Element]) -> [Cell] {
        guard let reference else { return [] }
        _ = reference.requireTransaction()
        return elements().compactMap { reference.existingCell($0) }
    }

    /// Removes elements. `unmanaged` returns the ascending positions to remove from an unmanaged set. `positions` returns those
    /// to remove from a managed set, from the positions at which some cells were found.
    private func removeElements(
        isAssignment: Bool = false, _ cells: [Cell], unmanaged: ([Element]) -> [Int],
        positions: (_ found: [Int]) -> [Int]
    ) {
        change { elements in
            for position in unmanaged(elements).reversed() { elements.remove(at: position) }
        } managed: { transaction, reference in
            let sequence = reference.sequence
            let found = cells.compactMap { cell in
                let (position, isEqual) = sequence.lowerBound(cell)
                return isEqual ? position : nil
            }
            for position in positions(Set(found).sorted()).reversed() {
                transaction.removeElement(at: position, from: reference.id)
            }
            if isAssignment { transaction.touch(reference.id) }
        }
    }

    /// Returns whether every element of the set is in another.
    ///
    /// - Complexity: O(n log m) if the other set is managed, O(n · m) if both are unmanaged, O(m log n) if only this one is
    ///   managed; n is the number of elements of this set, m that of the other.
    public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
        if reference == nil || possibleSuperset.reference != nil {
            return allSatisfy { possibleSuperset.contains($0) }
        }
        return positions(of: possibleSuperset, in: nil).count == count
    }

    /// Returns whether the set has an element in common with another.
    ///
    /// - Complexity: O(m log n) if this set is managed, O(n log m) if only the other is, otherwise O(n · m); n is the number of
    ///   elements of this set, m that of the other.
    public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
        !positions(of: otherSet, in: reference == nil ? contents : nil).isEmpty
    }

    /// Returns the ascending positions of the elements that are also in another set. Searches the given elements or, if none are
    /// given, a managed set, where objects are compared by row.
    private func positions(of other: MutableSet<Element>, in elements: [Element]?) -> [Int] {
        if let elements {
            // While the set itself is being changed, these are its elements.
            return elements.indices.filter { other === self || other.contains(elements[$0]) }
        }
        return Set(other.contents.compactMap { index(of: $0) }).sorted()
    }

    /// Removes the elements that are not in another set. Counts as a change of the property even if no element is removed, also
    /// for observers in other realm instances: all elements are assigned.
    ///
    /// - Complexity: O((n + m) log n) in a managed set, O(n · (n + m)) in an unmanaged one; m is the number of elements of the
    ///   other set.
    /// - Precondition: A managed set is in a write transaction.
    public func formIntersection(_ other: MutableSet<Element>) {
        func others(than kept: [Int], _ count: Int) -> [Int] {
            let kept = Set(kept)
            return (0..<count).filter { !kept.contains($0) }
        }
        removeElements(isAssignment: true, existingCells(other.contents)) { elements in
            others(than: positions(of: other, in: elements), elements.count)
        } positions: {
            others(than: $0, count)
        }
    }

    /// Removes the elements that are in another set.
    ///
    /// - Complexity: O(m log n) in a managed set, O(n · m) in an unmanaged one; m is the number of elements of the other set.
    /// - Precondition: A managed set is in a write transaction.
    public func subtract(_ other: MutableSet<Element>) {
        removeElements(existingCells(other.contents)) {
            positions(of: other, in: $0)
        } positions: {
            $0
        }
    }

    /// Inserts the elements of another set.
    ///
    /// - Complexity: O(m log(n + m)) in a managed set, O(m · (n + m)) in an unmanaged one; m is the number of elements of the
    ///   other set.
    /// - Precondition: A managed set is in a write transaction. No element is a list or dictionary in an ``AnyRealmValue``.
    public func formUnion(_ other: MutableSet<Element>) { insert(objectsIn: other.contents) }

    /// Assigns the elements of another set, which may be this one.
    @usableFromInline
    func assign(_ other: MutableSet) {
        if self == other {
            return change { _ in
            } managed: { _, _ in
            }
        }
        let new = other.contents
        let cells = cells(new)
        change {
            $0 = new
        } managed: { transaction, reference in
            transaction.removeAllElements(from: reference.id)
            Self.insert(cells, transaction, reference)
        }
    }
}

/// Edits by code that knows only the kind of the collection.
extension MutableSet {
    package func member(_ value: Any) -> Any? {
        guard let element = (value as? Element) ?? Element.element(from: value) else { return nil }
        return index(of: element).map { self[$0] }
    }

    package func edit(_ edit: CollectionEdit) {
        guard case .members(let kind, let values) = edit else { trapWrongKind() }
        guard let other = MutableSet.fromAny(values) else {
            trap("\(values) are no elements of a set of '\(Element.self)'.")
        }
        switch kind {
        case .union: formUnion(other)
        case .minus: subtract(other)
        case .intersect: formIntersection(other)
        default: assign(other)
        }
    }
}
