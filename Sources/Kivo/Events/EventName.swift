import KivoEngine

/// The name of a realm in events. Equal names are the same object, which is never released: events on their way between threads would
/// otherwise count references to the same string on both.
struct EventName: Sendable {
    private final class Name: Sendable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    /// Owned by ``known`` until the program ends.
    private unowned(unsafe) let name: Name

    private static let known = Lock<[String: Name]>([:])

    init(_ text: String) {
        name = EventName.known.withLock { known in
            let name = known[text] ?? Name(text)
            known[text] = name
            return name
        }
    }

    var text: String { name.text }
}
