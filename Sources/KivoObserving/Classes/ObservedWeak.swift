import Foundation

/// A property wrapper for a property that refers to an object without holding it, and notifies its observers of assignments like
/// ``Observed``: parents of trees, delegates.
///
///     final class Node: KeyValueObservable {
///         @Observed var name = ""
///         @Observed var children: [Node] = []
///         @ObservedWeak var parent: Node?
///     }
///
/// The type is an optional of a class, or of a protocol of classes. Observers receive the objects that are assigned; a key path that
/// leads through the property, as `\.parent?.name` does, does not hold them either. Models are held by such a path.
///
/// When the object is released, the property is nil, and no observer is notified: as in Cocoa, and because this happens on any
/// thread. A computed property that returns the object holds it as long as a key path through that property is observed.
@propertyWrapper
public struct ObservedWeak<Object> {
    @usableFromInline weak var reference: AnyObject?
    /// The observations of the instance; see ``Observed/link``.
    @usableFromInline var link: ObservedLink?

    /// Creates a property with its first object.
    ///
    /// Traps if the value is not an object.
    @inlinable
    public init(wrappedValue: Object?) { reference = Self.object(wrappedValue) }

    /// Creates a property that is nil.
    @inlinable
    public init() {}

    /// Unavailable: observed properties belong to classes that conform to ``KeyValueObservable``.
    @available(
        *, unavailable,
        message: "@ObservedWeak is for properties of classes that conform to KeyValueObservable"
    )
    public var wrappedValue: Object? {
        get { trap("unavailable") }
        set { trap("unavailable") }
    }

    /// Accesses the property in its object.
    public static subscript<Owner: KeyValueObservable>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Object?>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Object? {
        @inlinable
        get {
            if Owner._tracksReads, ObservedLink.isTracking {
                ObservedLink.track(owner, column(owner, storage)) { wrapped }
            }
            let value = value(owner[keyPath: storage].reference)
            guard owner[keyPath: storage].link != nil, ObservedLink.isRecording else { return value }
            return ObservedLink.record(value, owner, column(owner, storage), wrapped)
        }
        @inlinable
        set {
            if Owner._isOperation { OperationStates.begin(owner) }
            assign(newValue, owner, column(owner, storage))
        }
    }

    /// Returns the object in a value. Traps if the value is not an object: it could not be referred to.
    @inlinable
    static func object(_ value: Object?) -> AnyObject? {
        guard let value else { return nil }
        if type(of: value as Any) is AnyClass { return value as AnyObject }
        trapNotAnObject()
    }

    @usableFromInline
    static func trapNotAnObject() -> Never {
        trap("@ObservedWeak refers to objects, and '\(Object.self)' is not a class.")
    }

    @inlinable
    static func value(_ object: AnyObject?) -> Object? { object.flatMap { $0 as? Object } }

    @inlinable
    static func assign(_ value: Object?, _ owner: AnyObject, _ column: Int) {
        let object = object(value)
        let storage = place(owner, column)
        guard let link = storage.pointee.link else { return storage.pointee.reference = object }
        let recipients = link.recipients(ofColumn: column)
        guard recipients.takeValues else {
            return link.change(owner, column, recipients) { storage.pointee.reference = object }
        }
        let old = Self.value(storage.pointee.reference)
        storage.pointee.reference = object
        recipients.didAssign(owner, old, value)
    }
}

extension ObservedWeak: ObservedStorage {
    @usableFromInline static var valueType: Any.Type { Object?.self }
    @usableFromInline static var isWeak: Bool { true }
    @usableFromInline static var linkOffset: Int { MemoryLayout<UInt>.size }

    @usableFromInline
    static func value(at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Any {
        value(address.assumingMemoryBound(to: Self.self).pointee.reference) as Any
    }

    @usableFromInline
    static func setValue(_ value: Any?, at address: UnsafeMutableRawPointer, of owner: AnyObject) -> Bool {
        guard let value = plainlyConverted(value, to: Object?.self) else { return false }
        assign(value, owner, column(address, owner))
        return true
    }
}
