/// How the stored properties of a class refer to objects.
///
/// Reflection returns the type of a `weak` or `unowned` property without saying so, and its storage is not a value of that type. The
/// description of the class's fields says so: the name of such a type ends with a mark. A known class is used to check that, once.
/// Where it is not so, mirrors read the values of properties that may refer to objects.
enum FieldOwnership {
    case strong
    case weak
    case unowned

    /// Whether descriptions say how properties refer to objects.
    static let isKnown: Bool = {
        ClassMetadata.isKnown && find(of: Derived.self) == [.strong, .weak, .unowned, .strong, .weak]
    }()

    private class Sample {
        final var number = 0
        final weak var weakly: Sample?
        final unowned var unowned: Sample?
    }

    private final class Derived: Sample {
        var object: Sample?
        weak var other: AnyObject?
    }

    /// Returns the ownership of each stored property of a class and of its superclasses, those of a subclass after the others. Returns
    /// none if that is not known.
    static func all(of type: AnyClass) -> [FieldOwnership] { isKnown ? find(of: type) : [] }

    private static func find(of type: AnyClass) -> [FieldOwnership] {
        let inherited = _getSuperclass(type).map { find(of: $0) } ?? []
        // Behind its flags, its parent, its name and its accessor.
        guard let fields = ClassMetadata(type).description.flatMap({ target(of: $0 + 16) }) else {
            return inherited
        }
        let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
        return inherited
            + (0..<count).map { FieldOwnership(typeName: target(of: fields + 16 + $0 * size + 4)) }
    }

    /// Returns the address to which a relative reference refers, or nil if it is empty.
    private static func target(of reference: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = reference.load(as: Int32.self)
        return distance == 0 ? nil : reference + Int(distance)
    }

    /// Creates the ownership that the mangled name of a type ends with.
    private init(typeName: UnsafeRawPointer?) {
        self = .strong
        guard var next = typeName else { return }
        var (last, beforeLast): (UInt8, UInt8) = (0, 0)
        while true {
            let byte = next.load(as: UInt8.self)
            if byte == 0 { break }
            (beforeLast, last) = (last, byte)
            // References to descriptions of types are part of a name.
            switch byte {
            case 0x01...0x17: next += 5
            case 0x18...0x1F: next += 1 + MemoryLayout<UInt>.size
            default: next += 1
            }
        }
        guard beforeLast == UInt8(ascii: "X") else { return }
        if last == UInt8(ascii: "w") { self = .weak }
        if last == UInt8(ascii: "o") { self = .unowned }
    }
}

/// The storage of a weak reference.
struct WeakReference {
    private(set) weak var object: AnyObject?
}

/// The storage of an unowned reference.
struct UnownedReference {
    private(set) unowned var object: AnyObject?
}
