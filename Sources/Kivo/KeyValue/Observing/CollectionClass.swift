import KivoObserving

/// What key-value observing knows of a collection: it has one key of its own, `isInvalidated`. Elements are observed through the
/// property that holds the collection.
final class CollectionClass: SubjectClass {
    static let only = CollectionClass()

    var name: String { "collection" }

    private func collection(_ subject: AnyObject) -> (any ModelCollection)? {
        subject as? any ModelCollection
    }

    func observations(of subject: AnyObject) -> KeyValueObservations? { collection(subject)?.observations }
    func makeObservations(of subject: AnyObject) -> KeyValueObservations {
        collection(subject)!.makeObservations()
    }

    func watched(_ keyPath: AnyKeyPath, of subject: AnyObject) -> WatchedKeyPath {
        trap("A collection is observed by name.")
    }

    func key(of component: KeyPathComponent) -> ObservedKey {
        if case .key(let name) = component, name != "isInvalidated", name != "invalidated" {
            return .named(name)
        }
        return .invalidated
    }

    func value(of subject: AnyObject, _ key: String) -> Any? {
        key == "isInvalidated" || key == "invalidated" ? isInvalidated(subject) : nil
    }

    func isInvalidated(_ subject: AnyObject) -> Bool { collection(subject)?.isInvalidated ?? false }
    func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? { Kivo.converted(value, to: type) }
    func plainForm(_ value: Any) -> Any? { ModelForms().plainForm(value) }
    func wideNumber(_ value: Int128) -> any WideNumber { ModelForms().wideNumber(value) }
    func average(_ sum: Int128, of count: Int) -> Double { ModelForms().average(sum, of: count) }
}
