import Observation

/// Detects whether reads are being recorded: whether this code runs inside `withObservationTracking`.
///
/// The toolchain has no function for this, but it retains the key paths that are read there. The probe passes a uniquely
/// referenced key path to a registrar, and then checks whether it is still uniquely referenced. If not, reads are being recorded,
/// and the next query needs a new key path. Where that is not so, all reads are passed on. Confined to a thread.
package final class ReadProbe: Observable {
    private let registrar = ObservationRegistrar()
    private var number = 0
    /// The number of nested bodies whose reads are not recorded.
    private var pauses = 0
    private var keyPath: KeyPath<ReadProbe, Int>
    private let isReliable: Bool

    private init(isReliable: Bool) {
        self.isReliable = isReliable
        keyPath = \ReadProbe[0]
    }

    private subscript(number: Int) -> Int { number }

    /// Whether reads are being recorded. Costs a few loads if not.
    package static var isNoting: Bool { withCurrent { $0.isNoting } }

    /// Runs `body` without recording its reads, which the caller records as one.
    package static func withoutNoting<Result>(_ body: () throws -> Result) rethrows -> Result {
        let probe = withCurrent { $0 }
        probe.pauses += 1
        defer { probe.pauses -= 1 }
        return try body()
    }

    private static func withCurrent<Result>(_ body: (ReadProbe) -> Result) -> Result {
        // The thread holds its probe until it ends.
        Unmanaged<ReadProbe>.fromOpaque(pointer.value ?? make())._withUnsafeGuaranteedRef(body)
    }

    @inline(never)
    private static func make() -> UnsafeMutableRawPointer {
        let made = ReadProbe(isReliable: isReliable)
        made.renew()
        let address = Unmanaged.passRetained(made).toOpaque()
        pointer.value = address
        return address
    }

    private static let pointer = ThreadLocalPointer(atEnd: { release($0) })

    /// Called by the system at the end of the thread.
    private static func release(_ probe: UnsafeMutableRawPointer?) {
        if let probe { Unmanaged<ReadProbe>.fromOpaque(probe).release() }
    }

    private var isNoting: Bool {
        if pauses > 0 { return false }
        return !isReliable || isRetained
    }

    private var isRetained: Bool {
        registrar.access(self, keyPath: keyPath)
        if isKnownUniquelyReferenced(&keyPath) { return false }
        renew()
        return true
    }

    /// Whether key paths are retained where reads are recorded.
    package static let isReliable: Bool = {
        let probe = ReadProbe(isReliable: true)
        probe.renew()
        // A caller that records reads gets this one, too: nothing ever changes what it reads.
        return withObservationTracking {
            probe.isRetained
        } onChange: {
        }
    }()

    private func renew() {
        number += 1
        let number = number
        keyPath = \ReadProbe[number]
    }
}
