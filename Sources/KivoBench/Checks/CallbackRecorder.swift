/// A recorder of the observers whose callbacks ran, by their numbers.
final class CallbackRecorder {
    private let name: String
    private var numbers: [Int] = []

    init(_ name: String, observers: Int) {
        self.name = name
        numbers.reserveCapacity(observers)
    }

    func add(_ number: Int) { numbers.append(number) }

    /// Traps unless exactly those observers were notified since the last check, each once.
    func take(_ expected: some Sequence<Int>) {
        let notified = numbers.sorted()
        expect(
            notified.elementsEqual(expected),
            "\(name): \(notified.count) callbacks, not those that had to come")
        numbers.removeAll(keepingCapacity: true)
    }
}
