#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import KivoObserving

/// The classes of the program by name, used or not, wherever they are declared.
///
/// The runtime keeps a record of each type that is not generic. On platforms where these records are accessible (for testing
/// libraries) all classes are found, including those inside of functions. Their format is that of one version; others are
/// ignored. On other platforms nested classes are found by their mangled names, if no enclosing type is private or generic.
/// Thread-safe.
enum ProgramClasses {
    /// Returns the classes with an unqualified name.
    static func named(_ name: String) -> [Any.Type] {
        (descriptors[name] ?? []).compactMap { type(ofDescriptor: $0) }
    }

    /// Returns the classes that have a superclass.
    static func derived() -> [Any.Type] {
        descriptors.values.joined().filter { address in
            // The sixth field is the offset of the superclass's name, or 0.
            UnsafeRawPointer(bitPattern: address)?.load(fromByteOffset: 20, as: Int32.self) != 0
        }.compactMap { type(ofDescriptor: $0) }
    }

    /// Returns the class with a name that is qualified with the module and the enclosing types.
    static func nested(_ name: String) -> Any.Type? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, parts.count < 8, parts.allSatisfy(isPlain) else { return nil }
        let (module, last) = ("\(parts[0].utf8.count)\(parts[0])", "\(parts.last!.utf8.count)\(parts.last!)C")
        var prefixes = [module]
        // The kind of each enclosing type is unknown: an enumeration, a structure or a class.
        for part in parts[1..<parts.count - 1] {
            prefixes = prefixes.flatMap { prefix in
                ["O", "V", "C"].map { "\(prefix)\(part.utf8.count)\(part)\($0)" }
            }
        }
        for prefix in prefixes {
            if let type = _typeByName(prefix + last) { return type }
        }
        return nil
    }

    /// Returns whether a name consists of ASCII letters, digits and underscores: other names are mangled differently.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
    }

    /// Returns the class that a record describes. A type's mangled name can be a reference to its record: a byte that marks such
    /// a reference, and the offset from there to the address of the record.
    private static func type(ofDescriptor address: UInt) -> Any.Type? {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { bytes in
            bytes.storeBytes(of: address, as: UInt.self)
            bytes.storeBytes(of: 2, toByteOffset: 8, as: UInt8.self)
            bytes.storeBytes(of: Int32(-9), toByteOffset: 9, as: Int32.self)
            return _getTypeByMangledNameInContext(
                (bytes.baseAddress! + 8).assumingMemoryBound(to: UInt8.self), 5, genericContext: nil,
                genericArguments: nil)
        }
    }

    /// Whether the records of classes lead to these: known of a class of this file. Nil where they are not accessible.
    static var areKnown: Bool? {
        descriptors.isEmpty ? nil : named("KnownClass").contains { $0 == KnownClass.self }
    }

    private final class KnownClass {}

    /// The addresses of the records of classes, by the unqualified name of the class.
    private static let descriptors: [String: [UInt]] = findDescriptors()

    private final class Collector {
        var descriptors: [String: [UInt]] = [:]
    }

    #if canImport(Glibc) || canImport(Musl) || canImport(Android)
    private typealias Visit = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool
    private typealias Enumerate = @convention(c) (Visit, UnsafeMutableRawPointer?) -> Void

    private static func findDescriptors() -> [String: [UInt]] {
        guard let symbol = dlsym(nil, "swift_enumerateAllMetadataSections") else { return [:] }
        let collector = Collector()
        unsafeBitCast(symbol, to: Enumerate.self)(
            { sections, context in
                let collector = Unmanaged<Collector>.fromOpaque(context!).takeUnretainedValue()
                ProgramClasses.collect(sections, into: collector)
                return true
            }, Unmanaged.passUnretained(collector).toOpaque())
        return withExtendedLifetime(collector) { collector.descriptors }
    }
    #else
    private static func findDescriptors() -> [String: [UInt]] { [:] }
    #endif

    /// Reads the records of one library: a version, four words, two other ranges, and the range of the type records.
    private static func collect(_ sections: UnsafeRawPointer, into collector: Collector) {
        guard (4...5).contains(sections.load(as: UInt.self)) else { return }
        let word = MemoryLayout<UInt>.size
        let start = sections.load(fromByteOffset: 8 * word, as: UnsafeRawPointer?.self)
        let count = sections.load(fromByteOffset: 9 * word, as: Int.self) / 4
        guard let start else { return }
        for index in 0..<count {
            // The offset from here to the record; the low bits say whether the record's address is stored there instead.
            let offset = start.load(fromByteOffset: index * 4, as: Int32.self)
            guard offset & 3 <= 1 else { continue }
            var record = start + index * 4 + Int(offset & ~3)
            if offset & 1 != 0 { record = record.load(as: UnsafeRawPointer.self) }
            guard ClassMetadata.isPlainClass(record) else { continue }
            let field = record + 8
            let name = field + Int(field.load(as: Int32.self))
            let text = String(cString: name.assumingMemoryBound(to: CChar.self))
            collector.descriptors[text, default: []].append(UInt(bitPattern: record))
        }
    }
}
