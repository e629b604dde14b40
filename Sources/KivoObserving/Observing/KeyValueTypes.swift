import Foundation

#if !canImport(ObjectiveC)
/// The values and additional notifications that a key-value observer receives.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value after the change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// An initial notification, before the registering call returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// A notification before each change, in addition to the one after it.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The entries of a change dictionary.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The name of the entry.
    public let rawValue: String

    /// Creates the key of an entry from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value (`UInt`) of the ``NSKeyValueChange``. Always present.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The value after the change; the affected elements for insertions and replacements.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The value before the change; the affected elements for removals and replacements.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The positions (`IndexSet`) of the affected elements: after the change for insertions, before it otherwise.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// Present and true in a notification before a change.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// The token of a typed observation, by Cocoa's name. Foundation has a class of this name on Apple's platforms.
public typealias NSKeyValueObservation = KeyValueObservation
/// The change that a typed observer receives, by Cocoa's name. Foundation has a structure of this name on Apple's platforms.
public typealias NSKeyValueObservedChange<Value> = KeyValueObservedChange<Value>
/// The typed rules of a class, by Cocoa's name. Foundation has a protocol of this name on Apple's platforms.
public typealias NSKeyValueObservingCustomization = KeyValueObservingCustomization
#endif

/// An observer that is notified of changes by the name of a key path.
public protocol KeyValueObserver: AnyObject {
    /// Receives a notification after each change for which the observer is registered, and with the option `prior` also before
    /// it.
    ///
    /// - Parameters:
    ///   - keyPath: the key path as it was registered.
    ///   - object: the object it was registered on.
    ///   - change: the entries of the change; see `NSKeyValueChangeKey`. Values of `Float` and of the narrow integers can be read
    ///     as `Double` and `Int`, too.
    ///   - context: the context of the registration.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}
