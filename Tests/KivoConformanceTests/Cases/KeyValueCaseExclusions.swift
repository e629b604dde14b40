import Foundation

/// Cases that are left out, because they cannot be written in Swift or need something that Kivo does not have.
enum KeyValueCaseExclusions {
    /// Why a case is left out where it takes place; nil if it is run. By what it uses, never by which it is.
    static func reason(_ test: KeyValueCase, _ scenario: KeyValueCaseScenario) -> String? {
        for step in test.allSteps {
            if let reason = reason(step, scenario) { return reason }
        }
        if test.steps.indices.contains(where: { index in
            test.steps[index].raises != nil && test.expect.contains { $0.at == index }
        }) {
            return "a failed operation that still notifies (misuse ends the process)"
        }
        if scenario != .plain, test.expect.contains(where: { usesMixed(.object($0.fields)) }) { return mixed }
        if test.steps.contains(where: { $0.action == "parallel" }), scenario.isManaged {
            return "objects of a realm on several threads"
        }
        return nil
    }

    private static let mixed = "a mixed value"

    private static func reason(_ step: KeyValueCaseStep, _ scenario: KeyValueCaseScenario) -> String? {
        let action = step.action
        if action == "setDefault" { return "an internal write of the engine" }
        if action == "attachTeardown" { return "an object attached at run time" }
        if action == "call", !step.fields.values.contains(.string("bumpManualCount")) {
            return "a method found by name"
        }
        if !KeyValueCaseMutation.actions.contains(action), !KeyValueCaseWorld.actions.contains(action) {
            return "the step '\(action)'"
        }
        if scenario != .plain,
            usesMixed(.object(step.fields)) || step.key.map({ head($0) == "any" }) == true
        {
            return mixed
        }
        let name = KeyValueCaseCast.root(step.object ?? "")
        if name == "projection" { return "projections" }
        if name == "twin" { return "two classes of one table" }
        if name == "holder", step.key.map(head) == "registrar" {
            return "an object that takes observers in its own way"
        }
        if action == "deleteQuery", let query = step.string("where"), query != "TRUEPREDICATE" {
            return "a query as text"
        }
        return nil
    }

    private static func head(_ keyPath: String) -> String { String(keyPath.prefix { $0 != "." }) }

    private static func usesMixed(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let members):
            (members.count == 1 && members["mixed"] != nil) || members.values.contains(where: usesMixed)
        case .array(let elements): elements.contains(where: usesMixed)
        default: false
        }
    }
}
