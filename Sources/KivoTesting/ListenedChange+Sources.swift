import Foundation
import Kivo

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
