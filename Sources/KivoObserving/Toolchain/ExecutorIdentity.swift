/// The identity of an executor, which runs jobs of Swift concurrency one after the other. It is found without asking the
/// executor.
package struct ExecutorIdentity: Equatable, Sendable {
    /// The actor itself, or the executor that it has chosen.
    private let object: UInt
    /// The witness table, or 0 for a default actor, which runs its jobs itself.
    private let conformance: UInt

    package init(_ executor: UnownedSerialExecutor) {
        // An executor is these two words; the runtime compares them likewise.
        (object, conformance) = unsafeBitCast(executor, to: (UInt, UInt).self)
    }

    /// Returns the object that an executor is, or nil if that is not known.
    ///
    /// - Precondition: The object has not been deallocated.
    package static func object(of executor: UnownedSerialExecutor) -> AnyObject? {
        guard isKnown else { return nil }
        let (object, _) = unsafeBitCast(executor, to: (UInt, UInt).self)
        return Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(bitPattern: object)!).takeUnretainedValue()
    }

    /// Whether the executor is a default actor, which runs its jobs itself and cannot be asked: it has no witness table.
    package var isDefaultActor: Bool { ExecutorIdentity.isKnown && conformance == 0 }

    /// Whether an executor is an object and its witness table: known of an actor that runs its jobs itself.
    static let isKnown: Bool = {
        let sample = Sample()
        let identity = ExecutorIdentity(sample.unownedExecutor)
        return identity.object == UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque())
            && identity.conformance == 0
    }()

    private actor Sample {}

    /// Whether the runtime says which executor runs the current job.
    static var isCurrentKnown: Bool { question != nil }

    /// Whether a job of this executor runs this code, or nil if that is unknown: code may run where an executor's jobs run
    /// without being one of them.
    package var runsCurrentJob: Bool? {
        guard ExecutorIdentity.isKnown, let current = ExecutorIdentity.ofCurrentJob else { return nil }
        if current == object { return true }
        return isDefaultActor ? false : nil
    }

    /// The object of the executor whose job runs this code, or 0 outside of all jobs. Nil if the runtime's function is not
    /// available.
    @inline(__always)
    private static var ofCurrentJob: UInt? { question.map { $0() } }

    private typealias Question = @convention(c) () -> UInt

    /// The runtime's function by which functions of an actor find the executor to return to. Swift has no name for it: the only
    /// check that can be written in Swift ends the program if it fails. The function returns an executor in two registers. The
    /// first of these is the one in which a function returns a number.
    ///
    /// A statically linked program does not export the runtime's functions, so that this is nil there. A declaration by
    /// `@_silgen_name` would find it, but the compiler warns that it will reject the name.
    private static let question = symbol(named: "swift_task_getCurrentExecutor").map {
        unsafeBitCast($0, to: Question.self)
    }
}
