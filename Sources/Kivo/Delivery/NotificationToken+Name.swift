extension NotificationToken {
    /// Gives the observation a name, which events and reports show with the place in the source of this call.
    ///
    ///     token = dogs.observe { … }.named("the kennel's table")
    ///
    /// `observe` itself cannot know the place: its full name is that of realm-swift, with no more parameters.
    ///
    /// Thread-safe. Does nothing for tokens of key-value observing.
    ///
    /// - Returns: This token.
    @discardableResult
    public func named(
        _ name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> NotificationToken {
        setLabel(ListenerLabel.Value(name: name, fileID: fileID, line: line))
        return self
    }
}
