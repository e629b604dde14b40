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
import WinSDK
#endif

/// Returns the system's description of an error number.
func systemErrorText(_ number: Int32) -> String {
    #if os(Windows)
    let units = [WCHAR](unsafeUninitializedCapacity: 512) { buffer, count in
        count = Int(
            FormatMessageW(
                WindowsCall.textOfSystem | WindowsCall.withoutInserts, nil, DWORD(bitPattern: number), 0,
                buffer.baseAddress, DWORD(buffer.count), nil))
    }
    let text = String(decoding: units, as: UTF16.self)
    return text.isEmpty ? "a system error" : String(text.prefix { !$0.isNewline })
    #else
    guard let text = strerror(number) else { return "a system error" }
    return String(cString: text)
    #endif
}
