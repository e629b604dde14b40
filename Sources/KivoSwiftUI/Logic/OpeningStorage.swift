import Foundation
import Kivo

/// The opening of `@AutoOpen`. It begins when the state is first read, runs off the main actor, and ends on the main actor.
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

    /// The configuration with which the realm is opened.
    package var configuration: Realm.Configuration { declared ?? environment ?? .defaultConfiguration }

    /// Adopts the configurations of a declaration and of the environment. Opens the realm again if the resulting one differs.
    package func update(_ configuration: Realm.Configuration?, environment: Realm.Configuration) {
        let old = self.configuration
        declared = configuration
        self.environment = environment
        if hasBegun, old != self.configuration { begin() }
    }

    /// The state of the opening. The first read begins the opening.
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
        // The result of a replaced configuration or of a cancelled opening is ignored.
        guard number == self.number, task != nil else { return }
        task = nil
        switch result {
        case .success(let realm): current = .open(realm)
        case .failure(let error): current = .error(error)
        }
        relay.send()
    }

    /// Cancels the opening. The state does not change.
    package func cancel() {
        hasBegun = true
        task?.cancel()
        task = nil
    }
}

/// The state of opening a realm by `@AutoOpen`.
public enum AsyncOpenState {
    /// The realm is being opened.
    case connecting
    /// The realm is open, and belongs to the main actor.
    case open(Realm)
    /// The realm could not be opened.
    case error(any Error)

    /// Unavailable: there is no server to log in to.
    @available(*, unavailable, message: "there are no users to wait for: remove this case")
    case waitingForUser
    /// Unavailable: nothing is downloaded.
    @available(*, unavailable, message: "nothing is downloaded: remove this case")
    case progress(Progress)
}
