/// The realm instances of a store, in the order of their insertion. Adding and removing one takes O(1), amortized.
struct InstanceList: Sendable {
    /// A realm instance, as other threads may hold it.
    struct Instance: Sendable {
        var confinement: Confinement
        var handle: InstanceHandle
    }

    /// The instances in order, with gaps where others were removed.
    private var places: [Instance?] = []
    private var indexes: [ObjectIdentifier: Int] = [:]

    var count: Int { indexes.count }
    var isEmpty: Bool { indexes.isEmpty }

    mutating func add(_ handle: InstanceHandle, _ confinement: Confinement) {
        indexes[ObjectIdentifier(handle)] = places.count
        places.append(Instance(confinement: confinement, handle: handle))
    }

    /// Removes an instance, if it is one of these.
    mutating func remove(_ handle: InstanceHandle) {
        guard let index = indexes.removeValue(forKey: ObjectIdentifier(handle)) else { return }
        places[index] = nil
        while case .some(nil) = places.last { places.removeLast() }
        guard places.count > 32, places.count > 2 * count else { return }
        places.removeAll { $0 == nil }
        for (index, instance) in places.enumerated() { indexes[ObjectIdentifier(instance!.handle)] = index }
    }
}

extension InstanceList: Sequence {
    func makeIterator() -> some IteratorProtocol<Instance> { places.lazy.compactMap(\.self).makeIterator() }
}
