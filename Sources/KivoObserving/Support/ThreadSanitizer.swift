#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The thread sanitizer, if the program was built with it.
///
/// The accessors of an observed property read the reference to the observers by a plain load. Another thread may register the first
/// observer of the instance meanwhile, and stores the reference by an atomic operation. A plain load of one word finds the old or the
/// new reference, and needs no order: only what is reached through the reference is used. The sanitizer does not know that, and
/// would report a race in correct programs.
enum ThreadSanitizer {
    private typealias Function = @convention(c) (UnsafePointer<CChar>?, Int32) -> Void

    /// The functions by which code declares that its writes are no part of a race.
    private static let ignoring: (begin: Function, end: Function)? = {
        guard let begin = symbol(named: "AnnotateIgnoreWritesBegin"),
            let end = symbol(named: "AnnotateIgnoreWritesEnd")
        else { return nil }
        return (unsafeBitCast(begin, to: Function.self), unsafeBitCast(end, to: Function.self))
    }()

    /// Runs `body`, whose writes other threads may read meanwhile by plain loads.
    @inline(__always)
    static func ignoringWrites<Result>(_ body: () -> Result) -> Result {
        guard let ignoring else { return body() }
        ignoring.begin(nil, 0)
        defer { ignoring.end(nil, 0) }
        return body()
    }
}

/// Returns the address of a function that the program or a library of it exports; nil if there is none, as in statically linked
/// programs.
func symbol(named name: String) -> UnsafeMutableRawPointer? {
    #if canImport(WinSDK) || os(WASI)
    return nil
    #else
    #if canImport(Darwin)
    let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
    let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(everywhere, name)
    #endif
}
