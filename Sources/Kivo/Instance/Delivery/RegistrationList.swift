/// Registrations in the order in which they were made. Adding one is O(1), removing one O(log n), amortised.
struct RegistrationList {
    private struct Place {
        let order: Int
        /// Nil once it was removed: the place stays until half of them are empty.
        var registration: Registration?
    }

    private var places: [Place] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a registration that was made after all that are here.
    mutating func append(_ registration: Registration) {
        places.append(Place(order: registration.order, registration: registration))
        count += 1
    }

    /// Removes a registration; false if it is not here.
    mutating func remove(_ registration: Registration) -> Bool {
        let index = places.partitionPoint { $0.order < registration.order }
        guard index < places.count, places[index].registration === registration else { return false }
        places[index].registration = nil
        count -= 1
        if places.count > 2 * count { places.removeAll { $0.registration == nil } }
        return true
    }

    /// The registrations as they are now.
    var all: some Swift.Sequence<Registration> { places.lazy.compactMap { $0.registration } }
}
