import Foundation
import Kivo

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
