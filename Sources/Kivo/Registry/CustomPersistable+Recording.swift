extension _CustomPersistable {
    /// Returns any value of the type for a recorded key path, if necessary the default of the property itself.
    static func recorded(_ owner: ObjectBase, _ property: Int) -> Self {
        if let value = _mappedDefault { return value }
        let info = Registry.info(type(of: owner)).property(column: property)
        return Persisted<Self>.declaredDefault(info.address(in: owner)) ?? _makeDefault()
    }
}
