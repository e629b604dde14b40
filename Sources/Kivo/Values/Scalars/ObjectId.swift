import Foundation
import Synchronization

/// A 12-byte identifier that is unique without central allocation.
///
/// From the most significant byte down it contains four bytes of creation time (seconds since 1970), five random bytes per
/// process, and a three-byte counter. Ids therefore sort roughly by creation time across machines, and exactly by creation within
/// one process.
///
/// An `ObjectId` is a plain value: it may be used from any thread, and comparing or hashing two of them costs as much as
/// comparing two integers. The default of `@Persisted var id: ObjectId` is a generated id.
public struct ObjectId: Hashable, Sendable {
    /// The first eight bytes, big-endian, so that comparing ids is comparing integers.
    package var high: UInt64

    /// The last four bytes, big-endian.
    package var low: UInt32

    package init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// Creates the id whose bytes are all zero, as in realm-swift. Use ``generate()`` for a new id.
    public init() {
        self = .zero
    }

    /// The id whose twelve bytes are all zero. It sorts before every other id, and is never generated.
    public static let zero = ObjectId(high: 0, low: 0)

    /// The moment stored in the id, in whole seconds: for a generated id, the second in which it was created.
    ///
    /// A process that generates more than about eight million ids in one second borrows from the following seconds.
    public var timestamp: Date {
        Date(timeIntervalSince1970: Double(high >> 32))
    }
}

extension ObjectId {
    /// The id as two words, most significant first; the second one uses only its lower half.
    ///
    /// Comparing the words in order gives the order of the ids.
    package var bits: (UInt64, UInt64) {
        (high, UInt64(low))
    }

    /// Restores an id from its ``bits``. The unused upper half of the second word is ignored.
    package init(bits: (UInt64, UInt64)) {
        self.init(high: bits.0, low: UInt32(truncatingIfNeeded: bits.1))
    }
}

extension ObjectId: Comparable {
    /// Returns whether the bytes of the first id come before those of the second: for generated ids, whether it is older.
    public static func < (lhs: ObjectId, rhs: ObjectId) -> Bool {
        lhs.high == rhs.high ? lhs.low < rhs.low : lhs.high < rhs.high
    }
}

extension ObjectId {
    /// Creates a new id. May be called from any thread; it takes no lock.
    ///
    /// The id is greater than all ids that this process generated before, even if the clock is set back.
    public static func generate() -> ObjectId {
        ObjectId(sequenceNumber: nextSequenceNumber(), uniquifier: processUniquifier)
    }

    /// Creates an id for a moment, a machine and a process, with the next value of the process's counter.
    ///
    /// - Parameters:
    ///   - timestamp: The moment to store, in whole seconds. A moment outside of the years 1970 to 2106 is replaced by the
    ///     nearest one inside.
    ///   - machineId: The machine; its lower 24 bits are stored.
    ///   - processId: The process; its lower 16 bits are stored.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let machine = UInt64(UInt32(truncatingIfNeeded: machineId) & 0xFF_FFFF)
        let process = UInt64(UInt16(truncatingIfNeeded: processId))
        let counter = Self.nextSequenceNumber() & Self.counterMask
        self.init(
            sequenceNumber: Self.storableSeconds(of: timestamp) << Self.counterBits | counter,
            uniquifier: machine << 16 | process)
    }

    private static let counterBits: UInt64 = 24
    private static let counterMask: UInt64 = 0xFF_FFFF

    /// The last number that was generated: seconds above, the counter in the lower 24 bits.
    ///
    /// One number contains both, so that an overflow of the counter carries into the seconds, which preserves the order.
    private static let lastSequenceNumber = Atomic<UInt64>(UInt64.random(in: 0...counterMask))

    /// The five bytes that distinguish this process's ids from those of all others.
    private static let processUniquifier = UInt64.random(in: 0...0xFF_FFFF_FFFF)

    private static func nextSequenceNumber() -> UInt64 {
        let now = storableSeconds(of: Date())
        var last = lastSequenceNumber.load(ordering: .relaxed)
        while true {
            let next: UInt64
            if now > last >> counterBits {
                // The counter runs on into the new second, but leaves the upper half of its range free.
                next = now << counterBits | ((last &+ 1) & (counterMask >> 1))
            } else {
                next = last &+ 1
            }
            let (exchanged, current) = lastSequenceNumber.weakCompareExchange(
                expected: last, desired: next, ordering: .relaxed)
            if exchanged { return next }
            last = current
        }
    }

    private static func storableSeconds(of date: Date) -> UInt64 {
        let seconds = date.timeIntervalSince1970
        guard seconds > 0 else { return 0 }
        return seconds < Double(UInt32.max) ? UInt64(seconds) : UInt64(UInt32.max)
    }

    /// Puts the five bytes of the uniquifier between the seconds and the counter.
    private init(sequenceNumber: UInt64, uniquifier: UInt64) {
        let seconds = sequenceNumber >> Self.counterBits
        let counter = UInt32(truncatingIfNeeded: sequenceNumber & Self.counterMask)
        let lastByte = UInt32(truncatingIfNeeded: uniquifier & 0xFF)
        self.init(
            high: seconds << 32 | uniquifier >> 8,
            low: lastByte << UInt32(Self.counterBits) | counter)
    }
}

extension ObjectId: CustomStringConvertible {
    /// Parses the 24 hexadecimal digits of an id, in upper or lower case.
    ///
    /// - Throws: An error that contains the text, if it has another length or contains any other character.
    public init(string: String) throws {
        guard let parsed = Self.parse(string.utf8) else { throw ParseError(text: string) }
        self = parsed
    }

    /// Parses the 24 hexadecimal digits of an id in a literal.
    ///
    /// - Precondition: The text is an id. Use ``init(string:)`` for text from other sources.
    public init(_ staticString: StaticString) {
        guard let parsed = staticString.withUTF8Buffer({ Self.parse($0) }) else {
            fatalError(ParseError(text: staticString.description).description)
        }
        self = parsed
    }

    /// The id as 24 lowercase hexadecimal digits.
    public var stringValue: String {
        String(unsafeUninitializedCapacity: 24) { buffer in
            for position in 0..<16 {
                buffer[position] = Self.hexDigit(UInt8(high >> UInt64(60 - 4 * position) & 0xF))
            }
            for position in 0..<8 {
                buffer[16 + position] = Self.hexDigit(UInt8(low >> UInt32(28 - 4 * position) & 0xF))
            }
            return 24
        }
    }

    /// The id as 24 lowercase hexadecimal digits, like ``stringValue``.
    public var description: String {
        stringValue
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func parse(_ text: some Collection<UInt8>) -> ObjectId? {
        guard text.count == 24 else { return nil }
        var high: UInt64 = 0
        var low: UInt32 = 0
        for (position, character) in text.enumerated() {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if position < 16 {
                high = high << 4 | UInt64(digit)
            } else {
                low = low << 4 | UInt32(digit)
            }
        }
        return ObjectId(high: high, low: low)
    }

    /// The error for text that is not an id.
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        package let text: String

        package var description: String {
            "'\(text)' is not an ObjectId: expected exactly 24 hexadecimal digits, like '507f1f77bcf86cd799439011'."
        }
    }
}

extension ObjectId: Codable {
    /// Decodes an id from its 24 hexadecimal digits.
    ///
    /// - Throws: A `DecodingError` if there is no string, or if the string is not an id.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let parsed = Self.parse(text.utf8) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: ParseError(text: text).description)
        }
        self = parsed
    }

    /// Encodes the id as a string of 24 hexadecimal digits.
    ///
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
