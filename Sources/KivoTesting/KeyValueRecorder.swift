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
        weak var object: AnyObject?
        let keyPath: String
    }

    private var registrations: [Registration] = []
    /// The managed objects that are observed, for the commits that they do not show yet.
    private var managed: [() -> ObjectBase?] = []
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

    /// Creates a recorder of a key path of a collection: of its `isInvalidated`.
    ///
    /// - Parameters:
    ///   - collection: the collection to observe.
    ///   - keyPath: the key path by name.
    ///   - options: the parts of each change to record.
    public convenience init(
        observing collection: any KeyValueObservableCollection, _ keyPath: String,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        self.init()
        observe(collection, keyPath, options: options)
    }

    /// Creates a recorder of a typed key path of an object.
    ///
    /// - Parameters:
    ///   - object: the object to observe.
    ///   - keyPath: the key path.
    ///   - name: the key path of recorded changes; typed key paths have no name of their own.
    ///   - options: the parts of each change to record.
    public convenience init<Subject: KeyValueObservable, Value>(
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
        register(.object(object), keyPath, options)
    }

    /// Records the changes of a key path of a collection: of its `isInvalidated`.
    ///
    /// - Parameters:
    ///   - collection: the collection to observe.
    ///   - keyPath: the key path by name.
    ///   - options: the parts of each change to record.
    public func observe(
        _ collection: any KeyValueObservableCollection, _ keyPath: String,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        register(.collection(collection), keyPath, options)
    }

    private func register(
        _ subject: NamedSubject, _ keyPath: String, _ options: NSKeyValueObservingOptions
    ) {
        registrations.append(Registration(object: subject.identity, keyPath: keyPath))
        note(subject.identity)
        subject.addObserver(self, forKeyPath: keyPath, options: options, context: context)
    }

    /// Records the changes of one more typed key path.
    ///
    /// - Parameters:
    ///   - object: the object to observe.
    ///   - keyPath: the key path.
    ///   - name: the key path of recorded changes; typed key paths have no name of their own.
    ///   - options: the parts of each change to record.
    public func observe<Subject: KeyValueObservable, Value>(
        _ object: Subject, _ keyPath: KeyPath<Subject, Value>, as name: String? = nil,
        options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        note(object)
        tokens.append(
            object.observe(keyPath, options: options) { [weak self] _, change in self?.append(name, change) })
    }

    /// Records a change that a typed observer or an asynchronous sequence received.
    func append<Value>(_ name: String?, _ change: KeyValueObservedChange<Value>) {
        append(
            KeyValueChange(
                name, change.kind, at: change.indexes, old: change.oldValue.map(Self.kept),
                new: change.newValue.map(Self.kept), isPrior: change.isPrior))
    }

    func append(_ change: KeyValueChange) { changes.append(change) }

    /// Retains the means to look for commits that an observed object does not show yet.
    private func note(_ subject: AnyObject?) {
        guard let object = subject as? ObjectBase else { return }
        managed.append { [weak object] in object }
    }

    /// Removes all recorded changes.
    public func removeAllChanges() { changes = [] }

    /// Ends all observations. The recorded changes stay. Further calls do nothing.
    public func stop() {
        for registration in registrations {
            registration.object.flatMap { NamedSubject($0) }?
                .removeObserver(self, forKeyPath: registration.keyPath, context: context)
        }
        registrations = []
        managed = []
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

extension KeyValueRecorder {
    /// Returns a readable description of how the recorded changes differ from expected ones, or nil if they do not.
    ///
    /// Lines with `-` are expected changes that are missing at that place. Lines with `+` are recorded changes that are
    /// unexpected there. The others are as expected. Further lines say which commits are undelivered. Use it with test libraries
    /// for which there is no assertion.
    public func difference(from expected: [KeyValueChange]) -> String? {
        let alignment = ChangeAlignment(expected, changes) { $0.isMet(by: $1) }
        if alignment.isExact { return nil }
        // Key paths are noise if all changes have the same one and the test names none.
        let isNamed = expected.contains { $0.keyPath != nil } || Set(changes.map(\.keyPath)).count > 1
        // A missing change and the one that was recorded instead must not have the same text.
        let missing = alignment.steps.filter { $0.mark == "-" }.map(\.change)
        let isDetailed = alignment.steps.contains { step in
            step.mark == "+" && missing.contains { step.change.isLookalike(of: $0) }
        }
        let lines = alignment.steps.map {
            "\($0.mark) \($0.change.text(isNamed: isNamed, isDetailed: isDetailed))"
        }
        return ([ChangeAlignment<KeyValueChange>.heading] + lines + notes).joined(separator: "\n")
    }

    /// Whether the recorded changes are the expected ones, or so many that they cannot become these any more.
    func isDecided(_ expected: [KeyValueChange]) -> Bool { changes.count >= expected.count }

    /// Sentences about commits that the observed objects do not show yet.
    private var notes: [String] {
        var notes: [String] = []
        for case let realm? in managed.map({ $0()?.realm }) where realm.undeliveredCommits > 0 {
            let note = "\(ListenedSubject.commits(realm.undeliveredCommits)) undelivered: refresh()"
            if !notes.contains(note) { notes.append(note) }
        }
        return notes
    }
}
