import Foundation
import Kivo

/// The steps on the observers' side.
extension KeyValueCaseWorld {
    static let actions: Set<String> = [
        "observe", "unobserve", "observeElements", "unobserveElements", "observeTyped", "invalidateToken",
        "dropToken", "get", "getMany", "willChange", "didChange", "begin", "commit", "cancel",
        "refreshObserver", "invalidateRealm", "addToRealm", "release", "isGone", "identity", "takeProxy",
        "call", "parallel", "repeat", "declareDependency",
    ]

    func perform(_ step: KeyValueCaseStep) throws {
        if KeyValueCaseMutation.actions.contains(step.action) { return try change(step) }
        switch step.action {
        case "observe", "unobserve", "observeElements", "unobserveElements", "observeTyped",
            "invalidateToken", "dropToken":
            try performObserving(step)
        case "begin", "commit", "cancel", "refreshObserver", "invalidateRealm", "addToRealm":
            try performOnRealm(step)
        case "get": try get(step)
        case "getMany": try getMany(step)
        case "willChange", "didChange": try bracket(step)
        case "release": release(step.string("name") ?? "")
        case "isGone":
            let name = step.string("name") ?? ""
            if !isGone(name) { complain("'\(name)' is still there") }
        case "identity": try compareIdentity(step)
        case "takeProxy":
            _ = try side().model(step.object ?? "").mutableArrayValue(forKey: step.key ?? "")
        case "call": try (side().model(step.object ?? "") as? any KeyValueCaseCounter)?.bumpManualCount()
        case "parallel": try performInParallel(step)
        case "repeat":
            if step.string("note")?.contains("not counted") == true { ignoredSteps.insert(self.step) }
            for _ in 0..<(step.int("times") ?? 1) {
                for part in step.steps("steps") { try perform(part) }
            }
        case "declareDependency":
            try declare(step, (step["on"]?.elements ?? []).compactMap { Self.text($0) })
        default: throw KeyValueCaseError("the step '\(step.action)'")
        }
    }

    private func complain(_ text: String) { complaints.append("step \(step): \(text)") }

    private static func text(_ value: JSONValue) -> String? {
        if case .string(let text) = value { text } else { nil }
    }

    // MARK: Observing

    private func performObserving(_ step: KeyValueCaseStep) throws {
        try refreshIfPending()
        let keyPath = step.string("keyPath") ?? ""
        switch step.action {
        case "observe":
            let observer = observer(step)
            observer.actions += step.steps("onNotify").map { (keyPath, $0) }
            try target(step.object ?? "").addObserver(
                observer, forKeyPath: keyPath, options: options(step), context: context(step["context"]))
        case "unobserve":
            let target = try target(step.object ?? "")
            if let label = step["context"] {
                target.removeObserver(observer(step), forKeyPath: keyPath, context: context(label))
            } else {
                target.removeObserver(observer(step), forKeyPath: keyPath)
            }
        case "observeElements", "unobserveElements": try observeElements(step, keyPath)
        case "observeTyped": try observeTyped(step, keyPath)
        case "invalidateToken": tokens[step.string("token") ?? ""]?.invalidate()
        default: tokens[step.string("token") ?? ""] = nil
        }
    }

    private func observeElements(_ step: KeyValueCaseStep, _ keyPath: String) throws {
        #if canImport(ObjectiveC)
        throw KeyValueCaseError("elements of Foundation's arrays, which it observes itself")
        #else
        let (elements, indexes) = try elements(step)
        let observer = observer(step)
        if step.action == "observeElements" {
            elements.addObserver(
                observer, toObjectsAt: indexes, forKeyPath: keyPath, options: options(step),
                context: context(step["context"]))
        } else if let label = step["context"] {
            elements.removeObserver(
                observer, fromObjectsAt: indexes, forKeyPath: keyPath, context: context(label))
        } else {
            elements.removeObserver(observer, fromObjectsAt: indexes, forKeyPath: keyPath)
        }
        #endif
    }

    private func options(_ step: KeyValueCaseStep) -> NSKeyValueObservingOptions {
        var options: NSKeyValueObservingOptions = []
        for name in (step["options"]?.elements ?? []).compactMap(Self.text) {
            switch name {
            case "new": options.insert(.new)
            case "old": options.insert(.old)
            case "initial": options.insert(.initial)
            case "prior": options.insert(.prior)
            default: complain("there is no option '\(name)'")
            }
        }
        return options
    }

    private func elements(_ step: KeyValueCaseStep) throws -> (NSArray, IndexSet) {
        let side = side()
        let elements = try (step["array"]?.elements ?? []).map { element -> any KeyValueCaseModel in
            let path = side.path(element) ?? ""
            let object = try side.model(path)
            note(object, path)
            return object
        }
        return (NSArray(array: elements), IndexSet(step["indexes"]?.ints ?? []))
    }

    private func observeTyped(_ step: KeyValueCaseStep, _ keyPath: String) throws {
        let object = try side().model(step.object ?? "")
        guard let property = KeyValueCaseMutation.property(object, keyPath) else {
            throw KeyValueCaseError("a typed observation of '\(keyPath)'")
        }
        note(object, step.object ?? "")
        let observer = step.string("observer") ?? "?"
        tokens[step.string("token") ?? ""] = property.observe(object, options(step)) { [unowned self] in
            record(observer, $0, keyPath, $1)
        }
    }

    // MARK: Realm

