#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#elseif canImport(WASILibc)
import WASILibc
#elseif os(Windows)
import ucrt
#endif

/// What an error number of the system means, in its words.
func systemErrorText(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "a system error" }
    return String(cString: text)
}
