import Foundation

/// Whether the tests run under a sanitizer, where functions take several times the stack and the time that they take otherwise.
enum Sanitizer {
    static let isPresent: Bool = {
        #if os(Windows)
        false
        #else
        dlsym(UnsafeMutableRawPointer(bitPattern: defaultHandle), "__sanitizer_print_stack_trace") != nil
        #endif
    }()

    /// `RTLD_DEFAULT`: look everywhere.
    #if canImport(Darwin)
    private static let defaultHandle = -2
    #else
    private static let defaultHandle = 0
    #endif
}
