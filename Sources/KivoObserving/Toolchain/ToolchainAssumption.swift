/// Something that Kivo assumes of the toolchain, beyond the language and the documented library.
///
/// Each assumption is checked in the process that relies on it, and there is another way where it does not hold: the page
/// `ToolchainAssumptions` of Kivo's documentation lists both.
package struct ToolchainAssumption: Sendable {
    /// The name on the page.
    package let name: String
    /// Whether the assumption holds in this process; nil if it is not made on this platform.
    package let holds: Bool?

    package init(_ name: String, holds: Bool?) { (self.name, self.holds) = (name, holds) }
}