    private func performOnRealm(_ step: KeyValueCaseStep) throws {
        let realm = try realm()
        switch step.action {
        case "begin": realm.beginWrite()
        case "commit": try realm.commitWrite()
        case "cancel": realm.cancelWrite()
        case "invalidateRealm": realm.invalidate()
        case "addToRealm":
            guard let object = try side().model(step.object ?? "") as? Object else {
                throw KeyValueCaseError("adding an embedded object")
            }
            try writing { realm.add(object) }
        default: try refresh()
        }
    }

    // MARK: Reading

    private func get(_ step: KeyValueCaseStep) throws {
        let keyPath = step.key ?? ""
        var value = try value(step, keyPath)
        if let position = step.int("index") {
            value = (flattened(value) as? [Any])?[position] ?? (value as? NSArray)?[position]
        }
        let got = RecordedValue(value, names: names)
        let inAnyOrder = test.unordered == true
        if let wanted = step["equals"],
            !KeyValueCaseComparison.matches(wanted, got, inAnyOrder: inAnyOrder)
        {
            complain("'\(keyPath)' is \(got), not \(wanted)")
        }
        if let count = step.int("countEquals") {
            var elements: [RecordedValue]?
            if case .list(let list) = got { elements = list }
            if case .set(let set) = got { elements = set }
            if elements?.count != count { complain("'\(keyPath)' has not \(count) elements: \(got)") }
        }
    }

    private func value(_ step: KeyValueCaseStep, _ keyPath: String) throws -> Any? {
        let source: Any
        if let name = step.object {
            if name == "null" { return NSNull().value(forKeyPath: keyPath) }
            source = try KeyValueCaseFoundation.value(name) ?? side().value(name)
        } else {
            source = KeyValueCaseSide.foundation(step["object"] ?? .null)
        }
        switch source {
        case let object as any KeyValueCaseModel: return object.value(forKeyPath: keyPath)
        case let collection as any KeyValueCaseCollection: return collection.value(forKeyPath: keyPath)
        case let array as [Any]: return NSArray(array: array).value(forKeyPath: keyPath)
        case let set as Set<AnyHashable>: return NSSet(array: set.map(\.base)).value(forKeyPath: keyPath)
        case let array as NSArray: return array.value(forKeyPath: keyPath)
        case let set as NSSet: return set.value(forKeyPath: keyPath)
        case let dictionary as NSDictionary: return dictionary.value(forKeyPath: keyPath)
        default: throw KeyValueCaseError("reading '\(keyPath)' of \(type(of: source))")
        }
    }

    private func getMany(_ step: KeyValueCaseStep) throws {
        let keys = (step["keys"]?.elements ?? []).compactMap(Self.text)
        let got = RecordedValue(
            try side().model(step.object ?? "").dictionaryWithValues(forKeys: keys), names: names)
        if let wanted = step["equals"], !KeyValueCaseComparison.matches(wanted, got) {
            complain("\(keys) are \(got), not \(wanted)")
        }
    }

    private func compareIdentity(_ step: KeyValueCaseStep) throws {
        let things = try ["a", "b"].map { name -> AnyObject in
            let path = step.string(name) ?? ""
            return try remembered[path] ?? side().value(path) as AnyObject
        }
        if (things[0] === things[1]) != (step["same"] == .bool(true)) {
            complain("'\(step.string("a") ?? "")' and '\(step.string("b") ?? "")' as identities")
        }
    }

    // MARK: Other

    private func bracket(_ step: KeyValueCaseStep) throws {
        let object = try side().model(step.object ?? "")
        let (key, isWill) = (step.key ?? "", step.action == "willChange")
        let isTyped = test.setup.contains("typed")
        if isTyped, let property = KeyValueCaseMutation.property(object, key) {
            property.bracket(object, isWill ? .willChange : .didChange)
        } else {
            isWill ? object.willChangeValue(forKey: key) : object.didChangeValue(forKey: key)
        }
    }

    private func performInParallel(_ step: KeyValueCaseStep) throws {
        let parts = step.steps("step") + step.steps("steps")
        let times = step.int("times") ?? 1
        let (lock, world) = (NSLock(), Shared(self))
        DispatchQueue.concurrentPerform(iterations: step.int("threads") ?? 1) { _ in
            for _ in 0..<times {
                for part in parts {
                    lock.withLock {
                        do { try world.value.perform(part) } catch {
                            world.value.complaints.append("\(error)")
                        }
                    }
                }
            }
        }
    }

    /// Carries the world to threads that use it one at a time.
    private struct Shared: @unchecked Sendable {
        let value: KeyValueCaseWorld
        init(_ value: KeyValueCaseWorld) { self.value = value }
    }

    private func declare(_ step: KeyValueCaseStep, _ keys: [String]) throws {
        guard let model = cast.stage.types[step.string("type") ?? ""], let key = step.key else {
            throw KeyValueCaseError("a dependency of '\(step.string("type") ?? "")'")
        }
        model.setKeys(keys, triggerChangeNotificationsForDependentKey: key)
    }

    /// Takes back what the case declared for classes.
    func forgetDeclarations() throws {
        for step in test.allSteps where step.action == "declareDependency" { try declare(step, []) }
    }
}

/// Arrays of Foundation that cases have names for.
enum KeyValueCaseFoundation {
    static func value(_ name: String) -> Any? {
        switch name {
        case "coins0to9": rows(Array(0..<10))
        case "coins15": rows(Array(0..<10) + Array(0..<5))
        case "threeArrays":
            NSArray(array: [rows(Array(0..<10)), rows(Array(0..<5)), rows(Array(0..<10))])
        default: nil
        }
    }

    private static func rows(_ values: [Int]) -> NSArray {
        NSArray(array: values.map { NSDictionary(dictionary: ["value": $0]) })
    }
}
