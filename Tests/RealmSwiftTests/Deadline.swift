import RealmSwift

/// A type of a file that imports nothing else: like realm-swift, the product exports Foundation.
struct Deadline {
    var day = Date(timeIntervalSince1970: 0)
}
