/// Kivo under the name of the library that it succeeds: sources that `import RealmSwift`, and say `RealmSwift.List` where
/// another `List` is near, compile as they are. What was a part of that library and cannot be here (its server, and
/// Objective-C) is declared unavailable, and says what to do instead.
@_exported import Kivo
