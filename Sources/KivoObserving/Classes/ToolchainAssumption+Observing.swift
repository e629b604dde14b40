#if canImport(Dispatch)
import Dispatch
#endif

extension ToolchainAssumption {
    /// The assumptions of this module.
    package static var ofObserving: [ToolchainAssumption] {
        [
            ToolchainAssumption("Parts of key paths", holds: KeyPathParts.areKnown),
            ToolchainAssumption("Accessors of key paths", holds: KeyPathProperty.areKnown),
            ToolchainAssumption("Records of classes", holds: withoutObjectiveC(ClassMetadata.isKnown)),
            ToolchainAssumption("Marks of weak properties", holds: withoutObjectiveC(FieldOwnership.isKnown)),
            ToolchainAssumption("Words of executors", holds: ExecutorIdentity.isKnown),
            ToolchainAssumption("Executor of the job", holds: ExecutorIdentity.isCurrentKnown ? true : nil),
            ToolchainAssumption("Calls of isolated functions", holds: HandlerIsolation.isKnown),
            ToolchainAssumption("Flags of conformances", holds: IsolatedConformance.isKnown),
            ToolchainAssumption("Kind of optionals", holds: kindOfOptionals != nil),
            ToolchainAssumption("Recorded key paths", holds: ReadProbe.isReliable),
            ToolchainAssumption("Fields of a generic structure", holds: areFieldsKnown),
            ToolchainAssumption("Class of a queue", holds: areQueueKindsKnown),
        ]
    }

    private static var areQueueKindsKnown: Bool? {
        #if canImport(Dispatch)
        DispatchQueue.areKindsKnown
        #else
        nil
        #endif
    }

    private static var areFieldsKnown: Bool {
        Observed<Bool>.isLayoutKnown && Observed<Int>.isLayoutKnown && Observed<String>.isLayoutKnown
            && Observed<Double?>.isLayoutKnown && Observed<(Int, Bool)>.isLayoutKnown
    }

    /// Returns whether an assumption holds; nil where classes are those of Objective-C, whose runtime answers itself.
    private static func withoutObjectiveC(_ holds: @autoclosure () -> Bool) -> Bool? {
        #if canImport(ObjectiveC)
        nil
        #else
        holds()
        #endif
    }
}
