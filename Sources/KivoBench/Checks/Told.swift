/// A recorder of notified observers, each of which has a number.
final class Told {
    private let name: String
    private var numbers: [Int] = []

    init(_ name: String, observers: Int) {
        self.name = name
        numbers.reserveCapacity(observers)
    }

    func add(_ number: Int) { numbers.append(number) }

    /// Traps unless exactly those observers were notified since the last check, each once.
    func take(_ expected: some Sequence<Int>) {
        let told = numbers.sorted()
        expect(told.elementsEqual(expected), "\(name): \(told.count) callbacks, not those that had to come")
        numbers.removeAll(keepingCapacity: true)
    }
}
