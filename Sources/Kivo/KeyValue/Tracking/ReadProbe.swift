import Observation

/// Finds out whether reads are being noted: whether this code runs inside of `withObservationTracking`.
///
/// The toolchain does not say. But it keeps the key paths of what is read there, so that a key path which nobody else holds
/// is held by somebody after it was given to a registrar, or is not. Then there is a new one for the next question.
/// Confined to a thread.
final class ReadProbe: Observable {
    private let registrar = ObservationRegistrar()
    private var number = 0
    /// How many bodies run whose reads are not to be noted, one inside of the other.
    private var pauses = 0
    private var keyPath: KeyPath<ReadProbe, Int>

    private init() { keyPath = \ReadProbe[0] }

    private subscript(number: Int) -> Int { number }

    /// Whether reads are being noted. A few loads if not.
    static var isNoting: Bool { withCurrent { $0.isNoting } }

    /// Carries out a body whose reads are noted otherwise: as one read.
    static func withoutNoting<Result>(_ body: () throws -> Result) rethrows -> Result {
        let probe = withCurrent { $0 }
        probe.pauses += 1
        defer { probe.pauses -= 1 }
        return try body()
    }

    private static func withCurrent<Result>(_ body: (ReadProbe) -> Result) -> Result {
        ThreadStorage.withCurrent { storage in
            if let known = storage.readProbe { return body(unsafeDowncast(known, to: ReadProbe.self)) }
            let made = ReadProbe()
            made.renew()
            storage.readProbe = made
            return body(made)
        }
    }

    private var isNoting: Bool {
        if pauses > 0 { return false }
        registrar.access(self, keyPath: keyPath)
        if isKnownUniquelyReferenced(&keyPath) { return false }
        renew()
        return true
    }

    private func renew() {
        number += 1
        let number = number
        keyPath = \ReadProbe[number]
    }
}
