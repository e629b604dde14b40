import KivoEngine

/// The name of a realm in events. Equal names are the same object, which is never released: events on their way between threads would
/// otherwise count references to the same string on both.
struct EventName: Sendable {
    /// Proof for `Sendable`: the object is immutable, and exists until the program ends.
    private struct Reference: @unchecked Sendable {
        unowned(unsafe) let name: Name
    }

    private final class Name: Sendable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    private let reference: Reference

    private static let known = Lock<[String: Name]>([:])

    init(_ text: String) {
        reference = EventName.known.withLock { known in
            let name = known[text] ?? Name(text)
            known[text] = name
            return Reference(name: name)
        }
    }

    var text: String { reference.name.text }
}
