import Foundation
import KivoEngine

extension List {
    /// Makes a change in either kind of storage, as one change for key-value observers.
    ///
    /// - Parameter count: The number of elements, if the caller knows it.
    private func change(
        _ kind: CollectionChangeKind, of count: Int? = nil, unmanaged: (inout [Element]) -> Void,
        managed: (WriteTransaction, CollectionReference) -> Void
    ) {
        let count = count ?? self.count
        if let reference {
            return reference.change(kind) {
                checkUnchanged(count)
                managed($0, reference)
            }
        }
        parent.changing(kind) {
            checkUnchanged(count)
            var elements: [Element] = []
            swap(&elements, &self.unmanaged)
            unmanaged(&elements)
            self.unmanaged = elements
        }
    }

    /// Traps if the list's size differs from the one at the announcement of a change.
    private func checkUnchanged(_ count: Int) {
        if self.count == count { return }
        trap("A list was changed inside of a notification before another change of it.")
    }

    /// Appends an element.
    ///
    /// - Complexity: O(log n) in a managed list, amortized O(1) in an unmanaged one.
    /// - Precondition: A managed list is in a write transaction.
    @inlinable
    public func append(_ object: Element) {
        if reference != nil { return appendManaged(object) }
        let end = unmanaged.count
        parent.changing(.insertion(end..<end + 1)) { unmanaged.append(object) }
    }

    @usableFromInline
    func appendManaged(_ object: Element) {
        if let reference, reference.appendDirectly(object) { return }
        if Element.isConvertedElement, let cells = reference?.convertedCells([object]) {
            return insert(cells, at: count)
        }
        insert(object, at: count)
    }

    /// Inserts elements whose cells were made earlier.
    private func insert(_ cells: [Cell], at index: Int) {
        check(index, upTo: count + 1)
        if cells.isEmpty { return }
        change(.insertion(index..<index + cells.count)) { _ in
        } managed: { transaction, reference in
            cells.forEach(reference.checkElement)
            transaction.insertElements(cells, at: index, into: reference.id)
        }
    }

    /// Appends the elements of a sequence; does nothing if it is empty.
    ///
    /// - Complexity: O(k + log n) in a managed list, amortized O(k) in an unmanaged one; k is the number of new elements.
    /// - Precondition: A managed list is in a write transaction.
    @inlinable
    public func append<S: Swift.Sequence>(objectsIn objects: S) where S.Element == Element {
        append(Array(objects))
    }

    @usableFromInline
    func append(_ objects: [Element]) {
        if let cells = reference?.convertedCells(objects) { return insert(cells, at: count) }
        insert(objects, at: count)
    }

    /// Inserts an element before a position, 0 ... count.
    ///
    /// - Complexity: O(log n) in a managed list, O(n) in an unmanaged one.
    /// - Precondition: `index` is in 0 ... count. A managed list is in a write transaction.
    public func insert(_ object: Element, at index: Int) {
        let count = count
        check(index, upTo: count + 1)
        if Element.isConvertedElement, let cells = reference?.convertedCells([object]) {
            return insert(cells, at: index)
        }
        change(.insertion(index..<index + 1), of: count) {
            $0.insert(object, at: index)
        } managed: { transaction, reference in
            transaction.insertElement(reference.cell(object, transaction), at: index, into: reference.id)
        }
    }

    /// Inserts the elements of a collection before a position, 0 ... count; does nothing if the collection is empty.
    ///
    /// - Complexity: O(k + log n) in a managed list, O(n + k) in an unmanaged one; k is the number of new elements.
    /// - Precondition: `index` is in 0 ... count. A managed list is in a write transaction.
    @inlinable
    public func insert<C: Swift.Collection>(contentsOf objects: C, at index: Int) where C.Element == Element {
        // A copy: a slice of this list would change with the list.
        insert(Array(objects), at: index)
    }

    @usableFromInline
    func insert(_ objects: [Element], at index: Int) {
        check(index, upTo: count + 1)
        guard !objects.isEmpty else { return }
        if let cells = reference?.convertedCells(objects) { return insert(cells, at: index) }
        change(.insertion(index..<index + objects.count)) {
            $0.insert(contentsOf: objects, at: index)
        } managed: { transaction, reference in
            reference.insert(objects, at: index, transaction)
        }
    }

    /// Removes the element at a position. The object it refers to is not deleted, unless it is embedded.
    ///
    /// - Complexity: O(log n) in a managed list, O(n) in an unmanaged one.
    /// - Precondition: `index` is in 0 ..< count. A managed list is in a write transaction.
    public func remove(at index: Int) {
        check(index, upTo: count)
        removeElements([index])
    }

    /// Removes the elements at some positions.
    private func removeElements(_ positions: Positions) {
        guard !positions.isEmpty else { return }
        guard let reference, reference.property.endsRows else {
            return change(.removal(positions)) {
                $0.remove(at: positions)
            } managed: { transaction, reference in
                reference.remove(positions, transaction)
            }
        }
        let sequence = reference.sequence
        reference.change(.removal(positions), ending: positions.array.map { sequence.cell(at: $0) }) {
            reference.remove(positions, $0)
        }
    }

