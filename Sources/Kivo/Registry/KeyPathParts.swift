/// Of how many parts a typed key path is, which tells a computed property (`\Dog.label`) from a property and what a
/// value of its type has (`\Dog.name.count`): both read a property and give a value of another type.
///
/// No interface tells, and how a key path prints differs from platform to platform. A key path object begins its
/// description of parts with a word that has a bit for it, on all platforms; whether it does is found out with key
/// paths that are known, once. Where it does not, each key path counts as one of one part: then what it depends on has
/// to be declared, which the message says that comes without.
enum KeyPathParts {
    /// Whether a key path is a single property, as far as is known.
    static func isSingle(_ keyPath: AnyKeyPath) -> Bool { !isKnown || hasSinglePart(keyPath) }

    /// The first word of the description, behind the object's own two words and a pointer.
    private static func hasSinglePart(_ keyPath: AnyKeyPath) -> Bool {
        withExtendedLifetime(keyPath) {
            let object = Unmanaged.passUnretained(keyPath).toOpaque()
            let header = object.load(fromByteOffset: 3 * MemoryLayout<UnsafeRawPointer>.size, as: UInt32.self)
            return header & 0x2000_0000 != 0
        }
    }

    private static let isKnown: Bool = {
        let single: [AnyKeyPath] = [
            \Sample.stored, \Sample.text, \Sample.maybe, \Sample.next, \Sample[7],
        ]
        let several: [AnyKeyPath] = [
            \Sample.stored.description, \Sample.text.count, \Sample.maybe?.count, \Sample.next?.text,
            \Sample.next!.stored, \Sample.next!, \Sample[7].description,
            (\Sample.text).appending(path: \String.count),
        ]
        return single.allSatisfy(hasSinglePart) && !several.contains(where: hasSinglePart)
    }()

    /// What the known key paths are of.
    private class Sample {
        final var stored = 0
        var text: String {
            get { "" }
            set { stored = newValue.count }
        }
        var maybe: String? { nil }
        var next: Sample? { nil }
        subscript(number: Int) -> Int { number }
    }
}
