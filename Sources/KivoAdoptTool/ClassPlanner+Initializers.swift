import KivoSourceModel

extension ClassPlanner {
    /// Plans the removal of the initialisers that older versions of realm-swift required, whose parameters are schemas of the
    /// Objective-C library.
    func planInitializers(_ plan: ClassPlan) {
        for function in plan.type.functions where function.name == "init" && isOfSchema(function) {
            if callsOnlySuper(function) {
                plan.removedFunctions.append(function)
            } else {
                plan.leave(
                    function.range.lowerBound,
                    "this initialiser of class '\(plan.type.name)' is not called any more: remove it, and do what it does in 'init()'"
                )
            }
        }
    }

    private func isOfSchema(_ function: FunctionDeclaration) -> Bool {
        function.body?.parameters.contains { parameter in
            ["RLMSchema", "RLMObjectSchema"].contains(parameter.type?.path?.last)
        } ?? false
    }

    private func callsOnlySuper(_ function: FunctionDeclaration) -> Bool {
        guard case .call(let call)? = function.body?.returned,
            case .member(let base?, "init", _) = call.function.bare, case .name("super", _) = base.bare
        else { return false }
        return true
    }
}