    /// Removes all elements. The objects they refer to are not deleted, unless they are embedded.
    ///
    /// - Complexity: O(n).
    /// - Precondition: A managed list is in a write transaction.
    public func removeAll() {
        if let reference { return reference.removeAllElements() }
        let count = count
        if count == 0 { return }
        change(.removal(.range(0..<count))) {
            $0.removeAll()
        } managed: { _, _ in
        }
    }

    /// Removes the first elements.
    ///
    /// - Complexity: O(k + log n) in a managed list, O(n) in an unmanaged one; k is the number of removed elements.
    /// - Precondition: The list has at least `number` elements. A managed list is in a write transaction.
    public func removeFirst(_ number: Int = 1) {
        check(number, upTo: count + 1)
        removeElements(.range(0..<number))
    }

    /// Removes the last elements.
    ///
    /// - Complexity: O(k + log n) in a managed list, O(n) in an unmanaged one; k is the number of removed elements.
    /// - Precondition: The list has at least `number` elements. A managed list is in a write transaction.
    public func removeLast(_ number: Int = 1) {
        check(number, upTo: count + 1)
        removeElements(.range(count - number..<count))
    }

    /// Removes the elements of a range of positions.
    ///
    /// - Complexity: O(k + log n) in a managed list, O(n) in an unmanaged one; k is the number of removed elements.
    /// - Precondition: `bounds` is in 0 ... count. A managed list is in a write transaction.
    public func removeSubrange<Bounds: RangeExpression>(_ bounds: Bounds) where Bounds.Bound == Int {
        let range = bounds.relative(to: indices)
        check(range.lowerBound, upTo: count + 1)
        check(range.upperBound, upTo: count + 1)
        removeElements(.range(range))
    }

    /// Removes the elements at the positions of an index set.
    ///
    /// - Complexity: O(k log n) in a managed list, O(n) in an unmanaged one; k is the number of removed elements. O(k + log n) in
    ///   a managed list if they are adjacent.
    /// - Precondition: The positions are in 0 ..< count. A managed list is in a write transaction.
    public func remove(atOffsets offsets: IndexSet) {
        if let last = offsets.last { check(last, upTo: count) }
        removeElements(Positions(ascending: Array(offsets)))
    }

    /// Replaces the element at a position, even by an equal one. Deletes an embedded object that was at the position.
    ///
    /// - Complexity: O(log n) in a managed list, O(1) in an unmanaged one.
    /// - Precondition: `index` is in 0 ..< count. A managed list is in a write transaction.
    public func replace(index: Int, object: Element) {
        check(index, upTo: count)
        if Element.self == AnyRealmValue.self, let reference, let value = object as? AnyRealmValue {
            return reference.replaceAny(value, at: index)
        }
        if Element.isConvertedElement, let reference, let cells = reference.convertedCells([object]) {
            return replace(at: index, by: cells[0], reference)
        }
        guard let reference, reference.property.isOwning else {
            return change(.replacement([index])) {
                $0[index] = object
            } managed: { transaction, reference in
                transaction.replaceElement(reference.cell(object, transaction), at: index, in: reference.id)
            }
        }
        replace(
            at: index, by: reference.cell(object, keeping: reference.sequence.cell(at: index)), reference)
    }

    /// Replaces an element by one whose cell was made earlier.
    private func replace(at index: Int, by cell: Cell, _ reference: CollectionReference) {
        check(index, upTo: count)
        let held = reference.sequence.cell(at: index)
        reference.change(.replacement([index]), ending: cell == held ? [] : [held]) {
            check(index, upTo: count)
            reference.checkElement(cell)
            $0.replaceElement(cell, at: index, in: reference.id)
        }
    }

    /// Replaces the elements of a range of positions by others.
    ///
    /// - Complexity: O(k + m + log n) in a managed list, O(n + m) in an unmanaged one; k is the number of removed elements, m
    ///   that of new ones.
    /// - Precondition: `bounds` is in 0 ... count. A managed list is in a write transaction.
    public func replaceSubrange<C: Swift.Collection, Bounds: RangeExpression>(
        _ bounds: Bounds, with newElements: C
    ) where C.Element == Element, Bounds.Bound == Int {
        let range = bounds.relative(to: indices)
        // A copy: a slice of this list would change with the list.
        let newElements = Array(newElements)
        removeSubrange(range)
        insert(contentsOf: newElements, at: range.lowerBound)
    }

