import Dispatch
import Foundation

/// A moment of an event. A number, because the instants of the toolchain's clocks have no fixed size: values that contain them are
/// copied by calls of the runtime. Except on Linux, the time that the machine sleeps does not count.
struct EventMoment {
    private let nanoseconds: UInt64

    static var now: EventMoment {
        #if os(Linux)
        // The clock of `ContinuousClock`, without what that adds.
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return EventMoment(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
        #else
        return EventMoment(nanoseconds: DispatchTime.now().uptimeNanoseconds)
        #endif
    }

    /// The time from the zero of the clock to the moment.
    var position: Duration { .nanoseconds(Int64(bitPattern: nanoseconds)) }

    /// The nanoseconds since the moment.
    var elapsed: Int64 { Int64(bitPattern: EventMoment.now.nanoseconds &- nanoseconds) }

    var instant: ContinuousClock.Instant {
        let (moment, instant) = EventMoment.reference
        return instant + .nanoseconds(Int64(bitPattern: nanoseconds &- moment.nanoseconds))
    }

    /// One moment on both clocks.
    private static let reference = (EventMoment.now, ContinuousClock.now)
}
