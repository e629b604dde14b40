import Foundation

/// The reason why output takes no more bytes.
enum OutputEnd: Error {
    /// The reader closed the pipe, because it has read enough.
    case closed
    /// Bytes were lost; the system's reason as text.
    case lost(reason: String)

    /// Creates the reason from an error of writing.
    init(_ error: any Error) {
        let system = OutputEnd.systemError(error as NSError)
        #if os(Windows)
        // ERROR_BROKEN_PIPE and ERROR_NO_DATA
        let isClosedPipe = system?.code == 109 || system?.code == 232
        #else
        let isClosedPipe = system?.code == Int(EPIPE)
        #endif
        guard !isClosedPipe else {
            self = .closed
            return
        }
        #if os(Windows)
        self = .lost(reason: (system ?? error as NSError).localizedDescription)
        #else
        self = .lost(
            reason: system.flatMap { strerror(Int32($0.code)) }.map { String(cString: $0) }
                ?? error.localizedDescription)
        #endif
    }

    /// Returns the error with the system's number, which is the error itself or an underlying one.
    private static func systemError(_ error: NSError) -> NSError? {
        if error.domain != NSCocoaErrorDomain { return error }
        return (error.userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(systemError)
    }
}
