import Foundation
import Kivo

/// A recorder of the changes that key-value observing reports, in order, for a test to compare with the expected ones.
///
///     let recorder = KeyValueRecorder(observing: dog, "name", "age")
///     dog.age = 3
///     recorder.assertChanges([.setting("age", from: 2, to: 3)])
///
/// Tests with XCTest call ``assertChanges(_:_:file:line:)``, tests with Swift Testing ``expectChanges(_:_:sourceLocation:)``. A
/// failure shows the expected and the recorded changes line by line, as a test would write them.
///
/// Recording ends with ``stop()`` or when the recorder is released. Observed objects are held weakly. Belongs to the thread of
/// the observed objects.
public final class KeyValueRecorder {
    /// The changes that were recorded so far.
    public private(set) var changes: [KeyValueChange] = []

    private struct Registration {
        weak var object: (any KeyValueObservable)?
        let keyPath: String
    }

    private var registrations: [Registration] = []
    private var tokens: [KeyValueObservation] = []

    /// Creates a recorder that observes no key path yet. It can be registered as an observer itself.
    public init() {}

    /// Creates a recorder of some key paths of an object.
    ///
    /// - Parameters:
    ///   - object: the object to observe.
    ///   - keyPaths: the key paths by name.
    ///   - options: the parts of each change to record.
    public convenience init(
        observing object: any KeyValueObservable, _ keyPaths: String...,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        self.init()
        for keyPath in keyPaths { observe(object, keyPath, options: options) }
    }

    /// Creates a recorder of a typed key path of an object.
    ///
    /// - Parameters:
    ///   - object: the object to observe.
    ///   - keyPath: the key path.
    ///   - name: the key path of recorded changes; typed key paths have no name of their own.
    ///   - options: the parts of each change to record.
    public convenience init<Subject: ObjectBase, Value>(
        observing object: Subject, _ keyPath: KeyPath<Subject, Value>, as name: String? = nil,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        self.init()
        observe(object, keyPath, as: name, options: options)
    }

    deinit { stop() }

    /// Records the changes of one more key path.
    ///
    /// - Parameters:
    ///   - object: the object to observe.
    ///   - keyPath: the key path by name.
    ///   - options: the parts of each change to record.
    public func observe(
        _ object: any KeyValueObservable, _ keyPath: String,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        registrations.append(Registration(object: object, keyPath: keyPath))
        object.addObserver(self, forKeyPath: keyPath, options: options, context: context)
    }

    /// Records the changes of one more typed key path.
    ///
    /// - Parameters:
    ///   - object: the object to observe.
    ///   - keyPath: the key path.
    ///   - name: the key path of recorded changes; typed key paths have no name of their own.
    ///   - options: the parts of each change to record.
    public func observe<Subject: ObjectBase, Value>(
        _ object: Subject, _ keyPath: KeyPath<Subject, Value>, as name: String? = nil,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        tokens.append(
            object.observe(keyPath, options: options) { [weak self] _, change in
                let change = KeyValueChange(
                    name, change.kind, at: change.indexes, old: change.oldValue.map(Self.kept),
                    new: change.newValue.map(Self.kept), isPrior: change.isPrior)
                self?.changes.append(change)
            })
    }

    /// Removes all recorded changes.
    public func removeAllChanges() { changes = [] }

    /// Ends all observations. The recorded changes stay. Further calls do nothing.
    public func stop() {
        for registration in registrations {
            registration.object?.removeObserver(self, forKeyPath: registration.keyPath, context: context)
        }
        registrations = []
        for token in tokens { token.invalidate() }
        tokens = []
    }

    /// The context that distinguishes the recorder's own registrations from those of the test.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Returns a value to record, with `NSNull` for nil. Live collections are copied, because they change later.
    static func kept(_ value: Any) -> Any { ObservedValue(value).value ?? NSNull() }
}

extension KeyValueRecorder: KeyValueObserver {
    /// Records a change.
    public func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        changes.append(KeyValueChange(keyPath, change ?? [:]))
    }
}

extension KeyValueChange {
    /// Creates a change from the arguments of an observer by name. Live collections are copied.
    init(_ keyPath: String?, _ change: [NSKeyValueChangeKey: Any]) {
        let kind = (change[.kindKey] as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
        self.init(
            keyPath, kind ?? .setting, at: change[.indexesKey] as? IndexSet,
            old: change[.oldKey].map(KeyValueRecorder.kept), new: change[.newKey].map(KeyValueRecorder.kept),
            isPrior: change[.notificationIsPriorKey] as? Bool ?? false)
    }
}
