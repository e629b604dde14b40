#if os(Windows)

import Foundation
import WinSDK

/// The functions and constants of Windows that file access uses.
///
/// The constants are numbers, because the system's headers give them several types.
enum WindowsCall {
    // CreateFileW
    static let reading: DWORD = 0x8000_0000
    static let writing: DWORD = 0x4000_0000
    static let sharingReads: DWORD = 1
    static let sharingWrites: DWORD = 2
    static let openingWhatIsThere: DWORD = 3
    static let openingOrMaking: DWORD = 4
    static let normalFile: DWORD = 0x80
    static let linkItself: DWORD = 0x20_0000
    // GetFileType
    static let disk: DWORD = 1
    // Attributes of files
    static let folder: DWORD = 0x10
    static let link: DWORD = 0x400
    // LockFileEx
    static let failingAtOnce: DWORD = 1
    static let exclusively: DWORD = 2
    // MoveFileExW
    static let replacing: DWORD = 1
    static let writingThrough: DWORD = 8
    // FormatMessageW
    static let textOfSystem: DWORD = 0x1000
    static let withoutInserts: DWORD = 0x200
    // Errors
    static let fileNotFound: DWORD = 2
    static let pathNotFound: DWORD = 3
    static let endOfFile: DWORD = 38

    /// The maximal number of bytes for one call.
    static let mostBytes = 1 << 30

    /// Throws the last error of the system if a call reports failure.
    @discardableResult
    static func call(_ operation: String, _ succeeded: Bool) throws(JournalError) -> Bool {
        if succeeded { return true }
        throw JournalError(windows: GetLastError(), operation: operation)
    }
}

/// Paths in the form that the system requires.
enum FileNames {
    static func withName<Result>(_ path: String, _ body: (UnsafePointer<WCHAR>) -> Result) -> Result {
        let native = URL(fileURLWithPath: path).withUnsafeFileSystemRepresentation {
            $0.map { String(cString: $0) } ?? path
        }.replacing("/", with: "\\")
        // A longer path fails without this prefix, and a path of another machine has its own.
        let isLong = native.utf16.count > 247 && !native.hasPrefix("\\\\")
        return (isLong ? "\\\\?\\" + native : native).withCString(encodedAs: UTF16.self, body)
    }
}

extension JournalError {
    /// Creates the error that corresponds to an error of the system.
    init(windows error: DWORD, operation: String) {
        switch error {
        case WindowsCall.fileNotFound, WindowsCall.pathNotFound: self = .notFound
        // Access denied, write-protected
        case 5, 19: self = .permissionDenied
        // Sharing violation, lock violation, a lock that would have to be waited for
        case 32, 33, 997: self = .alreadyOpen
        case 80, 183: self = .exists
        case 39, 112: self = .noSpace
        case 1295: self = .quotaExceeded
        case 223: self = .tooLarge
        default: self = .io(errno: Int32(bitPattern: error), operation: operation)
        }
    }
}

#endif
