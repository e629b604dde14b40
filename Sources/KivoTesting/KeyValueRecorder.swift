import Foundation
import Kivo

/// Records the changes that key-value observing tells of, in order, for a test to compare with those it
/// expects.
///
///     let recorder = KeyValueRecorder(observing: dog, "name", "age")
///     dog.age = 3
///     recorder.assertChanges([.setting("age", from: 2, to: 3)])
///
/// Tests with XCTest call ``assertChanges(_:_:file:line:)``, tests with Swift Testing
/// ``expectChanges(_:_:sourceLocation:)``. A failure shows the expected and the recorded changes line by
/// line, as a test would write them.
///
/// Recording ends with ``stop()`` or when the recorder is released. Observed objects are held weakly. Belongs
/// to the thread of the observed objects.
public final class KeyValueRecorder {
    /// What was recorded so far.
    public private(set) var changes: [KeyValueChange] = []

    private struct Registration {
        weak var object: (any KeyValueObservable)?
        let keyPath: String
    }

    private var registrations: [Registration] = []
    private var tokens: [KeyValueObservation] = []

    /// A recorder that observes nothing yet. It can be registered as an observer itself.
    public init() {}

    /// A recorder of some key paths of an object.
    ///
    /// - Parameters:
    ///   - object: what to observe.
    ///   - keyPaths: the key paths by name.
    ///   - options: what to record of each change.
    public convenience init(
        observing object: any KeyValueObservable, _ keyPaths: String...,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        self.init()
        for keyPath in keyPaths { observe(object, keyPath, options: options) }
    }

    /// A recorder of a typed key path of an object.
    ///
    /// - Parameters:
    ///   - object: what to observe.
    ///   - keyPath: the key path.
    ///   - name: what recorded changes have as their key path; typed key paths have no name of their own.
    ///   - options: what to record of each change.
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
    ///   - object: what to observe.
    ///   - keyPath: the key path by name.
    ///   - options: what to record of each change.
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
    ///   - object: what to observe.
    ///   - keyPath: the key path.
    ///   - name: what recorded changes have as their key path; typed key paths have no name of their own.
    ///   - options: what to record of each change.
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

    /// Forgets what was recorded so far.
    public func removeAllChanges() { changes = [] }

    /// Ends all observations. What was recorded stays. Doing it again is harmless.
    public func stop() {
        for registration in registrations {
            registration.object?.removeObserver(self, forKeyPath: registration.keyPath, context: context)
        }
        registrations = []
        for token in tokens { token.invalidate() }
        tokens = []
    }

    /// Tells the recorder's own registrations from those that were made by hand.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// A value as it is now, with `NSNull` for nil: live collections go on changing.
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
    /// A change as an observer by name is told of it; values are as they are now.
    init(_ keyPath: String?, _ change: [NSKeyValueChangeKey: Any]) {
        let kind = (change[.kindKey] as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
        self.init(
            keyPath, kind ?? .setting, at: change[.indexesKey] as? IndexSet,
            old: change[.oldKey].map(KeyValueRecorder.kept), new: change[.newKey].map(KeyValueRecorder.kept),
            isPrior: change[.notificationIsPriorKey] as? Bool ?? false)
    }
}
