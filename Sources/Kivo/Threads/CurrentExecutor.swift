#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What runs jobs of Swift's concurrency one after the other, as far as it can be told without asking it.
struct ExecutorIdentity: Equatable, Sendable {
    /// The actor itself, or the executor that it has chosen.
    private let object: UInt
    /// 0 for an actor that runs its jobs by itself.
    private let conformance: UInt

    init(_ executor: UnownedSerialExecutor) {
        // An executor is these two words; the runtime compares them likewise.
        (object, conformance) = unsafeBitCast(executor, to: (UInt, UInt).self)
    }

    /// The object that an executor is, while it is there.
    static func object(of executor: UnownedSerialExecutor) -> AnyObject {
        let (object, _) = unsafeBitCast(executor, to: (UInt, UInt).self)
        return Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(bitPattern: object)!).takeUnretainedValue()
    }

    /// Whether the executor is a default actor, which runs its jobs by itself and cannot be asked: it has no witness table.
    var isDefaultActor: Bool { conformance == 0 }

    /// Whether a job of this executor runs this code; nil if that cannot be told: code may run where an executor's jobs do
    /// without being one.
    var runsCurrentJob: Bool? {
        guard let current = ExecutorIdentity.ofCurrentJob else { return nil }
        if current == object { return true }
        return isDefaultActor ? false : nil
    }

    /// The object of the executor whose job runs this code, 0 outside of all jobs; nil if the runtime does not say.
    @inline(__always)
    private static var ofCurrentJob: UInt? { question.map { $0() } }

    private typealias Question = @convention(c) () -> UInt

    /// The runtime's function by which functions of an actor find out where to return to. Swift has no name for it: all that
    /// can be written is the question that ends the program if the answer is no. It returns an executor in two registers, of
    /// which the first is what a function that returns a number returns it in.
    ///
    /// A statically linked program does not export the runtime's functions, so that this is nil there. A declaration by
    /// `@_silgen_name` would find it, but the compiler warns that it will refuse the name.
    private static let question: Question? = {
        #if canImport(WinSDK) || os(WASI)
        return nil
        #else
        #if canImport(Darwin)
        let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
        #else
        let everywhere: UnsafeMutableRawPointer? = nil
        #endif
        return dlsym(everywhere, "swift_task_getCurrentExecutor").map { unsafeBitCast($0, to: Question.self) }
        #endif
    }()
}
