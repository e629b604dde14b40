import KivoEngine

/// Changes of one element that take no other work: a write is open on this thread, the owner has no observers, and no code of the
/// app runs. They are what loops of the app consist of, and skip what the general changes prepare: arrays of cells, closures for
/// observers, and checks after code of the app.
///
/// Each returns false, without an effect, if the general change is necessary, which also explains misuse.
extension CollectionReference {
    /// Appends an element to a list.
    @inline(__always)
    func appendDirectly<Element: RealmCollectionValue>(_ element: Element) -> Bool {
        guard storesDirectly(Element.self) else { return appendLinkDirectly(element) }
        guard canChangeDirectly else { return false }
        return instance.withOpenTransaction { transaction in
            guard transaction.appendElement(element.cell(in: context), to: id) else { return false }
            reader.pointee.mutations &+= 1
            return true
        }
    }

    /// Appends a managed object to a list that does not own its elements.
    private func appendLinkDirectly<Element: RealmCollectionValue>(_ element: Element) -> Bool {
        guard let elements = context.elements, !property.isOwning, Element.self is ObjectBase.Type else {
            return false
        }
        let object = unsafeDowncast(element as AnyObject, to: ObjectBase.self)
        guard object.isManaged, object.kivoInstance === instance, object.kivoContext === elements,
            canChangeDirectly, object.locate()
        else { return false }
        let key = object.kivoRow.key
        return changeDirectly { $0.insertElement(.link(key), at: $1.count, into: id) }
    }

    /// Inserts an element into a set, unless it is there.
    @inline(__always)
    func insertDirectly<Element: RealmCollectionValue>(_ element: Element) -> Bool {
        guard storesDirectly(Element.self), canChangeDirectly else { return false }
        let cell = element.cell(in: context)
        return changeDirectly { transaction, sequence in
            let (position, isEqual) = sequence.lowerBound(cell)
            if !isEqual { transaction.insertElement(cell, at: position, into: id) }
        }
    }

    /// Whether elements are plain values, whose type stores them as they are.
    @inline(__always)
    func storesDirectly<Element: RealmCollectionValue>(_ type: Element.Type) -> Bool {
        holdsValues && !Element.isConvertedElement
    }

    /// Whether a write is open on this thread, and the owner has no observers.
    @inline(__always)
    var canChangeDirectly: Bool {
        reader.pointee.writer != 0 && reader.pointee.thread == ThreadIdentity.currentNumber
            && !instance.isInvalidated(creationGeneration) && isOwnerUnobserved
    }

    /// Makes a change of the current elements, if the owner is not deleted.
    ///
    /// - Precondition: ``canChangeDirectly``.
    @inline(__always)
    func changeDirectly(_ body: (WriteTransaction, PersistentSequence) -> Void) -> Bool {
        instance.withOpenTransaction { transaction in
            guard let (leaf, slot) = transaction.table(id.table).locate(id.key) else { return false }
            body(transaction, leaf.column(id.column).sequence(slot, element))
            reader.pointee.mutations &+= 1
            return true
        }
    }

    /// Whether the owner has no observers. The result is cached per generation, which changes when an observer is added in a
    /// write.
    @inline(__always)
    private var isOwnerUnobserved: Bool {
        if unobserved == reader.pointee.generation { return true }
        if instance.rowNotifier.contains(id.table, id.key) { return false }
        unobserved = reader.pointee.generation
        return true
    }
}

extension MapReference {
    /// Sets the value of a key.
    @inline(__always)
    func putDirectly<Value: RealmCollectionValue>(_ value: Value, _ key: String) -> Bool {
        guard values.storesDirectly(Value.self), keys.canChangeDirectly, MapReference.isAllowed(key) else {
            return false
        }
        let cell = value.cell(in: values.context)
        return keys.changeDirectly { transaction, sequence in
            let (position, isEqual) = sequence.lowerBound(.string(key))
            if isEqual { return transaction.replaceElement(cell, at: position, in: values.id) }
            transaction.insertElement(.string(key), at: position, into: keys.id)
            transaction.insertElement(cell, at: position, into: values.id)
        }
    }
}
