extension _CustomPersistable {
    /// What a key path recorder goes on with: any value of the type, if need be the default of the very property.
    static func recorded(_ owner: ObjectBase, _ property: Int) -> Self {
        if let value = _mappedDefault { return value }
        let info = Registry.info(type(of: owner)).property(column: property)
        return Persisted<Self>.declaredDefault(info.address(in: owner)) ?? _makeDefault()
    }
}
