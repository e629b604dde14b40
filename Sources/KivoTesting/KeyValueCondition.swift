import Foundation
import Kivo

/// An observer that waits for one change of an object that meets a condition.
///
/// Registers when created, and ends its registration on `stop()` or when released. Retains the object until then.
final class KeyValueCondition: KeyValueObserver {
    typealias Handler = (Any, [NSKeyValueChangeKey: Any]) -> Bool

    /// The condition to wait for.
    enum Goal {
        /// Any change. The notification before one does not count.
        case change
        /// A change to a value.
        case value(Any)
        /// A change for which a function returns true.
        case handler(Handler)
    }

    private var object: NamedSubject?
    private let keyPath: String
    private let options: NSKeyValueObservingOptions
    private let goal: () -> Goal
    private let onMet: () -> Bool
    /// The closure that is called with the text of a change that does not meet the condition.
    var onMiss: ((String) -> Void)?
    private var isRegistered = false
    private var isDone = false

    /// Creates a condition and begins to wait.
    ///
    /// - Parameters:
    ///   - object: the object to observe.
    ///   - keyPath: the key path by name.
    ///   - options: the content of the dictionary that a handler receives.
    ///   - goal: returns the condition to wait for; called with each notification.
    ///   - onMet: called when the condition is met. Returns whether that was enough.
    init(
        _ object: NamedSubject, _ keyPath: String, _ options: NSKeyValueObservingOptions,
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

    /// Ends the observation. Further calls do nothing.
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

    /// Returns the whole value after a change. The change itself contains only the affected elements if elements changed.
    private func value(_ change: [NSKeyValueChangeKey: Any], _ object: Any) -> Any? {
        if change[.kindKey] as? UInt == NSKeyValueChange.setting.rawValue { return change[.newKey] }
        return (object as? any KeyValueObservable)?.value(forKeyPath: keyPath)
    }
}
