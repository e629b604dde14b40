import Foundation
import KivoEngine
import KivoObserving

/// The observations by key path of one live number, and the listener that notifies them.
struct LiveWatch {
    var observations: KeyValueObservations?
    /// The token of the listener, while there are observers.
    fileprivate var token: NotificationToken?
    /// The value that the observers have seen, while there are any.
    fileprivate(set) var seen: Any?
}

/// A live number, or live groups, as a subject of key-value observing. It has one key, and notifies its observers on the turns on
/// which its listeners are called.
protocol LiveSubject: KeyValueObservable {
    var watch: LiveWatch { get set }
    var instance: RealmInstance { get }
    /// The only key, and its key path.
    static var liveKey: (name: String, keyPath: AnyKeyPath) { get }
    /// The current value.
    var current: Any { get }
    /// Returns a listener that calls the closure with the first value and with each one that differs from the one before. The
    /// listener does not retain the subject.
    func makeListener(_ call: @escaping (Any) -> Void) -> Listener
}

extension LiveSubject {
    /// Begins to notify the observers of changes from now on.
    fileprivate func beginWatching() {
        // A key path through another object leads here without a registration on the number itself.
        instance.checkObservable("A live number")
        // The listener's own reads are not recorded for the observer.
        let listener = makeListener { [weak self] value in self?.publish(value) }
        watch.token = ReadProbe.withoutNoting { instance.listeners.addCalling(listener) }
    }

    fileprivate func endWatching() {
        watch.token = nil
        watch.seen = nil
    }

    private func publish(_ value: Any) {
        guard watch.seen != nil, let observations = watch.observations else {
            watch.seen = value
            return
        }
        observations.changing(LiveClass.column, .wholesale) { watch.seen = value }
    }

    /// Returns the value of the only key; another one is forwarded to `value(forUndefinedKey:)`.
    func liveValue(forKey key: String) -> Any? {
        key == Self.liveKey.name ? current : value(forUndefinedKey: key)
    }

    func trapSet(_ key: String) -> Never {
        trap("'\(key)' of a '\(Self.self)' cannot be set: it follows a collection.")
    }
}

/// The class of live numbers for key-value observing.
final class LiveClass: SubjectClass {
    static let only = LiveClass()
    /// The number of the only key.
    fileprivate static let column = 0

    var name: String { "live number" }

    private func live(_ subject: AnyObject) -> any LiveSubject {
        guard let live = subject as? any LiveSubject else { fatalError("a live number is of another class") }
        return live
    }

    func observations(of subject: AnyObject) -> KeyValueObservations? { live(subject).watch.observations }

    func makeObservations(of subject: AnyObject) -> KeyValueObservations {
        let live = live(subject)
        if let known = live.watch.observations { return known }
        let made = KeyValueObservations(subject, self, host: LiveHost(live))
        live.watch.observations = made
        return made
    }

    func register(_ observation: KeyValueRegistration, on subject: AnyObject) {
        let live = live(subject)
        live.instance.checkObservable("A live number")
        let key = type(of: live).liveKey.name
        guard case .key(key)? = observation.path.components.first else {
            trap(
                "A '\(type(of: live))' can be observed for '\(key)' only, not for '\(observation.path.text)'."
            )
        }
        makeObservations(of: subject).add(observation)
    }

    func watched(_ keyPath: AnyKeyPath, of subject: AnyObject) -> WatchedKeyPath {
        let live = live(subject)
        let (key, known) = type(of: live).liveKey
        guard keyPath == known else {
            trap("A '\(type(of: live))' can be observed for '\(key)' only, not for '\(keyPath)'.")
        }
        let path = WatchedKeyPath(key, [.key(key)], typed: keyPath)
        path.setHead(self)
        return path
    }

    func key(of component: KeyPathComponent) -> ObservedKey {
        if case .key(let name) = component { return .column(LiveClass.column, name) }
        return .named("@")
    }

    /// Observers read the value that they have seen, or are about to see.
    func value(of subject: AnyObject, _ key: String) -> Any? {
        let live = live(subject)
        return live.watch.seen ?? live.liveValue(forKey: key)
    }

    func isStored(_ key: ObservedKey) -> Bool { false }
    func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? { Kivo.converted(value, to: type) }
    func plainForm(_ value: Any) -> Any? { ModelForms().plainForm(value) }
    func wideNumber(_ value: Int128) -> any WideNumber { ModelForms().wideNumber(value) }
    func average(_ sum: Int128, of count: Int) -> Double { ModelForms().average(sum, of: count) }
}

/// The realm of a live number that is observed by key path.
private final class LiveHost: SubjectHost {
    private weak var subject: (any LiveSubject)?
    private let handle: InstanceHandle

    init(_ subject: any LiveSubject) {
        self.subject = subject
        handle = subject.instance.handle
    }

    var isCurrent: Bool { handle.isCurrent }
    var liveSubject: AnyObject? { subject }
    var ender: any ObservationEnder { handle }

    func willRegister() { subject?.instance.releaseEndedElsewhere() }
    func beginListening(_ observations: KeyValueObservations) { subject?.beginWatching() }
    func endListening(_ observations: KeyValueObservations) { subject?.endWatching() }
}

extension LiveNumber: KeyValueObservable {
    public var _observing: _ObservedClass { _ObservedClass(LiveClass.only) }

    /// Returns the value of the only key, `"value"`; another key traps.
    public func value(forKey key: String) -> Any? { liveValue(forKey: key) }

    /// Traps: the number follows its collection.
    public func setValue(_ value: Any?, forKey key: String) { trapSet(key) }
}

extension LiveNumber: LiveSubject {
    var instance: RealmInstance { query.instance }
    static var liveKey: (name: String, keyPath: AnyKeyPath) { ("value", \LiveNumber.value) }
    var current: Any { value }

    func makeListener(_ call: @escaping (Any) -> Void) -> Listener {
        NumberListener(query, number) { [convert] in call(convert($0)) }
    }
}
