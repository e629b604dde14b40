#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The current path of an open file, as the system reports it. It gets another ending once the file is deleted.
struct FileLink: Equatable {
    private let bytes: [UInt8]

    /// Reads the path of an open file; nil if the system does not report it completely.
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

    /// Whether the file is at a path that contains no links.
    func isPath(_ path: String) -> Bool { bytes.elementsEqual(path.utf8) }
}

#endif
