/// A numbering of the keys of sections. The numbers are small: those of removed sections are reused.
final class SectionKeys<Key: Hashable> {
    /// A key that equals itself even if its value does not: all NaN form one section.
    private struct Identity: Hashable {
        let key: Key

        static func == (a: Identity, b: Identity) -> Bool {
            a.key == b.key || (a.key != a.key && b.key != b.key)
        }

        func hash(into hasher: inout Hasher) { if key == key { hasher.combine(key) } }
    }

    private var keys: [Key?] = []
    private var numbers: [Identity: Int] = [:]
    private var free: [Int] = []

    /// The key of a number that is in use.
    subscript(number: Int) -> Key { keys[number]! }

    /// Returns the number of a key, or nil if there is no section with it.
    func known(_ key: Key) -> Int? { numbers[Identity(key: key)] }

    /// Returns the number of a key; assigns one if the key is new.
    func number(_ key: Key) -> Int {
        let identity = Identity(key: key)
        if let known = numbers[identity] { return known }
        let number = free.popLast() ?? keys.count
        if number == keys.count { keys.append(key) } else { keys[number] = key }
        numbers[identity] = number
        return number
    }

    /// Releases the numbers of removed sections.
    func release(_ vanished: [Int]) {
        for number in vanished {
            guard let key = keys[number] else { continue }
            numbers[Identity(key: key)] = nil
            keys[number] = nil
            free.append(number)
        }
    }
}

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
