/// Something that Kivo assumes of the toolchain, beyond the language and the documented library.
///
/// Most are checked in the process that relies on them, and there is another way where they do not hold: the page
/// `ToolchainAssumptions` of Kivo's documentation says so of each.
package struct ToolchainAssumption: Sendable {
    /// The name on the page.
    package let name: String
    /// Whether the assumption holds in this process; nil if it is not made on this platform.
    package let holds: Bool?

    package init(_ name: String, holds: Bool?) { (self.name, self.holds) = (name, holds) }
}
