#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// The runtime's record of a class, where classes are not those of Objective-C.
///
///     words     kind, superclass
///     4 bytes   flags; offset of the first word of an instance; size of an instance
///     2 bytes   alignment of an instance; reserved
///     4 bytes   size of the record; number of bytes of the record before its address
///     words     description, ...
///
/// The tables of methods of the superclasses and of the class follow. Known classes are used to check what is said here, once.
package struct ClassMetadata {
    private let address: UnsafeRawPointer

    init(_ type: AnyClass) {
        // A class is the address of its record.
        address = unsafeBitCast(type, to: UnsafeRawPointer.self)
    }

    private static var word: Int { MemoryLayout<UInt>.size }

    private func number(at offset: Int) -> Int {
        Int(address.load(fromByteOffset: 2 * Self.word + offset, as: UInt32.self))
    }

    /// The size of an instance without the fields of subclasses, in bytes.
    var instanceSize: Int { number(at: 8) }

    /// The description of the class; nil if it has none.
    var description: UnsafeRawPointer? {
        address.load(fromByteOffset: 2 * Self.word + 24, as: UnsafeRawPointer?.self)
    }

    /// Whether the description is that of a class that is not generic.
    private var isDescribed: Bool { description.map(ClassMetadata.isPlainClass) ?? false }

    /// Returns whether a description of a type is that of a class that is not generic, as its flags say.
    package static func isPlainClass(_ description: UnsafeRawPointer) -> Bool {
        description.load(as: UInt32.self) & 0x9F == 16
    }

    /// The places of words that may be methods. The places of a superclass are the first ones of a class.
    var places: Range<Int> {
        let first = (2 * Self.word + 24) / Self.word
        return first..<max(first, (number(at: 16) - number(at: 20)) / Self.word)
    }

    /// The word at a place.
    subscript(place: Int) -> UInt {
        address.load(fromByteOffset: place * Self.word, as: UInt.self)
    }

    /// Whether records have the layout that is described above.
    static let isKnown: Bool = {
        #if canImport(ObjectiveC)
        return false
        #else
        let (a, b) = (ClassMetadata(Sample.self), ClassMetadata(Derived.self))
        return a[1] == 0 && b[1] == UInt(bitPattern: a.address)
            && a.instanceSize == 5 * word && b.instanceSize == 6 * word
            && a.places.count < b.places.count && b.places.count < 64
            && a.isDescribed && b.isDescribed && a.description != b.description
        #endif
    }()

    private class Sample {
        var first = 0
        final var second = 0
        final var third = 0
    }

    private class Derived: Sample {
        final var fourth = 0
    }
}

/// Returns the size of the instances of a class in bytes; nil if it is not known.
package func instanceSize(of type: AnyClass) -> Int? {
    #if canImport(ObjectiveC)
    return class_getInstanceSize(type)
    #else
    return ClassMetadata.isKnown ? ClassMetadata(type).instanceSize : nil
    #endif
}
