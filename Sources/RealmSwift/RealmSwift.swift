/// Kivo under the name of the library that it succeeds. Sources that `import RealmSwift`, and write `RealmSwift.List` to
/// distinguish it from another `List`, compile without changes. Parts of that library that cannot exist here (its server and
/// Objective-C) are declared unavailable, with a message that says what to write instead.
@_exported import Kivo
