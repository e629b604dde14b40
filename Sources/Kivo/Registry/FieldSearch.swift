import KivoObserving

/// A search for fields in an object of which only reflection (`Mirror`) knows: the column fields of wrappers, and the references to
/// the holders of bare properties.
///
/// A column field holds a known pattern, and a reference is a known word, so each position with one of them is a candidate. All
/// candidates get values of their own, and one mirror of the object then shows which field is at which of them. The search goes on
/// behind these candidates only if other values in the object look like fields. So it takes one mirror, and rarely another one,
/// however many fields there are. It ends at the end of the object, where the runtime says how large that is.
struct FieldSearch {
    /// A field, with its value in a mirror.
    enum Field {
        case column(UInt32)
        /// A reference to a holder, and a function that creates another holder for a test.
        case holder(AnyObject, make: () -> AnyObject)
    }

    /// The object, which no other code uses.
    private let base: UnsafeMutableRawPointer
    /// The position from which to search.
    private var position: Int
    /// The size of the object; `Int.max` if it is not known.
    private let size: Int
    /// The candidates for column fields, each with the original value.
    private var columns: [(position: Int, original: UInt32)] = []
    /// The candidates for references, each with the original word and the holder that takes its place in a test.
    private var references: [(position: Int, original: UInt, test: AnyObject)] = []

    /// The value of the first column field in a test. The others have the numbers after it.
    private static let marker: UInt32 = 0x1234_0000

    /// Returns the positions of fields in an object; nil if some are not there.
    ///
    /// - Parameters:
    ///   - object: The object, which no other code uses.
    ///   - position: The position from which to search.
    ///   - fields: The fields, in the order of their positions.
    ///   - read: Reads the fields again, from another mirror.
    static func positions(
        in object: AnyObject, from position: Int, of fields: [Field], read: () -> [Field]
    ) -> [Int]? {
        var search = FieldSearch(object, position)
        var found = [Int?](repeating: nil, count: fields.count)
        while true {
            let missing = fields.indices.filter { found[$0] == nil }
            if missing.isEmpty { return found.compactMap(\.self) }
            guard search.findCandidates(missing.map { fields[$0] }) else { return nil }
            let positions = search.test(read)
            for index in missing { found[index] = positions[index] }
        }
    }

    private init(_ object: AnyObject, _ position: Int) {
        base = Unmanaged.passUnretained(object).toOpaque()
        self.position = position
        size = instanceSize(of: type(of: object)) ?? .max
    }

    /// Finds as many candidates as there are missing fields, which are all at or behind the position. Returns false if there are not
    /// that many before the end of the object.
    private mutating func findCandidates(_ missing: [Field]) -> Bool {
        (columns, references) = ([], [])
        var makers: [UInt: () -> AnyObject] = [:]
        for case .holder(let holder, let make) in missing { makers[FieldSearch.address(holder)] = make }
        while columns.count + references.count < missing.count {
            if position + MemoryLayout<UInt32>.size > size { return false }
            let column = (base + position).load(as: UInt32.self)
            if PersistedColumn.isUnbound(column) {
                columns.append((position, column))
            } else if !makers.isEmpty, position % MemoryLayout<UInt>.alignment == 0,
                position + MemoryLayout<UInt>.size <= size
            {
                let word = (base + position).load(as: UInt.self)
                if let make = makers[word] { references.append((position, word, make())) }
            }
            position += MemoryLayout<UInt32>.size
        }
        return true
    }

    /// Returns, for each field, the candidate that it is, or nil if it is none of them.
    private func test(_ read: () -> [Field]) -> [Int?] {
        for (number, column) in columns.enumerated() {
            (base + column.position).storeBytes(of: FieldSearch.marker + UInt32(number), as: UInt32.self)
        }
        for reference in references {
            (base + reference.position).storeBytes(of: FieldSearch.address(reference.test), as: UInt.self)
        }
        defer {
            for column in columns {
                (base + column.position).storeBytes(of: column.original, as: UInt32.self)
            }
            for reference in references {
                (base + reference.position).storeBytes(of: reference.original, as: UInt.self)
            }
        }
        return read().map { field in
            switch field {
            case .column(let value):
                let number = Int(value &- FieldSearch.marker)
                return number < columns.count ? columns[number].position : nil
            case .holder(let holder, _): return references.first { $0.test === holder }?.position
            }
        }
    }

    /// Whether the field of a known object is found where it is.
    static let isKnown: Bool = {
        let subject = Known()
        let found = positions(in: subject, from: 2 * MemoryLayout<Int>.size, of: subject.fields) {
            subject.fields
        }
        return found == [3 * MemoryLayout<Int>.size]
    }()

    private final class Known {
        final class Holder {}

        final var number = 0
        final var holder = Holder()

        /// The holder, as a mirror shows it.
        var fields: [Field] {
            Mirror(reflecting: self).children.compactMap { child in
                (child.value as? Holder).map { .holder($0, make: Holder.init) }
            }
        }
    }

    /// Traps because fields of a class were not found.
    static func trapNotFound(in type: AnyClass) -> Never {
        trap(
            """
            The properties of class '\(type)' are not in its instances, where reflection says that they are. This version of Kivo does \
            not know how this toolchain lays out objects.
            """)
    }

    private static func address(_ object: AnyObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }
}
