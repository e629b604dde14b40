// A double of what Windows declares, by its documentation and as the compiler imports it there: as much as Kivo uses.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public typealias BYTE = UInt8
public typealias WCHAR = UInt16
public typealias DWORD = UInt32
public typealias LONGLONG = Int64
public typealias HANDLE = UnsafeMutableRawPointer
public typealias LPVOID = UnsafeMutableRawPointer

public var INVALID_HANDLE_VALUE: HANDLE { HANDLE(bitPattern: -1)! }

public struct SECURITY_ATTRIBUTES {
    public init() {}
}

public struct FILETIME {
    public var dwLowDateTime: DWORD = 0
    public var dwHighDateTime: DWORD = 0

    public init() {}
}

public struct LARGE_INTEGER {
    public var QuadPart: LONGLONG = 0

    public init() {}
}

public struct OVERLAPPED {
    public var Internal: UInt64 = 0
    public var InternalHigh: UInt64 = 0
    public var Offset: DWORD = 0
    public var OffsetHigh: DWORD = 0
    public var hEvent: HANDLE?

    public init() {}
}

public struct BY_HANDLE_FILE_INFORMATION {
    public var dwFileAttributes: DWORD = 0
    public var ftCreationTime = FILETIME()
    public var ftLastAccessTime = FILETIME()
    public var ftLastWriteTime = FILETIME()
    public var dwVolumeSerialNumber: DWORD = 0
    public var nFileSizeHigh: DWORD = 0
    public var nFileSizeLow: DWORD = 0
    public var nNumberOfLinks: DWORD = 0
    public var nFileIndexHigh: DWORD = 0
    public var nFileIndexLow: DWORD = 0

    public init() {}
}

public struct FILE_END_OF_FILE_INFO {
    public var EndOfFile = LARGE_INTEGER()

    public init() {}
}

public struct FILE_INFO_BY_HANDLE_CLASS: RawRepresentable, Sendable {
    public var rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }
}

public let FileEndOfFileInfo = FILE_INFO_BY_HANDLE_CLASS(rawValue: 6)

public func GetLastError() -> DWORD { fatalError("This is no Windows.") }

public func CreateFileW(
    _ name: UnsafePointer<WCHAR>!, _ access: DWORD, _ share: DWORD,
    _ security: UnsafeMutablePointer<SECURITY_ATTRIBUTES>!, _ disposition: DWORD, _ flags: DWORD,
    _ template: HANDLE!
) -> HANDLE! { fatalError("This is no Windows.") }

@discardableResult
public func CloseHandle(_ object: HANDLE!) -> Bool { fatalError("This is no Windows.") }

public func GetFileType(_ file: HANDLE!) -> DWORD { fatalError("This is no Windows.") }

public func GetFileInformationByHandle(
    _ file: HANDLE!, _ information: UnsafeMutablePointer<BY_HANDLE_FILE_INFORMATION>!
) -> Bool { fatalError("This is no Windows.") }

public func SetFileInformationByHandle(
    _ file: HANDLE!, _ kind: FILE_INFO_BY_HANDLE_CLASS, _ information: LPVOID!, _ byteCount: DWORD
) -> Bool { fatalError("This is no Windows.") }

public func GetFileSizeEx(_ file: HANDLE!, _ size: UnsafeMutablePointer<LARGE_INTEGER>!) -> Bool {
    fatalError("This is no Windows.")
}

public func ReadFile(
    _ file: HANDLE!, _ buffer: LPVOID!, _ byteCount: DWORD, _ count: UnsafeMutablePointer<DWORD>!,
    _ place: UnsafeMutablePointer<OVERLAPPED>!
) -> Bool { fatalError("This is no Windows.") }

public func WriteFile(
    _ file: HANDLE!, _ buffer: UnsafeRawPointer!, _ byteCount: DWORD, _ count: UnsafeMutablePointer<DWORD>!,
    _ place: UnsafeMutablePointer<OVERLAPPED>!
) -> Bool { fatalError("This is no Windows.") }

public func FlushFileBuffers(_ file: HANDLE!) -> Bool { fatalError("This is no Windows.") }

public func LockFileEx(
    _ file: HANDLE!, _ flags: DWORD, _ reserved: DWORD, _ countLow: DWORD, _ countHigh: DWORD,
    _ place: UnsafeMutablePointer<OVERLAPPED>!
) -> Bool { fatalError("This is no Windows.") }

public func MoveFileExW(
    _ source: UnsafePointer<WCHAR>!, _ target: UnsafePointer<WCHAR>!, _ flags: DWORD
) -> Bool { fatalError("This is no Windows.") }

public func DeleteFileW(_ name: UnsafePointer<WCHAR>!) -> Bool { fatalError("This is no Windows.") }

public func FormatMessageW(
    _ flags: DWORD, _ source: UnsafeRawPointer!, _ message: DWORD, _ language: DWORD,
    _ buffer: UnsafeMutablePointer<WCHAR>!, _ count: DWORD,
    _ arguments: UnsafeMutablePointer<CVaListPointer?>!
) -> DWORD { fatalError("This is no Windows.") }

public func Sleep(_ milliseconds: DWORD) { fatalError("This is no Windows.") }

public func FlsAlloc(_ end: (@convention(c) (LPVOID?) -> Void)!) -> DWORD {
    fatalError("This is no Windows.")
}

public func FlsGetValue(_ slot: DWORD) -> LPVOID! { fatalError("This is no Windows.") }

@discardableResult
public func FlsSetValue(_ slot: DWORD, _ value: LPVOID!) -> Bool { fatalError("This is no Windows.") }
