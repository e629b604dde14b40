import Foundation
import Kivo

/// Waits for one change of an object that meets a condition.
///
/// Registers when made, and ends its registration when told to stop or when released. Keeps the object alive
/// until then.
final class KeyValueCondition: KeyValueObserver {
    typealias Handler = (Any, [NSKeyValueChangeKey: Any]) -> Bool

    /// What there is to wait for.
    enum Goal {
        /// Any change. The notification before one does not count.
        case change
        /// A value.
        case value(Any)
        /// That a function says so.
        case handler(Handler)
    }

    private var object: (any KeyValueObservable)?
    private let keyPath: String
    private let options: NSKeyValueObservingOptions
    private let goal: () -> Goal
    private let onMet: () -> Bool
    /// Called with the change that came, in words, when the condition is not met.
    var onMiss: ((String) -> Void)?
    private var isRegistered = false
    private var isDone = false

    /// Begins to wait.
    ///
    /// - Parameters:
    ///   - object: what to observe.
    ///   - keyPath: the key path by name.
    ///   - options: what is in the dictionary that a handler gets.
    ///   - goal: what to wait for; asked with each notification.
    ///   - onMet: called when the condition is met. Answers whether that was enough.
    init(
        _ object: any KeyValueObservable, _ keyPath: String, _ options: NSKeyValueObservingOptions,
        goal: @escaping () -> Goal, onMet: @escaping () -> Bool
    ) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
        self.goal = goal
        self.onMet = onMet
        object.addObserver(self, forKeyPath: keyPath, options: options.union(.new), context: nil)
        isRegistered = true
        if isDone { stop() }
    }

    deinit { stop() }

    /// Ends the observation. Doing it again is harmless.
    func stop() {
        isDone = true
        guard isRegistered, let object else { return }
        isRegistered = false
        object.removeObserver(self, forKeyPath: keyPath, context: nil)
        self.object = nil
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard !isDone, let object, let change else { return }
        guard isMet(by: change, of: object) else {
            if let onMiss { onMiss(KeyValueChange(nil, change).text()) }
            return
        }
        if onMet() { stop() }
    }

    private func isMet(by change: [NSKeyValueChangeKey: Any], of object: Any) -> Bool {
        let isPrior = change[.notificationIsPriorKey] as? Bool ?? false
        switch goal() {
        case .change: return !isPrior
        case .value(let expected):
            return !isPrior && ObservedValue(value(change, object)) == ObservedValue(expected)
        case .handler(let handler):
            var wanted = change
            if !options.contains(.new) { wanted[.newKey] = nil }
            return handler(object, wanted)
        }
    }

    /// The whole value after a change: the change itself has no more than some elements, if that is what
    /// changed.
    private func value(_ change: [NSKeyValueChangeKey: Any], _ object: Any) -> Any? {
        if change[.kindKey] as? UInt == NSKeyValueChange.setting.rawValue { return change[.newKey] }
        return (object as? ObjectBase)?.value(forKeyPath: keyPath)
    }
}
