/// The numbers of an object's registrations by observer and key path, by which one of many is found when it is removed by name. Made
/// when it is first needed.
struct NamedNumbers {
    private var numbers: [NamedObservation.Identity: [Int]]?

    /// Adds a registration, if the numbers are made and it is one by name.
    mutating func add(_ registration: KeyValueRegistration, _ number: Int) {
        guard numbers != nil, let named = registration as? NamedObservation else { return }
        numbers?[named.identity, default: []].append(number)
    }

    /// Removes a registration, if the numbers are made and it is one by name.
    mutating func remove(_ registration: KeyValueRegistration) {
        guard numbers != nil, let named = registration as? NamedObservation else { return }
        let identity = named.identity
        guard var left = numbers?.removeValue(forKey: identity) else { return }
        left.removeAll { $0 == registration.number }
        if !left.isEmpty { numbers?[identity] = left }
    }

    /// Returns the numbers of the registrations of an observer for a key path, in order. O(1), after the first call.
    mutating func all(
        of identity: NamedObservation.Identity, in registrations: OrderedEntries<KeyValueRegistration>
    ) -> [Int] {
        if numbers == nil {
            numbers = [:]
            registrations.forEach { add($0, $0.number) }
        }
        return numbers?[identity] ?? []
    }
}
