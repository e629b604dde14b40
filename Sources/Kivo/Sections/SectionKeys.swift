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
