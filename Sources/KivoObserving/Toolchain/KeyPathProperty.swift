/// The property of a typed key path with a single part, without the class by which the key path names it: `\Dog.label` and
/// `\Puppy.label` are the same property, but different key paths.
///
/// The part of a key path object that describes a property with accessors has a word by which the runtime compares such parts: for a
/// property that can be overridden the description of its getter, for others the getter. A final class that overrides a property
/// has a getter of its own, at the same place of the class's table as the getter of the superclass. Known key paths are used to
/// check what is said here, once. What cannot be determined makes key paths of subclasses properties of their own.
package struct KeyPathProperty: Equatable {
    private enum Identity: Equatable {
        case accessor(UInt)
        /// A place in the table of methods of a class and its subclasses.
        case place(Int)
    }

    private let identity: Identity
    private let valueType: Any.Type

    package static func == (a: KeyPathProperty, b: KeyPathProperty) -> Bool {
        a.identity == b.identity && a.valueType == b.valueType
    }

    /// Returns the property of a key path, in all forms in which another key path of it may be found.
    static func all(of keyPath: AnyKeyPath) -> [KeyPathProperty] {
        areKnown ? candidates(of: keyPath) : []
    }

    /// Returns whether two key paths with a single part each are the same property.
    package static func areSame(_ keyPath: AnyKeyPath, _ other: AnyKeyPath) -> Bool {
        keyPath == other || areKnown && haveSame(keyPath, other)
    }

    /// Returns whether the property of a key path with a single part is one of the parts of another key path; true if that cannot be
    /// determined.
    static func isPart(_ property: AnyKeyPath, of keyPath: AnyKeyPath) -> Bool {
        guard areKnown, let word = accessor(of: property) else { return true }
        return KeyPathParts.words(of: keyPath).contains(word)
    }

    /// Returns whether a class overrides the property of a key path of a superclass; returns nil if that cannot be determined.
    package static func isOverridden(_ property: AnyKeyPath, in type: AnyClass) -> Bool? {
        guard let declaring = Swift.type(of: property).rootType as? AnyClass else { return nil }
        if declaring == type { return false }
        guard areKnown else { return nil }
        return differs(property, declaring, type)
    }

    /// Whether the tables of classes have the addresses of functions: WebAssembly has no such addresses.
    private static var haveTables: Bool {
        #if arch(wasm32)
        false
        #else
        ClassMetadata.isKnown
        #endif
    }

    private static func differs(
        _ property: AnyKeyPath, _ declaring: AnyClass, _ type: AnyClass
    ) -> Bool? {
        guard haveTables, let word = accessor(of: property), let described = described(word) else {
            return nil
        }
        let (own, inherited) = (ClassMetadata(type), ClassMetadata(declaring))
        return inherited.places(of: word, described).contains { own[$0] != inherited[$0] }
    }

    private static func candidates(of keyPath: AnyKeyPath) -> [KeyPathProperty] {
        guard let word = accessor(of: keyPath) else { return [] }
        let valueType = type(of: keyPath).valueType
        var properties = [KeyPathProperty(identity: .accessor(word), valueType: valueType)]
        if let place = place(of: word, in: type(of: keyPath).rootType) {
            properties.append(KeyPathProperty(identity: .place(place), valueType: valueType))
        }
        return properties
    }

    /// Returns the word that identifies the accessors of a key path's only part; returns nil if it has several parts or no accessors.
    private static func accessor(of keyPath: AnyKeyPath) -> UInt? {
        guard KeyPathParts.areKnown, KeyPathParts.isSingle(keyPath) else { return nil }
        return withExtendedLifetime(keyPath) {
            // Behind the object's own two words, a pointer and the word with the number of parts.
            let part = Unmanaged.passUnretained(keyPath).toOpaque() + 4 * MemoryLayout<UInt>.size
            // Accessors with an address as their word, and without arguments, which would be part of the identity.
            guard part.load(as: UInt32.self) & 0x7F30_0000 == 0x0200_0000 else { return nil }
            if let kind = kindOfArguments(part), kind != kindOfGenericArguments { return nil }
            let word = part.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self)
            return word > 0xFFFF ? word : nil
        }
    }

    /// Returns the address of the functions for the arguments of a part with accessors: of a subscript, or of generic code, whose types
    /// are arguments. Returns nil if there are none.
    private static func kindOfArguments(_ part: UnsafeRawPointer) -> UInt? {
        let header = part.load(as: UInt32.self)
        if header & 0x0008_0000 == 0 { return nil }
        let isSettable = header & 0x0040_0000 != 0
        // Behind the header, the word, the getter, a setter and the size of the arguments.
        return part.load(fromByteOffset: (isSettable ? 5 : 4) * MemoryLayout<UInt>.size, as: UInt.self)
    }

    /// The address of the functions for arguments that are nothing but the types of generic code; nil if that is not known.
    private static let kindOfGenericArguments: UInt? = {
        let keyPath = generic(Sample.self)
        return withExtendedLifetime(keyPath) {
            kindOfArguments(Unmanaged.passUnretained(keyPath).toOpaque() + 4 * MemoryLayout<UInt>.size)
        }
    }()

    // Not optimized: a specialised function has no generic arguments.
    @_optimize(none)
    private static func generic<Root: Sample>(_ root: Root.Type) -> AnyKeyPath { \Root.text }

    /// Returns the place of a getter, or of a getter that is described, in the table of a class or of the superclass that has it.
    /// Returns nil if the compiler has made one function of several getters.
    private static func place(of word: UInt, in type: Any.Type) -> Int? {
        guard haveTables, let described = described(word) else { return nil }
        var ancestor: AnyClass? = type as? AnyClass
        while let current = ancestor {
            let places = ClassMetadata(current).places(of: word, described)
            if let place = places.first { return places.count == 1 ? place : nil }
            ancestor = _getSuperclass(current)
        }
        return nil
    }

    /// Returns the getter to which a description refers, by its distance from the reference.
    private static func described(_ word: UInt) -> UInt? {
        guard word % 4 == 0, let description = UnsafeRawPointer(bitPattern: word) else { return word }
        return UInt(bitPattern: description + 4 + Int(description.load(fromByteOffset: 4, as: Int32.self)))
    }

    // MARK: The check

    /// Whether the words of accessors, and the places of getters in the tables of classes, are what is said above.
    static let areKnown: Bool = {
        let (text, number, maybe) = (\Sample.text, \Sample.number, \Sample.maybe)
        return haveSame(text, \Derived.text) && haveSame(number, \Derived.number)
            && haveSame(maybe, \Derived.maybe)
            && !haveSame(text, \Sample.other) && !haveSame(\Derived.text, \Derived.other)
            && !haveSame(\Overriding.text, \Sample.other) && !haveSame(generic(Sample.self), \Sample.other)
            && candidates(of: \Sample.stored).isEmpty && candidates(of: \Sample[7]).isEmpty
            && candidates(of: \Sample.text.count).isEmpty
            && differs(text, Sample.self, Overriding.self) != false
            && differs(text, Sample.self, Derived.self) != true
    }()

    private static func haveSame(_ a: AnyKeyPath, _ b: AnyKeyPath) -> Bool {
        let others = candidates(of: b)
        return candidates(of: a).contains { others.contains($0) }
    }

    /// The root types of the known key paths. The others inherit or override properties of the first.
    private class Sample {
        final var stored = 0
        var text: String { "\(stored)" }
        var other: String { "\(stored) " }
        var number: Int {
            get { stored }
            set { stored = newValue }
        }
        final var maybe: Int? { stored }
        subscript(number: Int) -> Int { number }
    }

    private final class Derived: Sample {}

    private final class Overriding: Sample {
        override var text: String { super.text + "!" }
    }
}

extension ClassMetadata {
    /// Returns the places of a getter, which is at one of two addresses.
    fileprivate func places(of getter: UInt, _ described: UInt) -> [Int] {
        places.filter { self[$0] == getter || self[$0] == described }
    }
}
