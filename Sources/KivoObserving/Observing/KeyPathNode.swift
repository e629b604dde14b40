/// A component of an observed key path: it watches the component's key on the object that the path has reached there. If the
/// key's value depends on other key paths, it watches those too.
///
///     observe("owner.fullName")    dog ─owner─▶ person ─fullName─▶
///                                                │ depends on
///                                                ├─firstName─▶
///                                                └─spouse─▶ person ─lastName─▶
///
/// A tree of nodes is made by reading the path, without a lock, since that runs code of the observed classes. It does not change
/// afterwards: when a component of the path changes, another tree replaces it. A node holds its object, unless that is the object
/// of the registration, since an observation never holds its own holder, or the object is found through a weak property.
package final class KeyPathNode {
    private unowned(unsafe) let observation: KeyValueRegistration
    private let path: WatchedKeyPath
    private let index: Int
    /// Whether the node's key belongs to the observer's own key path, and not to a dependency.
    private let isRoot: Bool
    private let reference: Reference
    /// The object of a weak reference until the node listens to it: nothing else may hold it.
    private var pinned: AnyObject?
    private let subjectClass: any SubjectClass
    /// The observations of the object, unless it is that of the registration.
    private let observations: KeyValueObservations?
    private let key: ObservedKey
    /// Whether changes of the key are notified without an announcement, if that is known: the rule is code of the observed class,
    /// which does not run inside of the structure's lock.
    private let isAutomatic: Bool?
    /// The number of the node among the recipients of the object; 0 unless it is among them.
    private var number = 0
    /// Whether the key holds nothing but a reference to an object, which the class can compare without reading a value.
    private let isReference: Bool
    /// A closure that returns the value of the path, if that is the number of elements in the key's value.
    private var elementCount: ((AnyObject) -> Int)?
    /// Whether there was an object in the key's value where a path ends that could not be split to its end.
    private var leadsOn = false
    private var dependencies: [KeyPathNode] = []
    /// The dependencies, if they are the properties that were read.
    private var recorded: [String]?
    private var next: KeyPathNode?

    /// How a node refers to its object.
    private enum Reference {
        /// To the object of the registration, which the caller holds.
        case home(Unmanaged<AnyObject>)
        case strong(AnyObject)
        case weak(WeakObject)
    }

    private final class WeakObject {
        private(set) weak var object: AnyObject?

        init(_ object: AnyObject) { self.object = object }
    }

    /// The object; nil if the node does not hold it and it was released.
    private var object: AnyObject? {
        switch reference {
        case .home(let object): object.takeUnretainedValue()
        case .strong(let object): object
        case .weak(let reference): reference.object
        }
    }

    /// A key of an object. An observation expands the dependencies of each key only once, so that cycles end and a key that
    /// several paths lead to is watched once.
    private struct WatchedKey: Hashable {
        let subject: SubjectIdentity
        let key: ObservedKey
    }

    /// Creates the tree of a registration's key path, which reads the path.
    convenience init(_ observation: KeyValueRegistration, _ home: KeyValueObservations) {
        var expanded: Set<WatchedKey> = []
        let path = observation.path
        self.init(
            observation, path.partial.map { home.subjectClass.watched($0, of: home.subject) } ?? path, 0,
            isRoot: true, home, home.subject, home.subjectClass, isHeld: true, &expanded)
    }

    private init(
        _ observation: KeyValueRegistration, _ path: WatchedKeyPath, _ index: Int, isRoot: Bool,
        _ home: KeyValueObservations, _ object: AnyObject, _ subjectClass: any SubjectClass,
        isHeld: Bool, _ expanded: inout Set<WatchedKey>
    ) {
        self.observation = observation
        self.path = path
        self.index = index
        self.isRoot = isRoot
        self.subjectClass = subjectClass
        let isHome = home.subject === object
        reference =
            isHome
            ? .home(.passUnretained(object)) : isHeld ? .strong(object) : .weak(WeakObject(object))
        pinned = isHome || isHeld ? nil : object
        // The registration's subject owns its observations, and they own the nodes: a reference back would be a cycle.
        observations = isHome ? nil : subjectClass.makeObservations(of: object)
        let component = path.components[index]
        let typed = isRoot ? path.typed : nil
        key = subjectClass.key(of: component)
        isReference = subjectClass.isReference(key)
        isAutomatic = home.isShared ? subjectClass.isAutomatic(key, typed) : nil
        let paths = subjectClass.dependencies(of: component, typed, object)
        let tracksReads = subjectClass.tracksReads(of: component)
        if !paths.isEmpty || tracksReads,
            expanded.insert(WatchedKey(subject: subjectClass.identity(of: object), key: key)).inserted
        {
            for path in paths {
                dependencies.append(
                    KeyPathNode(
                        observation, path, 0, isRoot: false, home, object, subjectClass, isHeld: isHeld,
                        &expanded))
            }
            if tracksReads { recorded = paths.map(\.text) }
        }
        if isLast, path.partial != nil { leadsOn = leads(component, object) }
        if case .operation("@count")? = operation { elementCount = subjectClass.elementCount(of: key) }
        guard !isLast, operation == nil else { return }
        let (target, targetClass): (AnyObject, any SubjectClass)
        if isReference, let known = Subjects.subject(at: subjectClass.reference(object, key)) {
            (target, targetClass) = known
        } else {
            guard let value = flatten(component.read(object, subjectClass)) else { return }
            guard let known = Subjects.subject(in: value) else {
                checkElements(value)
                return
            }
            (target, targetClass) = known
        }
        next = KeyPathNode(
            observation, path, index + 1, isRoot: false, home, target, targetClass,
            // Behind a weak property, what a stored property refers to is held by its object. Models are held anyway: nothing else may
            // hold the accessor of a row, and a model is used when an observer leaves it.
            isHeld: !targetClass.arePlain
                || !subjectClass.isWeak(key) && (isHeld || !subjectClass.isStored(key)), &expanded)
    }

    private var component: KeyPathComponent { path.components[index] }

    /// Returns whether there is an observed object in the value of a component.
    private func leads(_ component: KeyPathComponent, _ object: AnyObject) -> Bool {
        component.read(object, subjectClass).flatMap { Subjects.subject(in: $0) } != nil
    }

    /// The operator that is applied to the value of the node's key.
    private var operation: KeyPathComponent? {
        guard index + 1 < path.components.count, case .operation = path.components[index + 1] else {
            return nil
        }
        return path.components[index + 1]
    }

    private var isLast: Bool { index + 1 == path.components.count }

    /// Whether the tree from here is a chain: no key on it depends on others.
    private var isChain: Bool { dependencies.isEmpty && next?.isChain != false }

    /// Whether the tree from here always watches one object: its paths have one component, or one and an operator, and the
    /// dependencies are declared.
    private var isFixed: Bool {
        (isLast || operation != nil) && path.partial == nil && !tracksReads
            && dependencies.allSatisfy(\.isFixed)
    }

    /// Whether a change of the key can lead other nodes to other objects, in a tree that is a chain or not.
    private func canReroute(_ isChain: Bool) -> Bool { !isChain || !isLast || path.partial != nil }

    /// Traps if the path leads into the elements of an array or set, or into an object that has no keys.
    private func checkElements(_ value: Any) {
        if !KeyValueCoding.hasKeys(value) {
            trap(
                """
                Key path '\(path.text)' leads through an object of class '\(type(of: value))', which cannot be observed by name: \
                conform it to 'KeyValueObservable'. Foundation's own classes notify nobody.
                """)
        }
        guard value is [Any] || value is Set<AnyHashable> else { return }
        trap(
            """
            Key path '\(path.text)' leads into the elements of a collection, which cannot be observed: observe the \
            collection or, of its elements, each by itself.
            """)
    }

    // MARK: Watching

    /// Adds the nodes to the recipients of their objects.
    func listen(_ home: KeyValueObservations) { listen(home, isChain: isChain, isFixed: isFixed) }

    private func listen(_ home: KeyValueObservations, isChain: Bool, isFixed: Bool) {
        let observations = observations ?? home
        number = observations.nextNumber()
        observations.listen(
            Recipient(
                observation: observation, isOnPath: true, canReroute: !isFixed && canReroute(isChain),
                passesKind: isRoot && isLast), key, isRoot ? path.typed : nil, number: number,
            isAutomatic: isAutomatic)
        for node in dependencies { node.listen(home, isChain: isChain, isFixed: isFixed) }
        next?.listen(home, isChain: isChain, isFixed: isFixed)
    }

    /// Releases the objects of weak references after listening. Not inside of a lock, because they may be torn down.
    func unpin() {
        pinned = nil
        for node in dependencies { node.unpin() }
        next?.unpin()
    }

    /// Removes the nodes from the recipients of their objects.
    ///
    /// - Parameter home: the observations of the registration's object; nil if they are being torn down with it and must not be
    ///   changed any more.
    func unlisten(_ home: KeyValueObservations?) {
        for node in dependencies { node.unlisten(home) }
        next?.unlisten(home)
        (observations ?? home)?.unlisten(key, number)
    }

    /// Whether the observed property itself depends on the properties that it reads.
    var tracksReads: Bool { recorded != nil }

    /// Whether each node watches the object to which the node before it leads, and properties that depend on what they read read
    /// the same.
    var isCurrent: Bool {
        guard let object, !subjectClass.isInvalidated(object) else { return true }
        for node in dependencies where !node.isCurrent { return false }
        if let recorded, subjectClass.dependencies(of: component, nil, object).map(\.text) != recorded {
            return false
        }
        if operation != nil { return true }
        if isLast {
            // A path that could not be split to its end continues once there is an object.
            return path.partial == nil || leadsOn == leads(component, object)
        }
        if isReference, let next {
            let isSame =
                subjectClass.reference(object, key)
                == next.object.map { Unmanaged.passUnretained($0).toOpaque() }
            return isSame && next.isCurrent
        }
        guard let value = component.read(object, subjectClass).flatMap({ flatten($0) }) else {
            return next == nil
        }
        guard let next else { return Subjects.subject(in: value) == nil }
        guard let nextObject = next.object else { return false }
        if Subjects.isObject(value, nextObject) { return next.isCurrent }
        guard let target = Subjects.subject(in: value), target.class.isSame(target.object, nextObject) else {
            return false
        }
        return next.isCurrent
    }

    // MARK: Reading

    /// The class of the last object that the path has reached.
    var lastClass: any SubjectClass { next?.lastClass ?? subjectClass }

    /// Returns the value at the end of the path; returns nil if the path is broken.
    func value() -> Any? {
        guard let object else { return nil }
        if let elementCount { return elementCount(object) }
        if isLast { return flatten(component.read(object, subjectClass)) }
        if let next { return next.value() }
        guard let value = flatten(component.read(object, subjectClass)) else { return nil }
        return KeyValueCoding.value(of: value, path.components[(index + 1)...])
    }

    /// Whether the path is unbroken and no object on it is invalidated. Such a path can be read through its typed key path, even
    /// if that force-unwraps optionals.
    var isIntact: Bool {
        guard let object, !subjectClass.isInvalidated(object) else { return false }
        if let next { return next.isIntact }
        if isLast { return true }
        guard let target = component.read(object, subjectClass).flatMap({ Subjects.subject(in: $0) }) else {
            return false
        }
        return !target.class.isInvalidated(target.object)
    }
}
