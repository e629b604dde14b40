import KivoEngine

/// A realm instance, as the delivery to its listeners sees it.
protocol DeliveryHost: AnyObject {
    /// The version that the listeners see after a delivery, and its snapshot and tables.
    var version: UInt64 { get }
    var snapshot: Snapshot { get }
    var catalog: Catalog { get }
    /// Whether the open transaction has changed anything. The state that is read then is no version, so nothing is delivered.
    var hasUncommittedChanges: Bool { get }
    /// The store that keeps the versions that listeners compare with.
    var pins: any VersionPins { get }
    var activity: InstanceActivity { get set }
    /// The turns in which deliveries are made.
    var turns: Turns { get }
    /// The owner that tokens retain.
    var registrationOwner: any RegistrationOwner { get }
}

/// An object that holds versions until they are unpinned.
protocol VersionPins: AnyObject {
    /// Pins a version that is pinned already, and returns its snapshot.
    @discardableResult
    func pin(_ version: UInt64) -> Snapshot

    /// Unpins a version that was pinned once.
    func unpin(_ version: UInt64)
}

/// The owner of the realm instance to which a registration belongs. Tokens retain it.
protocol RegistrationOwner: AnyObject {
    /// Cancels a registration, on any thread, and releases its listener where the instance belongs.
    func end(_ registration: Registration)
}
