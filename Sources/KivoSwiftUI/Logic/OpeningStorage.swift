import Kivo

/// The opening of `@AutoOpen`: it begins when the state is first read, happens elsewhere, and ends on the main actor.
@MainActor
package final class OpeningStorage {
    nonisolated package let relay = ChangeRelay()
    private var declared: Realm.Configuration?
    private var environment: Realm.Configuration?
    private var current: AsyncOpenState = .connecting
    private var task: Realm.AsyncOpenTask?
    private var hasBegun = false
    private var number = 0

    package init(_ configuration: Realm.Configuration?) { declared = configuration }

    /// The configuration that the realm is opened with.
    package var configuration: Realm.Configuration { declared ?? environment ?? .defaultConfiguration }

    /// Takes over the configurations of a declaration and of the environment. Opens the realm again if the result is another.
    package func update(_ configuration: Realm.Configuration?, environment: Realm.Configuration) {
        let old = self.configuration
        declared = configuration
        self.environment = environment
        if hasBegun, old != self.configuration { begin() }
    }

    /// The state. The first read begins the opening.
    package var state: AsyncOpenState {
        if !hasBegun { begin() }
        return current
    }

    private func begin() {
        task?.cancel()
        hasBegun = true
        current = .connecting
        number += 1
        let number = number
        task = Realm.asyncOpen(configuration: configuration) { [weak self] result in
            MainActor.assumeIsolated { self?.finish(number, result) }
        }
    }

    private func finish(_ number: Int, _ result: Result<Realm, any Error>) {
        // A configuration that has been replaced meanwhile opens nothing, and neither does what was cancelled.
        guard number == self.number, task != nil else { return }
        task = nil
        switch result {
        case .success(let realm): current = .open(realm)
        case .failure(let error): current = .error(error)
        }
        relay.send()
    }

    /// Gives the opening up. The state stays as it is.
    package func cancel() {
        hasBegun = true
        task?.cancel()
        task = nil
    }
}
