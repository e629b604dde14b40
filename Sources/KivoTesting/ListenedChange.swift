import Foundation
import Kivo

/// A change that a listener received in one call or a stream in one element, or that a test expects.
///
///     .initial(count: 3)
///     .update(deletions: [0], insertions: [2, 3])
///     .update(insertedKeys: ["apples"])
///     .change([.setting("age", from: 1, to: 2)])
///
/// It contains no objects and no collections, and stays valid when these change.
public struct ListenedChange {
    enum Content {
        /// The first call, with the number of elements if that is to be compared.
        case initial(count: Int?)
        /// An update of a collection, a map or sections, whatever changed.
        case anyUpdate
        case positions(deletions: [Int], insertions: [Int], modifications: [Int])
        case keys(deletions: [String], insertions: [String], modifications: [String])
        case sections(
            deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
            inserted: [Int], deleted: [Int])
        case properties([KeyValueChange])
        case deleted
        case realm(Realm.Notification)
        case end
        case error(String)
    }

    let content: Content

    init(_ content: Content) { self.content = content }
}

extension ListenedChange {
    /// The first call of a collection's, a map's or sections' listener.
    public static var initial: Self { Self(.initial(count: nil)) }

    /// The first call, with a number of elements, entries or sections.
    public static func initial(count: Int) -> Self { Self(.initial(count: count)) }

    /// Any update of a collection, a map or sections.
    public static var update: Self { Self(.anyUpdate) }

    /// An update of a collection; positions that are left out are expected to be empty. Those of deletions and modifications are
    /// positions before the change, those of insertions positions after it.
    public static func update(
        deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = []
    ) -> Self {
        Self(.positions(deletions: deletions, insertions: insertions, modifications: modifications))
    }

    /// An update of a map; keys that are left out are expected to be empty.
    public static func update(
        deletedKeys: [String] = [], insertedKeys: [String] = [], modifiedKeys: [String] = []
    ) -> Self {
        Self(.keys(deletions: deletedKeys, insertions: insertedKeys, modifications: modifiedKeys))
    }

    /// An update of sections, or of one section; positions that are left out are expected to be empty.
    ///
    ///     .sections(insertions: [[1, 0]], inserted: [1])
    ///
    /// - Parameters:
    ///   - deletions: index paths of deleted elements, before the change.
    ///   - insertions: index paths of inserted elements, after the change.
    ///   - modifications: index paths of modified elements, before the change.
    ///   - inserted: positions of new sections.
    ///   - deleted: positions of deleted sections.
    public static func sections(
        deletions: [IndexPath] = [], insertions: [IndexPath] = [], modifications: [IndexPath] = [],
        inserted: [Int] = [], deleted: [Int] = []
    ) -> Self {
        Self(
            .sections(
                deletions: deletions, insertions: insertions, modifications: modifications,
                inserted: inserted, deleted: deleted))
    }

    /// Properties of an object or a projection that changed, in this order. Values that are left out are not compared.
    public static func change(_ properties: [KeyValueChange]) -> Self { Self(.properties(properties)) }

    /// Properties of an object or a projection that changed, in this order, whatever their values.
    public static func change(_ names: String...) -> Self {
        Self(.properties(names.map { .setting($0) }))
    }

    /// The object was deleted.
    public static var deleted: Self { Self(.deleted) }

    /// A notification that a realm's listener received.
    public static func realm(_ notification: Realm.Notification) -> Self { Self(.realm(notification)) }

    /// The stream ended.
    public static var end: Self { Self(.end) }
}

extension ListenedChange {
    /// Whether a recorded change matches this expected one.
    func isMet(by recorded: Self) -> Bool {
        switch (content, recorded.content) {
        case (.initial(let count), .initial(let recorded)): count == nil || count == recorded
        case (.anyUpdate, .positions), (.anyUpdate, .keys), (.anyUpdate, .sections): true
        case (.positions(let a, let b, let c), .positions(let x, let y, let z)):
            a == x && b == y && c == z
        case (.keys(let a, let b, let c), .keys(let x, let y, let z)): a == x && b == y && c == z
        case (.sections(let a, let b, let c, let d, let e), .sections(let v, let w, let x, let y, let z)):
            a == v && b == w && c == x && d == y && e == z
        case (.properties(let expected), .properties(let recorded)):
            expected.count == recorded.count && zip(expected, recorded).allSatisfy { $0.isMet(by: $1) }
        case (.realm(let expected), .realm(let recorded)): expected == recorded
        case (.deleted, .deleted), (.end, .end): true
        default: false
        }
    }
}

