import Foundation
import Observation

/// A class whose instances can be observed, and coded by name.
///
/// Conformance is all that a class needs. Properties that are declared ``Observed`` notify their observers of assignments:
///
///     final class Download: Operation, KeyValueObservable {
///         @Observed var fraction = 0.0
///         @Observed var state = State.waiting
///         var isDone: Bool { state == .done }
///
///         class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
///             key == "isDone" ? ["state"] : []
///         }
///         class func computedProperties() -> [String: AnyKeyPath] { ["isDone": \Download.isDone] }
///     }
///
///     let token = download.observe(\.fraction, options: [.old, .new]) { download, change in … }
///
/// Values by name are those of ``Observed`` properties, of computed properties that ``computedProperties()`` names, and, to read
/// only, of other stored properties, unless ``accessInstanceVariablesDirectly`` is false.
///
/// Observers may be registered and ended on any thread. Handlers are called on the thread that assigns. Access to the properties
/// themselves is not synchronized, as usual for classes.
///
/// - Note: Swift takes the members below from the class that declares the conformance. A class with subclasses that have rules of
///   their own declares the member as a `class func`, which they override.
public protocol KeyValueObservable: AnyObject {
    /// Returns the key paths on which a key's value depends, relative to the object. A change of one of them notifies the
    /// observers of the key.
    ///
    /// For computed properties. Dependencies may themselves be computed, lead through other objects, and be circular. By default
    /// these are the dependencies that ``setKeys(_:triggerChangeNotificationsForDependentKey:)`` declared.
    static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String>

    /// Returns whether assignments to a key notify observers without calls to ``willChangeValue(forKey:)`` and
    /// ``didChangeValue(forKey:)``. The default is true. Called when the key is first observed on an object.
    ///
    /// A class that announces changes of a key which is neither ``Observed`` nor named returns false for the key: a key whose changes
    /// could never be notified cannot be observed.
    static func automaticallyNotifiesObservers(forKey key: String) -> Bool

    /// Returns the computed properties of the class that can be read, set and observed by name. The default is none.
    ///
    /// Swift cannot find computed properties by reflection. Typed key paths need no name: a property without one depends on the
    /// observed properties that it reads. With a name, it depends on what is declared. The states of an `Operation` have names.
    /// Called once per class.
    static func computedProperties() -> [String: AnyKeyPath]

    /// A Boolean value that indicates whether stored properties that are not ``Observed`` have names, too: they can be read by
    /// name. The default is true. Called once per class.
    static var accessInstanceVariablesDirectly: Bool { get }

    /// Returns the value of a key; an unknown key is forwarded to ``value(forUndefinedKey:)``. The value of `"self"` is the object.
    func value(forKey key: String) -> Any?

    /// Sets the value of a key.
    ///
    /// Numbers are converted to the property's type, and the null marker is nil. Nil for a property that is not optional is
    /// forwarded to ``setNilValueForKey(_:)``, an unknown key to ``setValue(_:forUndefinedKey:)``.
    ///
    /// - Precondition: The value fits the property, which is ``Observed`` or has a setter.
    func setValue(_ value: Any?, forKey key: String)

    /// Returns the value of a key path: keys separated by dots, through objects and collections, with collection operators. Returns
    /// nil if an object on the way is nil.
    func value(forKeyPath keyPath: String) -> Any?

    /// Sets the value of the last key of a key path on the object that the other keys lead to. Does nothing if that object is
    /// nil.
    func setValue(_ value: Any?, forKeyPath keyPath: String)

    /// Handles a read of a key that the class does not have.
    ///
    /// - Precondition: The class implements this method. The default traps.
    func value(forUndefinedKey key: String) -> Any?

    /// Handles an assignment to a key that the class does not have.
    ///
    /// - Precondition: The class implements this method. The default traps.
    func setValue(_ value: Any?, forUndefinedKey key: String)

    /// Handles an assignment of nil to a key whose property is not optional.
    ///
    /// - Precondition: The class implements this method. The default traps.
    func setNilValueForKey(_ key: String)

    /// Returns the values of some keys, with the null marker for nil.
    func dictionaryWithValues(forKeys keys: [String]) -> [String: Any]

    /// Sets the values of some keys, in ascending order of the keys; the null marker is nil.
    func setValuesForKeys(_ keyedValues: [String: Any])

