/// A function that returns the key of the section that an element belongs to.
struct SectionKeyMaker<Key, Element> {
    let make: (Element) -> Key
    /// Whether it may run elsewhere than where the sections were made: a key path, or a `@Sendable` block.
    let isSendable: Bool
    /// Whether the key is one that the elements are sorted by.
    let isSortKey: Bool

    /// The keys of a property.
    init(property make: @escaping (Element) -> Key, isSortKey: Bool) {
        (self.make, self.isSortKey, isSendable) = (make, isSortKey, true)
    }

    /// The keys that a block of the app's makes.
    init(block: @escaping (Element) -> Key, isSendable: Bool) {
        (make, isSortKey, self.isSendable) = (block, false, isSendable)
    }
}
