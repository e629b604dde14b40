/// The number of parts of a typed key path. It distinguishes a computed property (`\Dog.label`) from a property of a property's
/// value (`\Dog.name.count`): both read a property and return a value of another type.
///
/// No interface returns that number, and the printed form of a key path differs from platform to platform. On all platforms a key
/// path object's description of its parts begins with a word that has a bit for it. Known key paths are used to check that bit,
/// once. If the check fails, each key path counts as one with a single part. Its dependencies then have to be declared, as the
/// message for a missing declaration says.
package enum KeyPathParts {
    /// Returns whether a key path is a single property, or may be one if that cannot be determined.
    package static func isSingle(_ keyPath: AnyKeyPath) -> Bool { !isKnown || hasSinglePart(keyPath) }

    /// Whether the number of parts can be determined.
    static var areKnown: Bool { isKnown }

    /// Returns the words of the descriptions of a key path's parts, in order; none if their place is not known.
    static func words(of keyPath: AnyKeyPath) -> [UInt] {
        guard areKnown else { return [] }
        return withExtendedLifetime(keyPath) {
            let (object, stride) = (Unmanaged.passUnretained(keyPath).toOpaque(), MemoryLayout<UInt>.size)
            let size = Int(object.load(fromByteOffset: 3 * stride, as: UInt32.self) & 0x00FF_FFFF)
            return (0..<size / stride).map { object.load(fromByteOffset: (4 + $0) * stride, as: UInt.self) }
        }
    }

    /// Returns the bit of the first word of the description, behind the object's own two words and a pointer.
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

    /// The root type of the known key paths.
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

/// Returns whether a key path of a class has a setter.
package func isWritable(_ keyPath: AnyKeyPath) -> Bool {
    func isWritable<Root, Value>(_ root: Root.Type, _ value: Value.Type) -> Bool {
        keyPath is ReferenceWritableKeyPath<Root, Value>
    }
    func open<Root>(_ root: Root.Type) -> Bool {
        func open<Value>(_ value: Value.Type) -> Bool { isWritable(root, value) }
        return _openExistential(type(of: keyPath).valueType, do: open)
    }
    return _openExistential(type(of: keyPath).rootType, do: open)
}
