#if !os(Windows) && !os(WASI)

#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif
import KivoEngine

/// The kinds of file systems whose files several machines can have open.
enum FileSystemKind {
    /// Returns the name of the network file system that a file is on; nil if it is on no known one.
    static func network(of file: Int32) -> String? {
        #if os(Linux) || os(Android)
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        let device = UInt64(status.st_dev)
        if let known = known.withLock({ $0[device] }) { return known }
        let name = FileCalls.contents("/proc/self/mountinfo").flatMap {
            FileSystemKind.name(ofDevice: device, in: $0)
        }
        let network = name.flatMap { networks.contains($0) ? $0 : nil }
        known.withLock { $0[device] = .some(network) }
        return network
        #elseif canImport(Darwin)
        var found = statfs()
        guard fstatfs(file, &found) == 0 else { return nil }
        return found.f_flags & UInt32(MNT_LOCAL) == 0 ? "not a local volume" : nil
        #else
        return nil
        #endif
    }

    #if os(Linux) || os(Android)
    /// The cached network file systems by device; nil for devices on none.
    private static let known = Lock<[UInt64: String?]>([:])

    private static let networks: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "coda", "lustre", "ncpfs", "gfs2",
        "ocfs2",
        "glusterfs", "fuse.glusterfs", "fuse.sshfs", "virtiofs",
    ]

    /// Returns the name of a device's file system from the system's table of mounts; nil if the table does not list the device.
    static func name(ofDevice device: UInt64, in table: String) -> String? {
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        for line in table.split(separator: "\n") {
            // 36 35 98:0 /root /mount options optional - type source options
            let words = line.split(separator: " ")
            guard words.count > 3, words[2] == "\(major):\(minor)",
                let separator = words.firstIndex(of: "-"), separator + 1 < words.count
            else { continue }
            return String(words[separator + 1])
        }
        return nil
    }
    #endif
}

#endif
