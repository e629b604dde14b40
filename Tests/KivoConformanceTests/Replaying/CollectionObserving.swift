import Kivo

extension RealmCollection where Element: ConformanceElement {
    /// Observes the collection, with what is seen through it as a scenario writes it.
    func observe(
        keyPaths: [String]?, recorder: ChangeRecorder, contents: @escaping (Self) -> JSONValue
    ) -> NotificationToken {
        recorder.readContents = { contents(self) }
        return observe(keyPaths: keyPaths, on: nil) { (change: RealmCollectionChange<Self>) in
            switch change {
            case .initial(let collection):
                recorder.recordInitial(contents: contents(collection))
            case .update(let collection, let deletions, let insertions, let modifications):
                let delivery = CollectionDelivery(
                    deletions: deletions, insertions: insertions, modifications: modifications,
                    currentModifications: change.currentModifications)
                recorder.record(.collection(delivery), contents: contents(collection))
            case .error(let error):
                recorder.record(.failure("\(error)"), contents: .null)
            }
        }
    }

    /// The elements, or null once the owner is gone.
    var contentsOrNull: JSONValue {
        isInvalidated ? .null : .array(Array(self).map(\.json))
    }
}

extension Results where Element: ConformanceElement {
    /// Observes a query. Without its source, a query for objects is empty, and one for plain values is nothing.
    func observe(for thing: ObservedThing, recorder: ChangeRecorder) -> NotificationToken {
        observe(keyPaths: thing.keypaths, recorder: recorder) {
            Element.self is any ConformanceModel.Type
                ? .array(Array($0).map(\.json)) : $0.contentsOrNull
        }
    }
}

extension Map {
    /// Observes the map, with what is seen through it as a scenario writes it.
    func observe(
        keyPaths: [String]?, recorder: ChangeRecorder, contents: @escaping (Map) -> JSONValue
    ) -> NotificationToken {
        recorder.readContents = { contents(self) }
        return observe(keyPaths: keyPaths, on: nil) { (change: RealmMapChange<Map>) in
            switch change {
            case .initial(let map):
                recorder.recordInitial(contents: contents(map))
            case .update(let map, let deletions, let insertions, let modifications):
                let change = MapDelivery(
                    deletions: deletions.map(\._mapKey), insertions: insertions.map(\._mapKey),
                    modifications: modifications.map(\._mapKey))
                recorder.record(.map(change), contents: contents(map))
            case .error(let error):
                recorder.record(.failure("\(error)"), contents: .null)
            }
        }
    }
}
