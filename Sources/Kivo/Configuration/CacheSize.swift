import Foundation

extension Realm.Configuration {
    /// The number of bytes of clean nodes above which a store lets go of some.
    var cacheLimit: Int { max(0, cacheSize ?? CacheSize.standard) }
}

/// The size of the cache where a configuration names none.
enum CacheSize {
    /// The size for this process, determined once: no limit.
    static let standard = size(ProcessInfo.processInfo.environment)

    /// Returns the size in an environment, in which `KIVO_CACHE_SIZE` is the number of bytes, for tests.
    static func size(_ environment: [String: String]) -> Int {
        environment["KIVO_CACHE_SIZE"].flatMap { Int($0) }.map { max(0, $0) } ?? .max
    }
}
