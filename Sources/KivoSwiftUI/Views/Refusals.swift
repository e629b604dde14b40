#if canImport(SwiftUI)
import Foundation
import Kivo
import SwiftUI

// Compiler messages for the server's API, and for initialisers that take an `NSPredicate`.

@available(
    *, unavailable, renamed: "AutoOpen",
    message: "nothing is downloaded: '@AutoOpen' opens the file away from the main actor"
)
public typealias AsyncOpen = AutoOpen

extension AutoOpen {
    /// Unavailable: there is no server to open from.
    @available(*, unavailable, message: "there is no server to open from: '@AutoOpen(configuration:)'")
    public init(appId: String?, configuration: Realm.Configuration? = nil, timeout: UInt? = nil) {
        fatalError("unavailable")
    }

    /// Unavailable: there is no server with partitions to open from.
    @available(*, unavailable, message: "there is no server to open from: '@AutoOpen(configuration:)'")
    public init<Partition>(
        appId: String? = nil, partitionValue: Partition, configuration: Realm.Configuration? = nil,
        timeout: UInt? = nil
    ) {
        fatalError("unavailable")
    }
}

extension ObservedResults {
    /// Unavailable: `NSPredicate` is not supported.
    @available(
        *, unavailable,
        message: "write 'where: { $0.age > 3 }', or 'filter: PredicateString(\"age > %@\", 3)'"
    )
    public init(
        _ type: ResultType.Type, configuration: Realm.Configuration? = nil, filter: NSPredicate,
        keyPaths: [String]? = nil, sortDescriptor: Kivo.SortDescriptor? = nil
    ) {
        fatalError("unavailable")
    }
}

extension ObservedSectionedResults {
    /// Unavailable: `NSPredicate` is not supported.
    @available(
        *, unavailable,
        message: "write 'where: { $0.age > 3 }', or 'filter: PredicateString(\"age > %@\", 3)'"
    )
    public init(
        _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
        sortDescriptors: [Kivo.SortDescriptor] = [], filter: NSPredicate, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil
    ) {
        fatalError("unavailable")
    }
}
#endif
