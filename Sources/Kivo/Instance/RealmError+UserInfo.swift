import Foundation

extension Realm.Error {
    /// An error of a kind, with what it says given as `NSError` has it.
    ///
    ///     throw Realm.Error(.fail)
    ///
    /// - Parameters:
    ///   - code: the kind.
    ///   - userInfo: the message by `NSLocalizedDescriptionKey`, the path of the file by `NSFilePathErrorKey`; nothing else is
    ///     kept.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(
            code, userInfo[NSLocalizedDescriptionKey] as? String ?? "An error of kind '\(code)' occurred.",
            fileURL: (userInfo[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) })
    }

    /// The message, and the path of the file if it is about one, by the keys that `NSError` has for them.
    public var userInfo: [String: Any] { errorUserInfo }
}
