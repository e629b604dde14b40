import Foundation

extension Realm.Error {
    /// Creates an error from a code and the user info of an `NSError`.
    ///
    ///     throw Realm.Error(.fail)
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - userInfo: The message under `NSLocalizedDescriptionKey`, the path of the file under `NSFilePathErrorKey`; other keys
    ///     are ignored.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(
            code, userInfo[NSLocalizedDescriptionKey] as? String ?? "An error of kind '\(code)' occurred.",
            fileURL: (userInfo[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) })
    }

    /// The message, and the path of the file if the error is about one, under the keys of `NSError`.
    public var userInfo: [String: Any] { errorUserInfo }
}
