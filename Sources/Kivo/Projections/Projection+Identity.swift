extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// The number of the root. It is equal for all projections and accessors of a row, live and frozen, in all versions.
    public var id: UInt64 { rootObject.kivoIdentity }
}