    /// Moves an element from one position to another, which is its position after the move.
    ///
    /// - Complexity: O(log n) in a managed list, O(n) in an unmanaged one.
    /// - Precondition: Both positions are in 0 ..< count. A managed list is in a write transaction.
    public func move(from source: Int, to destination: Int) {
        check(source, upTo: count)
        check(destination, upTo: count)
        guard source != destination else { return }
        let span = Swift.min(source, destination)..<Swift.max(source, destination) + 1
        change(.replacement(.range(span))) {
            $0.insert($0.remove(at: source), at: destination)
        } managed: { transaction, reference in
            transaction.moveElement(from: source, to: destination, in: reference.id)
        }
    }

    /// Moves the elements at offsets, in their order, before the element that is currently at another offset (0 ... count), like
    /// list views.
    ///
    /// - Complexity: O(k log n) in a managed list, O(k · n) in an unmanaged one; k is the number of moved elements.
    /// - Precondition: The offsets are in 0 ..< count, and `destination` is in 0 ... count. A managed list is in a write
    ///   transaction.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        check(destination, upTo: count + 1)
        if let last = offsets.last { check(last, upTo: count) }
        var target = destination
        // From the back, each element before the target moves up to it and pushes the target down.
        for offset in offsets.filter({ $0 < destination }).reversed() {
            target -= 1
            move(from: offset, to: target)
        }
        target = destination
        for offset in offsets where offset >= destination {
            move(from: offset, to: target)
            target += 1
        }
    }

    /// Exchanges two elements.
    ///
    /// - Complexity: O(log n) in a managed list, O(1) in an unmanaged one.
    /// - Precondition: Both positions are in 0 ..< count. A managed list is in a write transaction.
    public func swapAt(_ index1: Int, _ index2: Int) {
        check(index1, upTo: count)
        check(index2, upTo: count)
        guard index1 != index2 else { return }
        change(.replacement([Swift.min(index1, index2), Swift.max(index1, index2)])) {
            $0.swapAt(index1, index2)
        } managed: { transaction, reference in
            transaction.swapElements(index1, index2, in: reference.id)
        }
    }

    /// Assigns the elements of another list. Observers receive a removal and an insertion, unless these are empty. A list that is
    /// assigned to itself is unchanged, and its observers are notified of an assignment.
    @usableFromInline
    func assign(_ other: List) {
        if self == other, self === other || reference != nil {
            return change(.wholesale) { _ in
            } managed: { _, _ in
            }
        }
        let elements = other.contents
        removeAll()
        // An observer may have deleted the owner.
        if !isInvalidated { append(objectsIn: elements) }
    }
}

/// Edits by code that knows only the kind of the collection.
extension List {
    private func elements(_ values: [Any]) -> [Element] {
        values.map { value in
            guard
                let element = (value as? Element)
                    ?? Element.element(from: value is NSNull ? nil : value)
            else { trap("\(RefusedValue(value)) is no element of a list of '\(Element.self)'.") }
            return element
        }
    }

    package func member(_ value: Any) -> Any? { trapWrongKind() }

    package func edit(_ edit: CollectionEdit) {
        switch edit {
        case .elements(.insertion, let positions, let values): insert(elements(values), at: positions)
        case .elements(.removal, let positions, _): removeElements(Positions(ascending: positions))
        case .elements(_, let positions, let values): replace(positions, with: elements(values))
        case .allElements(let values): replaceAll(elements(values))
        case .members: trapWrongKind()
        }
    }

    private func replaceAll(_ elements: [Element]) {
        if let reference, reference.property.isOwning { return replaceSubrange(0..<count, with: elements) }
        change(.wholesale) {
            $0 = elements
        } managed: { transaction, reference in
            let cells = reference.cells(elements, transaction)
            transaction.removeAllElements(from: reference.id)
            transaction.insertElements(cells, at: 0, into: reference.id)
        }
    }

    /// Inserts elements at ascending positions, which are those after the change, as one change.
    private func insert(_ elements: [Element], at positions: [Int]) {
        var run: Range<Int>?
        if case .range(let range) = Positions(ascending: positions), range.count == elements.count {
            run = range
        }
        change(.scatteredInsertion(positions)) { stored in
            if let run { return stored.insert(contentsOf: elements, at: run.lowerBound) }
            for (position, element) in zip(positions, elements) { stored.insert(element, at: position) }
        } managed: { transaction, reference in
            if let run { return reference.insert(elements, at: run.lowerBound, transaction) }
            for (position, cell) in zip(positions, reference.cells(elements, transaction)) {
                transaction.insertElement(cell, at: position, into: reference.id)
            }
        }
    }

    /// Replaces the elements at ascending positions, as one change.
    private func replace(_ positions: [Int], with elements: [Element]) {
        if let reference, reference.property.isOwning {
            for (position, element) in zip(positions, elements) { replace(index: position, object: element) }
            return
        }
        change(.replacement(.scattered(positions))) { stored in
            for (position, element) in zip(positions, elements) { stored[position] = element }
        } managed: { transaction, reference in
            for (position, cell) in zip(positions, reference.cells(elements, transaction)) {
                transaction.replaceElement(cell, at: position, in: reference.id)
            }
        }
    }
}
