#if compiler(>=6.2)
/// Types whose metatypes can be sent between threads: generic code and closures for queues use the metatype. Not for use by
/// applications.
public typealias _SendableMetatype = SendableMetatype
#else
/// Not for use by applications.
public typealias _SendableMetatype = Any
#endif

/// An observable class whose instances belong to no actor, in a module whose classes belong to the main actor by default.
///
/// In such a module (`-default-isolation MainActor`, the setting of new applications in Xcode) a class that conforms to
/// ``KeyValueObservable`` is a class of the main actor. An operation, or another class that several threads use, conforms to this
/// protocol in its place:
///
///     final class Upload: KeyValueOperation, NonisolatedObservable, @unchecked Sendable {
///         @Observed var fraction = 0.0
///         override func main() { fraction = 1 }
///     }
///
/// The compiler refuses properties with a wrapper in a `Sendable` class that is declared `nonisolated`, and takes a class with this
/// conformance as one that never had an actor. In other modules the protocol means nothing.
public protocol NonisolatedObservable: KeyValueObservable, _SendableMetatype {}
