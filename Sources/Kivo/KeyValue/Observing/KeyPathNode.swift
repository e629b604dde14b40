import KivoEngine

/// A component of an observed key path: it watches the component's key on the object that the path has reached there. If the
/// key's value depends on other key paths, it watches those too.
///
///     observe("owner.fullName")    dog ─owner─▶ person ─fullName─▶
///                                                │ depends on
///                                                ├─firstName─▶
///                                                └─spouse─▶ person ─lastName─▶
///
/// A node holds its object, unless that is the object of the registration: an observation never holds its own holder. Whenever a
/// component of the path changes, the nodes after it move to other objects. Confined with the object.
final class KeyPathNode {
    private unowned(unsafe) let observation: KeyValueRegistration
    private let path: WatchedKeyPath
    private let index: Int
    /// Whether the node's key belongs to the observer's own key path, and not to a dependency.
    private let isRoot: Bool
    private var held: AnyObject?
    private unowned(unsafe) var object: AnyObject?
    /// Whether the object is the object of the registration.
    private var isHome = false
    private var observations: Observations?
    private var key = ObservedKey.invalidated
    /// The number of the node among the recipients of the object.
    private var number = 0
    private var dependencies: [KeyPathNode] = []
    private var next: KeyPathNode?

    /// A key of an object. An observation expands the dependencies of each key only once, so that cycles end and a key that
    /// several paths lead to is attached once.
    private struct WatchedKey: Hashable {
        let subject: SubjectIdentity
        let key: ObservedKey
    }

    init(_ observation: KeyValueRegistration, _ path: WatchedKeyPath, _ index: Int, isRoot: Bool = false) {
        self.observation = observation
        self.path = path
        self.index = index
        self.isRoot = isRoot
    }

    private var component: KeyPathComponent { path.components[index] }

    /// The operator that is applied to the value of the node's key.
    private var operation: KeyPathComponent? {
        guard index + 1 < path.components.count, case .operation = path.components[index + 1] else {
            return nil
        }
        return path.components[index + 1]
    }

    private var isLast: Bool { index + 1 == path.components.count }

    // MARK: Tying

    /// Starts to watch, from the object of the registration.
    func attach(to object: AnyObject) {
        var expanded: Set<WatchedKey> = []
        attach(to: object, &expanded)
    }

    private func attach(to object: AnyObject, _ expanded: inout Set<WatchedKey>) {
        self.object = object
        isHome = observation.home?.subject === object
        if !isHome { held = object }
        guard let observations = isHome ? observation.home : ObservedSubject.observations(of: object) else {
            return
        }
        // The registration's subject owns its observations, and they own the nodes: a reference back would be a cycle.
        self.observations = isHome ? nil : observations
        key = observations.key(of: component)
        let typed = isRoot ? path.typed : nil
        number = observations.nextNumber()
        observations.listen(
            Observations.Recipient(observation: observation, node: self, passesKind: isRoot && isLast), key,
            typed, number: number)
        if expanded.insert(WatchedKey(subject: SubjectIdentity(object), key: key)).inserted {
            for path in observations.dependencies(of: component, typed) {
                let node = KeyPathNode(observation, path, 0)
                dependencies.append(node)
                node.attach(to: object, &expanded)
            }
        }
        guard !isLast, operation == nil, let value = component.read(object) else { return }
        guard let target = ObservedSubject.subject(in: value) else { return checkElements(value) }
        let node = KeyPathNode(observation, path, index + 1)
        next = node
        node.attach(to: target, &expanded)
    }

    /// Traps if the path leads into the elements of an array or set.
    private func checkElements(_ value: Any) {
        guard value is [Any] || value is Set<AnyHashable> else { return }
        trap(
            """
            Key path '\(path.text)' leads into the elements of a collection, which cannot be observed: observe the \
            collection or, of its elements, each by itself.
            """)
    }

    /// Attaches the path again if it now leads to other objects.
    func refresh() {
        guard let home = observation.home, !isCurrent else { return }
        attachAgain(home)
    }

    /// Detaches the path and attaches it again from its start.
    func attachAgain(_ home: Observations) {
        detach(from: nil)
        attach(to: home.subject)
    }

    /// Whether each node watches the object to which the node before it leads.
    private var isCurrent: Bool {
        guard let object, !ObservedSubject.isInvalidated(object) else { return true }
        for node in dependencies where !node.isCurrent { return false }
        if isLast || operation != nil { return true }
        let target = component.read(object).flatMap { ObservedSubject.subject(in: $0) }
        guard let target else { return next == nil }
        guard let next, let known = next.object, ObservedSubject.isSame(known, target) else { return false }
        return next.isCurrent
    }

    /// Stops to watch, here and in all nodes after this one. `dying` is the observations that are being torn down with their
    /// object, if that is the reason; they must not be changed any more.
    func detach(from dying: Observations?) {
        for node in dependencies { node.detach(from: dying) }
        dependencies = []
        next?.detach(from: dying)
        next = nil
        // The object of the registration may already be released.
        if isHome {
            if dying == nil { observation.home?.unlisten(key, number) }
        } else {
            observations?.unlisten(key, number)
        }
        observations = nil
        object = nil
        held = nil
    }

    // MARK: Reading

    /// Returns the value at the end of the path; returns nil if the path is broken.
    func value() -> Any? {
        guard let object else { return nil }
        if isLast { return flatten(component.read(object)) }
        if let next { return next.value() }
        guard let value = flatten(component.read(object)) else { return nil }
        return KeyValueCoding.value(of: value, path.components[(index + 1)...])
    }

    /// Whether the path is unbroken and no object on it is invalidated. Such a path can be read through its typed key path, even
    /// if that force-unwraps optionals.
    var isIntact: Bool {
        guard let object else { return true }
        if ObservedSubject.isInvalidated(object) { return false }
        if let next { return next.isIntact }
        if isLast { return true }
        guard let target = component.read(object).flatMap({ ObservedSubject.subject(in: $0) }) else {
            return false
        }
        return !ObservedSubject.isInvalidated(target)
    }
}
