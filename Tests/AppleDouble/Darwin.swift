// swift-format-ignore-file
// What Kivo uses of Apple's C library and Linux' does not have. The names are the
// system's. See `.ci/apple-double`.
@_exported import Glibc

public let F_FULLFSYNC: Int32 = 51
public let O_EVTONLY: Int32 = 0x8000
public let MNT_LOCAL: Int32 = 0x1000

public struct statfs {
    public var f_flags: UInt32 = 0
    public init() {}
}

public func fstatfs(_ file: Int32, _ status: UnsafeMutablePointer<statfs>) -> Int32 { -1 }

/// The end of a thread's value is given a pointer that is not nil.
public func pthread_key_create(
    _ key: UnsafeMutablePointer<pthread_key_t>, _ end: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { -1 }
