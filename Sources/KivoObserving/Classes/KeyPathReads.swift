import Foundation

/// The observed properties that a typed key path reads: from an object, and from the objects to which these properties lead.
///
/// Instances of plain classes record their reads themselves. In place of a model, an object that stands for it is read, which does.
package struct KeyPathReads {
    private let keyPath: AnyKeyPath
    private let root: AnyObject
    private let rootClass: any SubjectClass
    /// Whether the key path may unwrap nil with `!`, which fails.
    private let isForced: Bool

    package init(_ keyPath: AnyKeyPath, _ root: AnyObject, _ rootClass: any SubjectClass) {
        self.keyPath = keyPath
        self.root = root
        self.rootClass = rootClass
        isForced = !KeyPathParts.isSingle(keyPath) && "\(keyPath)".contains("!")
    }

    /// A property on a key path.
    struct Step {
        let name: String
        /// The property of a plain class, and the object that has it.
        let field: StoredField?
        let object: AnyObject?
        let valueType: Any.Type?
        /// Whether the property refers to objects, so that the key path may continue in them.
        let isObject: Bool
        /// Whether changes of the property can have positions.
        let hasElements: Bool
        /// The observed object to which the property refers now.
        let target: (object: AnyObject, class: any SubjectClass)?

        /// Whether changes of the property are notified: false for a constant.
        var isNotified: Bool { field.map { $0.storage != nil } ?? true }

        init(_ field: StoredField, of object: AnyObject) {
            name = field.name
            self.field = field
            self.object = object
            valueType = field.storage?.valueType
            target = Subjects.subject(in: field.value(in: object))
            isObject = target != nil || valueType.map { withoutOptional($0) is AnyClass } ?? false
            hasElements = KeyPathReads.hasElements(field)
        }

        init(_ name: String, of object: AnyObject?, _ objectClass: any SubjectClass, _ end: StandInReads?) {
            self.name = name
            field = nil
            self.object = object
            valueType = end?.valueType
            target = object.flatMap { objectClass.value(of: $0, name) }.flatMap { Subjects.subject(in: $0) }
            isObject = end.map { $0.valueType.map { withoutOptional($0) is AnyClass } ?? false } ?? true
            hasElements = end?.isCollection ?? false
        }
    }

    /// Returns whether values of a property can be changed by insertions and removals.
    static func hasElements(_ field: StoredField) -> Bool {
        guard let type = field.storage.map({ withoutOptional($0.valueType) }) else { return false }
        if type is any Sequence.Type { return type != String.self && type != Data.self }
        return type is NSArray.Type || type is NSSet.Type || type is NSOrderedSet.Type
    }

    /// Returns whether the key path ends at a property, and not in a part of its value.
    func ends(at step: Step) -> Bool {
        guard let type = step.valueType else { return true }
        return withoutOptional(type) == withoutOptional(Swift.type(of: keyPath).valueType)
    }

    /// Returns whether the key path, which has a single part, is the property of a step, the first one, and not one that computes
    /// its value from it.
    ///
    /// A key path does not contain that. But a getter of an observed property knows the key path of its property, which is compared.
    func isProperty(_ step: Step) -> Bool {
        guard step.object === root, step.valueType == Swift.type(of: keyPath).valueType else { return false }
        return readsOnly([step]) { property in
            if !KeyPathProperty.areSame(keyPath, property) { return false }
            if let isOverridden = KeyPathProperty.isOverridden(property, in: Swift.type(of: root)) {
                return !isOverridden
            }
            return step.field.map {
                hashable($0.value(in: root)) == hashable((root as Any)[keyPath: keyPath])
            } ?? false
        }
    }

    /// Returns whether the key path reads nothing but some steps, and `isPart` is true of the key path of each property that it reads
    /// in a plain class. Getters that read other properties, too, compute their value.
    private func readsOnly(_ steps: [Step], _ isPart: (AnyKeyPath) -> Bool) -> Bool {
        record(withStandIns: false).reads.allSatisfy { read in
            steps.contains { $0.object === read.object && $0.field?.offset == read.column }
                && read.property.map(isPart) ?? false
        }
    }

    // MARK: The path

    /// Returns the key path as a path of properties; returns nil if a property on it is computed, unless it reads a single one.
    @_optimize(size)
    package func path() -> WatchedKeyPath? {
        let steps = steps()
        guard let last = steps.last, steps.contains(where: { $0.isNotified }) else { return nil }
        // What is read but is no part of the key path is read by a getter that computes.
        if !readsOnly(steps, { KeyPathProperty.isPart($0, of: keyPath) }) { return nil }
        let (endsThere, names) = (ends(at: last), steps.map(\.name))
        // The key path continues in an object: in a computed property, or it is not known yet where.
        let isOpen = !endsThere && last.isObject
        if isOpen, last.target != nil { return nil }
        return WatchedKeyPath(
            names.joined(separator: "."), names.map { .key($0) },
            // Reading a path that unwraps nil would fail.
            isDirect: !isOpen && !isForced && !(endsThere && last.hasElements),
            partial: isOpen ? keyPath : nil)
    }

    /// Returns the observed properties that the key path reads one after another, each in the object to which the one before leads.
    @_optimize(size)
    func steps() -> [Step] {
        var steps: [Step] = []
        var target: (object: AnyObject, class: any SubjectClass)? = (root, rootClass)
        var (reads, models): ([ReadRecorder.Read], [Model]) = ([], [])
        if rootClass is ReflectedClass { (reads, models) = record(withStandIns: true) }
        while let (object, objectClass) = target, steps.count < 64 {
            if let objectClass = objectClass as? ReflectedClass {
                let own = reads.filter { $0.object === object }
                // Getters that read several properties compute their value.
                guard let read = own.first, own.allSatisfy({ $0 == read }),
                    let field = objectClass.observedField(read.column)
                else {
                    guard own.isEmpty, let constants = constants(from: object, to: reads) else {
                        return steps
                    }
                    steps += constants
                    target = steps.last?.target
                    continue
                }
                let step = Step(field, of: object)
                steps.append(step)
                target = step.target
                guard let model = models.first(where: { $0.read == read }) else { continue }
                steps += self.steps(of: model.reads, from: step.target)
            } else if steps.isEmpty, let standIn = objectClass.makeStandIn() {
                let value = KivoObserving.read(standIn.object, keyPath)
                steps = self.steps(of: standIn.reads(endingAt: value), from: target)
            } else {
                return steps
            }
            // A model can lead back to plain objects, which have to be read themselves.
            target = steps.last?.target
            guard let next = target?.class as? ReflectedClass, let object = target?.object else {
                return steps
            }
            link(object, next)
            reads = record(withStandIns: false).reads
            models = []
        }
        return steps
    }

    /// Returns the properties that were read from the stand-in for a model.
    private func steps(
        of reads: StandInReads, from model: (object: AnyObject, class: any SubjectClass)?
    ) -> [Step] {
        guard let chain = reads.chain, let modelClass = model?.class else { return [] }
        var steps: [Step] = []
        var target = model
        for (index, name) in chain.enumerated() {
            let end = index + 1 == chain.count ? reads : nil
            steps.append(Step(name, of: target?.object, target?.class ?? modelClass, end))
            target = steps[index].target
        }
        return steps
    }

    // MARK: Constants

    /// Returns the properties that are not observed and lead from an instance of a plain class to one from which a property was read;
    /// returns nil if there are none.
    private func constants(from object: AnyObject, to reads: [ReadRecorder.Read]) -> [Step]? {
        for read in reads {
            if let place = places(from: object).first(where: { $0.object === read.object }),
                place.path.count > 0
            {
                return place.path
            }
        }
        return nil
    }

    /// An object to which properties lead that are not observed.
    private struct Place {
        let object: AnyObject
        let path: [Step]
    }

    /// Returns an instance, and the instances of plain classes to which properties lead from there that are not observed.
    private func places(from object: AnyObject) -> [Place] {
        var places = [Place(object: object, path: [])]
        var index = 0
        while index < places.count, places.count < Self.limit {
            let place = places[index]
            index += 1
            guard let objectClass = Subjects.subject(in: place.object)?.class as? ReflectedClass else {
                continue
            }
            objectClass.forEachConstant(of: place.object) { field, target, targetClass in
                guard targetClass is ReflectedClass, !places.contains(where: { $0.object === target }) else {
                    return
                }
                places.append(Place(object: target, path: place.path + [Step(field, of: place.object)]))
            }
        }
        return places
    }

    /// The number of objects to which constants are followed.
    private static let limit = 256

    /// Makes the properties of an instance record their reads, and those of the instances to which its constants lead.
    private func link(_ object: AnyObject, _ objectClass: ReflectedClass) {
        for place in places(from: object) {
            (Subjects.subject(in: place.object)?.class as? ReflectedClass)?.linkAll(place.object)
        }
    }

    /// Whether the key path has no value and may end at a property that is not observed and nil.
    var endsAtMissingConstant: Bool {
        guard let rootClass = rootClass as? ReflectedClass else { return false }
        return KivoObserving.read(root, keyPath) == nil
            && places(from: root).contains { place in
                (Subjects.subject(in: place.object)?.class as? ReflectedClass ?? rootClass)
                    .hasMissingConstant(place.object)
            }
    }

    // MARK: Recording

    /// A model to which a property of a plain class leads.
    private struct Model {
        let read: ReadRecorder.Read
        let reads: StandInReads
    }

    /// Reads the key path, and returns the properties that were read in plain classes, and in models that stood for others.
    @_optimize(size)
    private func record(withStandIns: Bool) -> (reads: [ReadRecorder.Read], models: [Model]) {
        var standIns: [(read: ReadRecorder.Read, object: any RecordingStandIn)] = []
        var value: Any?
        if let rootClass = rootClass as? ReflectedClass { link(root, rootClass) }
        let reads = ReadRecorder.reads { read, value in
            guard let (object, objectClass) = Subjects.subject(in: value) else {
                if isForced, flatten(value) == nil { trapNil() }
                return nil
            }
            if let objectClass = objectClass as? ReflectedClass {
                link(object, objectClass)
                return nil
            }
            guard withStandIns, let standIn = objectClass.makeStandIn() else { return nil }
            standIns.append((read, standIn))
            return standIn.object
        } _: {
            value = KivoObserving.read(root, keyPath)
        }
        return (reads, standIns.map { Model(read: $0.read, reads: $0.object.reads(endingAt: value)) })
    }

    @_optimize(none)
    private func trapNil() -> Never {
        trap(
            """
            Key path '\(keyPath)' unwraps an optional with '!', and cannot be observed while it is nil: write '?', or observe it \
            by name.
            """)
    }

    // MARK: Dependencies

    /// Returns the paths of all properties that the key path reads, except those that are prefixes of others. Elements of
    /// collections are at the end of no path.
    @_optimize(size)
    package func paths() -> [WatchedKeyPath] {
        var paths: [[String]] = []
        // The objects from which properties can be read, each with the path to it.
        var places: [(object: AnyObject, path: [String])] = []
        func add(_ object: AnyObject, _ path: [String]) {
            for place in self.places(from: object) {
                places.append((place.object, path + place.path.map(\.name)))
            }
        }
        if rootClass is ReflectedClass {
            add(root, [])
        } else {
            // Only the plain objects to which a model leads record their reads.
            let steps = steps()
            let end = steps.firstIndex { $0.target?.class is ReflectedClass } ?? steps.count - 1
            paths = [steps[...end].map(\.name)]
            if let (object, objectClass) = steps[end].target {
                add(object, paths[0])
                if let objectClass = objectClass as? ReflectedClass { link(object, objectClass) }
            }
        }
        for read in record(withStandIns: false).reads {
            guard let place = places.first(where: { $0.object === read.object })?.path,
                let objectClass = Subjects.subject(in: read.object)?.class as? ReflectedClass,
                let field = objectClass.observedField(read.column)
            else { continue }
            let path = place + [field.name]
            if paths.contains(path) { continue }
            paths.append(path)
            guard let (object, targetClass) = Subjects.subject(in: field.value(in: read.object)),
                !places.contains(where: { $0.object === object })
            else { continue }
            add(object, path)
            paths += modelPaths(read, targetClass).map { path + $0 }
        }
        return paths.filter { path in !paths.contains { $0.count > path.count && $0.starts(with: path) } }
            .map { WatchedKeyPath($0.joined(separator: ".")) }
    }

    /// Returns the paths that the key path reads from the model to which a property leads; none from an instance of a plain class.
    private func modelPaths(_ read: ReadRecorder.Read, _ modelClass: any SubjectClass) -> [[String]] {
        guard let standIn = modelClass.makeStandIn() else { return [] }
        var value: Any?
        _ = ReadRecorder.reads(substituting: { next, _ in next == read ? standIn.object : nil }) {
            value = KivoObserving.read(root, keyPath)
        }
        return standIn.reads(endingAt: value).paths
    }
}
