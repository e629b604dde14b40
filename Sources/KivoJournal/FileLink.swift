#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where an open file is now, as the system has it: its path, which ends in another way once the file is deleted.
struct FileLink: Equatable {
    private let bytes: [UInt8]

    /// Asks for an open file; nil if the system does not say, or not as a whole.
    init?(_ descriptor: Int32) {
        let capacity = 4096
        bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let found = buffer.withMemoryRebound(to: CChar.self) {
                readlink("/proc/self/fd/\(descriptor)", $0.baseAddress!, capacity)
            }
            count = max(found, 0)
        }
        if bytes.isEmpty || bytes.count == capacity { return nil }
    }

    /// Whether the file is at a path that names it without links on the way.
    func isPath(_ path: String) -> Bool { bytes.elementsEqual(path.utf8) }
}

#endif
