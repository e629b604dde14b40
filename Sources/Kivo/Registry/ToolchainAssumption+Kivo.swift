import KivoEngine
import KivoObserving

extension ToolchainAssumption {
    /// All assumptions, in the order of the page.
    package static var all: [ToolchainAssumption] {
        ofObserving + [
            ToolchainAssumption("Records of all classes", holds: ProgramClasses.areKnown),
            ToolchainAssumption("Fields by patterns", holds: FieldSearch.isKnown),
            ToolchainAssumption("Words of strings", holds: StringLayout.isAssumed),
        ]
    }
}
