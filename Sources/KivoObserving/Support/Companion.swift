/// State of an object that is made when it is first needed, and lives as long as the object. It is used without reference counting,
/// because its owner is held meanwhile.
@usableFromInline
struct Companion<State: AnyObject>: ~Copyable {
    /// The state, which this owns.
    @usableFromInline var reference: Unmanaged<State>?

    @inlinable
    init() { reference = nil }

    @inlinable
    deinit { reference?.release() }

    @inlinable
    var isNil: Bool { reference == nil }

    /// Stores the state. There is none yet.
    @inlinable
    mutating func begin(_ state: State) { reference = .passRetained(state) }

    /// Calls `body` with the state; returns nil if there is none.
    @inlinable @inline(__always)
    func use<Result>(_ body: (State) -> Result) -> Result? { reference?._withUnsafeGuaranteedRef(body) }
}
