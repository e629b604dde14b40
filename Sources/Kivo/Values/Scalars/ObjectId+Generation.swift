import Foundation
import Synchronization

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
