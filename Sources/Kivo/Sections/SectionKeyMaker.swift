/// A function that returns the key of an element's section.
struct SectionKeyMaker<Key, Element> {
    let make: (Element) -> Key
    /// Whether the function may run outside the context in which the sections were created: it is a key path or `@Sendable`.
    let isSendable: Bool
    /// Whether the elements are sorted by the key.
    let isSortKey: Bool

    /// Creates keys from a property.
    init(property make: @escaping (Element) -> Key, isSortKey: Bool) {
        (self.make, self.isSortKey, isSendable) = (make, isSortKey, true)
    }

    /// Creates keys with a block of the app.
    init(block: @escaping (Element) -> Key, isSendable: Bool) {
        (make, isSortKey, self.isSendable) = (block, false, isSendable)
    }
}