    /// Returns a live array of the elements of an ordered property. Each operation on the array changes the property, and
    /// notifies the property's observers once, with positions.
    ///
    /// The property is an `NSMutableArray` or an array, which is changed in place. The setter of a property with a name is called with
    /// a new array. Nil counts as an empty array, and is replaced. The proxy reads the property of its object again on each use.
    ///
    /// - Precondition: The property can be set and has no value of another type when the proxy is changed.
    func mutableArrayValue(forKey key: String) -> NSMutableArray

    /// Returns a live array of the elements of an ordered property at the end of a key path; see ``mutableArrayValue(forKey:)``.
    ///
    /// - Precondition: No object on the way is nil.
    func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray

    /// Returns a live set of the members of a property. Each operation on the set changes the property, and notifies the
    /// property's observers once.
    ///
    /// The property is an `NSMutableSet`, which is changed in place, or a set, which is replaced by a new set. Nil counts as an
    /// empty set, and is replaced. The proxy reads the property of its object again on each use.
    ///
    /// - Precondition: The property can be set and has no value of another type when the proxy is changed.
    func mutableSetValue(forKey key: String) -> NSMutableSet

    /// Returns a live set of the members of a property at the end of a key path; see ``mutableSetValue(forKey:)``.
    ///
    /// - Precondition: No object on the way is nil.
    func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet

    /// The description of the object's class.
    var _observing: _ObservedClass { get }

    /// Whether reads of ``Observed`` properties inside `withObservationTracking` are recorded: true for a class that is also
    /// `Observable` where it declares its conformance to this protocol.
    static var _tracksReads: Bool { get }

    /// Whether the instances are operations, whose states Foundation learns of.
    static var _isOperation: Bool { get }

    /// Returns the key path of a state of an operation, as the class's typed rules name it.
    static func _stateKeyPath(_ name: String) -> AnyKeyPath?
}

extension KeyValueObservable {
    @inlinable public static var _tracksReads: Bool { false }
    @inlinable public static var _isOperation: Bool { false }
    public static func _stateKeyPath(_ name: String) -> AnyKeyPath? { nil }
}

extension KeyValueObservable where Self: Operation {
    @inlinable public static var _isOperation: Bool { true }

    public static func _stateKeyPath(_ name: String) -> AnyKeyPath? {
        switch name {
        case "isReady": \Self.isReady
        case "isCancelled": \Self.isCancelled
        case "isExecuting": \Self.isExecuting
        case "isFinished": \Self.isFinished
        default: nil
        }
    }
}

extension KeyValueObservable where Self: Observable {
    @inlinable public static var _tracksReads: Bool { true }
}

/// The description of an observed class.
public struct _ObservedClass {
    package let base: any SubjectClass

    package init(_ base: any SubjectClass) { self.base = base }

    /// Returns whether an object has registrations at the moment, for tests.
    package func isObserved(_ object: AnyObject) -> Bool {
        base.observations(of: object).map { !$0.registrations.isEmpty } ?? false
    }
}

extension KeyValueObservable {
    public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        DeclaredDependencies.keys(affecting: key, of: self)
    }

    public static func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    public static func computedProperties() -> [String: AnyKeyPath] { [:] }

    public static var accessInstanceVariablesDirectly: Bool { true }

    /// Declares at run time the keys on which a key's value depends, and replaces the previous declaration.
    ///
    /// Ignored by a class that implements ``keyPathsForValuesAffectingValue(forKey:)``, and by objects that are already observed.
    /// Thread-safe.
    public static func setKeys(
        _ keys: [String], triggerChangeNotificationsForDependentKey dependentKey: String
    ) {
        DeclaredDependencies.declare(keys, affecting: dependentKey, of: self)
    }
}

/// Rules for the keys of a class by typed key path. The rules of a conforming class apply whenever one of its keys is observed by
/// a typed key path. They also apply to a key that is observed by name, if the name's key path is known: from
/// ``KeyValueObservable/computedProperties()``, or from a typed key path that was used before.
///
///     extension Person: KeyValueObservingCustomization {
///         static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
///             key == \Person.fullName ? [\Person.firstName, \Person.lastName] : []
///         }
///         static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { key != \Person.draft }
///     }
public protocol KeyValueObservingCustomization: KeyValueObservable {
    /// Returns the key paths on which a key's value depends, relative to the object; returns an empty set if there are none.
    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath>
    /// Returns a Boolean value that indicates whether assignments to a key notify observers without an explicit announcement.
    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool
}
