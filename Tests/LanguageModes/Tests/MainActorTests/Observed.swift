import Foundation
import Kivo

/// A class without a base class belongs to the main actor, and so does its conformance.
class Meter: KeyValueObservable {
    @Observed var celsius = 20.0
    var fahrenheit: Double { celsius * 9 / 5 + 32 }
}

final class Panel: KeyValueObserver {
    var seen: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        seen.append(keyPath!)
    }
}

/// A view model over a realm.
final class KennelModel {
    private let dogs: Results<Dog>
    private var token: NotificationToken?
    private(set) var names: [String] = []

    init(_ realm: Realm) {
        dogs = realm.objects(Dog.self)
        token = dogs.observe { [weak self] _ in self?.update() }
    }

    private func update() { names = dogs.map(\.name) }
}

class Invoice: KeyValueObject {
    @Observed var prices: [Int] = []
    var total: Int { prices.reduce(0, +) }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "total" ? ["prices"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}

/// An operation that executes by `main()`.
final class Sum: KeyValueOperation, NonisolatedObservable, @unchecked Sendable {
    @Observed var result = 0
    override func main() { result = 3 }
}

/// An asynchronous operation.
final class Fetch: KeyValueOperation, NonisolatedObservable, @unchecked Sendable {
    @Observed private var state = 0
    override var isExecuting: Bool { state == 1 }
    override var isFinished: Bool { state == 2 }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        ["isExecuting", "isFinished"].contains(key)
            ? ["state"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }

    override func start() {
        state = 1
        DispatchQueue.global().async { self.state = 2 }
    }
}

/// A plain operation of Foundation.
final class Upload: Operation, NonisolatedObservable, @unchecked Sendable {
    @Observed var fraction = 0.0
    override func main() { fraction = 1 }
}
