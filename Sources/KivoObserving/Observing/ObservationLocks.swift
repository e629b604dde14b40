/// The locks of observations whose subject is not confined to a thread: those of plain classes.
///
/// No code of a user runs inside of a lock, nor is anything released there.
enum ObservationLocks {
    /// Guards which registrations an object has: `home` and `root` of registrations, against the end of their object on another
    /// thread. Taken before a lock of a key.
    static let structure = PlainLock()

    private static let stripes = (0..<64).map { _ in PlainLock() }

    /// Returns the lock of one object's keys, or of one registration's old values. Others may share it.
    @inline(__always)
    static func lock(of object: AnyObject) -> PlainLock {
        lock(at: UInt(bitPattern: ObjectIdentifier(object)))
    }

    /// Returns the lock of what is at an address.
    @inline(__always)
    static func lock(at address: UInt) -> PlainLock {
        stripes[Int(truncatingIfNeeded: (address >> 4 ^ address >> 10) & 63)]
    }

    /// Runs `body` inside of an object's lock, if other threads may use the object's state.
    @inline(__always)
    static func guarding<Result>(_ object: AnyObject, isShared: Bool, _ body: () -> Result) -> Result {
        isShared ? lock(of: object).withLockInline(body) : body()
    }

    /// Runs `body` inside of the structure's lock, if other threads may use the subject.
    @inline(__always)
    static func structurally<Result>(isShared: Bool, _ body: () -> Result) -> Result {
        isShared ? structure.withLockInline(body) : body()
    }
}