extension ListenedChange: CustomStringConvertible {
    /// The change, as a test would write it.
    public var description: String {
        switch content {
        case .initial(let count): count.map { ".initial(count: \($0))" } ?? ".initial"
        case .anyUpdate: ".update"
        case .positions(let deletions, let insertions, let modifications):
            ".update"
                + Self.arguments([
                    ("deletions", deletions), ("insertions", insertions), ("modifications", modifications),
                ])
        case .keys(let deletions, let insertions, let modifications):
            ".update"
                + Self.arguments([
                    ("deletedKeys", deletions), ("insertedKeys", insertions), ("modifiedKeys", modifications),
                ])
        case .sections(let deletions, let insertions, let modifications, let inserted, let deleted):
            ".sections"
                + Self.arguments([
                    ("deletions", deletions.map(Array.init)), ("insertions", insertions.map(Array.init)),
                    ("modifications", modifications.map(Array.init)), ("inserted", inserted),
                    ("deleted", deleted),
                ])
        case .properties(let properties):
            ".change([" + properties.map(\.description).joined(separator: ", ") + "])"
        case .deleted: ".deleted"
        case .realm(.didChange): ".realm(.didChange)"
        case .realm(.refreshRequired): ".realm(.refreshRequired)"
        case .end: ".end"
        case .error(let text): ".error(\(text))"
        }
    }

    /// Returns the arguments that are not empty, in parentheses.
    private static func arguments(_ arguments: [(name: String, values: [Any])]) -> String {
        let parts = arguments.filter { !$0.values.isEmpty }.map { "\($0.name): \($0.values)" }
        return "(" + parts.joined(separator: ", ") + ")"
    }
}

/// A change from a listener or a stream that a ``ChangeRecorder`` can record.
public protocol RecordableChange {
    /// The change without objects and collections.
    var listenedChange: ListenedChange { get }
}

extension RealmCollectionChange: RecordableChange where CollectionType: Swift.Collection {
    /// The change without the collection.
    public var listenedChange: ListenedChange {
        switch self {
        case .initial(let collection): .initial(count: collection.count)
        case .update(_, let deletions, let insertions, let modifications):
            .update(deletions: deletions, insertions: insertions, modifications: modifications)
        case .error(let error): ListenedChange(.error("\(error)"))
        }
    }
}

extension RealmMapChange: RecordableChange {
    /// The change without the map.
    public var listenedChange: ListenedChange {
        switch self {
        case .initial(let map): .initial(count: map.count)
        case .update(_, let deletions, let insertions, let modifications):
            .update(
                deletedKeys: deletions.map { "\($0)" }, insertedKeys: insertions.map { "\($0)" },
                modifiedKeys: modifications.map { "\($0)" })
        case .error(let error): ListenedChange(.error("\(error)"))
        }
    }
}

extension SectionedResultsChange: RecordableChange where Collection: Swift.Collection {
    /// The change without the sections.
    public var listenedChange: ListenedChange {
        switch self {
        case .initial(let sections): .initial(count: sections.count)
        case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
            .sections(
                deletions: deletions, insertions: insertions, modifications: modifications,
                inserted: Array(inserted), deleted: Array(deleted))
        }
    }
}

extension ObjectChange: RecordableChange {
    /// The change without the object. Collections are copied, because they change later.
    public var listenedChange: ListenedChange {
        switch self {
        case .change(_, let properties):
            .change(
                properties.map {
                    KeyValueChange(
                        $0.name, .setting, old: $0.oldValue.map(KeyValueRecorder.kept),
                        new: $0.newValue.map(KeyValueRecorder.kept))
                })
        case .deleted: .deleted
        case .error(let error): ListenedChange(.error("\(error)"))
        }
    }
}

extension Realm.Notification: RecordableChange {
    /// The notification.
    public var listenedChange: ListenedChange { .realm(self) }
}
