/// The realm instances of a store, in the order of their insertion. Adding and removing one takes O(1), amortized.
struct InstanceList: Sendable {
    /// A realm instance, as other threads may hold it.
    struct Instance: Sendable {
        var confinement: Confinement
        var handle: InstanceHandle
    }

    /// The instances in order, with gaps where others were removed.
    private var slots: [Instance?] = []
    private var indexes: [ObjectIdentifier: Int] = [:]

    var count: Int { indexes.count }
    var isEmpty: Bool { indexes.isEmpty }

    mutating func add(_ handle: InstanceHandle, _ confinement: Confinement) {
        indexes[ObjectIdentifier(handle)] = slots.count
        slots.append(Instance(confinement: confinement, handle: handle))
    }

    /// Removes an instance, if it is one of these.
    mutating func remove(_ handle: InstanceHandle) {
        guard let index = indexes.removeValue(forKey: ObjectIdentifier(handle)) else { return }
        slots[index] = nil
        while case .some(nil) = slots.last { slots.removeLast() }
        guard slots.count > 32, slots.count > 2 * count else { return }
        slots.removeAll { $0 == nil }
        for (index, instance) in slots.enumerated() { indexes[ObjectIdentifier(instance!.handle)] = index }
    }
}

extension InstanceList: Sequence {
    func makeIterator() -> some IteratorProtocol<Instance> { slots.lazy.compactMap(\.self).makeIterator() }
}
