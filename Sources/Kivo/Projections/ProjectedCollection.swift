import Dispatch

/// A live collection of one property of a list's or set's elements, in their order. It reads through and stores nothing.
///
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
///
/// Reading by position reads the property of the element there; assigning assigns it. Insert and remove elements through the list
/// or set. Confined to its realm's thread or queue.
public struct ProjectedCollection<Element>: _SlicedCollection {
    let elements: any ProjectedValues<Element>

    init(_ elements: any ProjectedValues<Element>) { self.elements = elements }

    /// The position of the first element, 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    ///
    /// - Complexity: That of `count`.
    public var endIndex: Int { elements.count }
    /// The number of elements.
    ///
    /// - Complexity: O(1).
    public var count: Int { elements.count }

    /// The value of the element at a position.
    ///
    /// - Complexity: That of the element at a position of the root's collection: O(log n) if it is managed.
    /// - Precondition: `position` is in 0 ..< count. To assign a value, the projected property must not be read-only, and the
    ///   realm of a managed collection must be in a write transaction.
    public subscript(position: Int) -> Element {
        get { elements[position] }
        nonmutating set { elements[position] = newValue }
    }

    /// The position after another.
    public func index(after index: Int) -> Int { index + 1 }
    /// The position before another.
    public func index(before index: Int) -> Int { index - 1 }

    /// Returns an iterator over the values of the current elements.
    ///
    /// - Complexity: O(n): the iterator holds the elements of this moment.
    public func makeIterator() -> AnyIterator<Element> { elements.makeIterator() }
}

extension ProjectedCollection: ThreadConfined {
    /// The realm, or nil for a collection of an unmanaged object.
    public var realm: Realm? { elements.realm }
    /// A Boolean value that indicates whether the collection's owner was deleted or the realm invalidated.
    public var isInvalidated: Bool { elements.isInvalidated }
    /// A Boolean value that indicates whether the collection belongs to a frozen realm.
    public var isFrozen: Bool { elements.isFrozen }
    /// Returns the current values, for use on any thread.
    ///
    /// - Complexity: O(1): nothing is copied or evaluated.
    /// - Precondition: The collection is managed.
    public func freeze() -> ProjectedCollection { ProjectedCollection(elements.frozen()) }
    /// Returns the live values in the realm of the current thread, or nil if the collection's owner no longer exists there.
    ///
    /// - Complexity: O(i) for i realm instances of the same data in the process.
    /// - Precondition: The collection is managed.
    public func thaw() -> ProjectedCollection? { elements.thawed().map { ProjectedCollection($0) } }

    public var _handover: (Realm) -> ProjectedCollection? {
        let handover = elements.handover
        return { realm in handover(realm).map { ProjectedCollection($0) } }
    }
}

extension ProjectedCollection: CustomStringConvertible {
    /// A textual description of the values, at most the first hundred.
    ///
    /// - Complexity: O(n), although at most a hundred values are described.
    public var description: String {
        let shown = prefix(100).enumerated().map { index, element in
            "\t[\(index)] \(String(describing: element).replacingLineBreaks("\n\t"))\n"
        }
        let rest = count > 100 ? "\t... \(count - 100) objects skipped.\n" : ""
        return "ProjectedCollection<\(Element.self)> {\n\(shown.joined())\(rest)}"
    }
}

extension ProjectedCollection {
    /// Observes the values: one `.initial`, then an `.update` whenever elements were inserted, removed or moved, or their
    /// projected property was changed. Indices are those of the list or set: deletions and modifications in the old one,
    /// insertions in the new one.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for the projected ones. An unknown one traps.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) to register. The first call evaluates the collection. An update costs O(log n) for each changed
    ///   element.
    /// - Precondition: The collection is managed and not frozen, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection<Element>>) -> Void
    ) -> NotificationToken {
        elements.observe(keyPaths, nil, block)
    }

    /// Observes the values on a serial queue, or in the caller's context if `queue` is nil; see ``observe(keyPaths:_:)``.
    ///
    /// - Complexity: That of the overload without a queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?,
        _ block: @escaping @Sendable (RealmCollectionChange<ProjectedCollection<Element>>) -> Void
    ) -> NotificationToken {
        elements.observe(keyPaths, queue, block)
    }

    /// Observes the values in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection<Element>>) -> Void
    ) -> NotificationToken {
        elements.observe(keyPaths, nil, block)
    }
}

/// A projected collection whose element type is not known.
protocol AnyProjectedCollection {}

extension ProjectedCollection: AnyProjectedCollection {}

/// The values of a property of a collection's elements, without the collection's type.
protocol ProjectedValues<Value> {
    associatedtype Value

    var count: Int { get }
    subscript(position: Int) -> Value { get nonmutating set }
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var isFrozen: Bool { get }
    func makeIterator() -> AnyIterator<Value>
    func frozen() -> any ProjectedValues<Value>
    func thawed() -> (any ProjectedValues<Value>)?
    /// A closure that finds the values in another instance of the realm.
    var handover: (Realm) -> (any ProjectedValues<Value>)? { get }
    func observe(
        _ keyPaths: [String]?, _ queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection<Value>>) -> Void
    ) -> NotificationToken
}

/// The values of a property of a list's or set's elements.
struct ProjectedElements<Source: ProjectedSource, Value>: ProjectedValues {
    private let source: Source
    private let member: KeyPath<Source.Element, Value>

    init(_ source: Source, _ member: KeyPath<Source.Element, Value>) {
        self.source = source
        self.member = member
    }

    var count: Int { source.count }
    subscript(position: Int) -> Value {
        get { source[position][keyPath: member] }
        nonmutating set {
            guard let writable = member as? ReferenceWritableKeyPath<Source.Element, Value> else {
                trap(
                    """
                    Elements of a projected collection cannot be assigned: it shows a key path of class \
                    '\(Source.Element.className())' that can only be read.
                    """)
            }
            source[position][keyPath: writable] = newValue
        }
    }
    var realm: Realm? { source.realm }
    var isInvalidated: Bool { source.isInvalidated }
    var isFrozen: Bool { source.isFrozen }

    func makeIterator() -> AnyIterator<Value> {
        var elements = source.makeIterator()
        return AnyIterator { [member] in elements.next().map { $0[keyPath: member] } }
    }

    func frozen() -> any ProjectedValues<Value> { ProjectedElements(source.freeze(), member) }
    func thawed() -> (any ProjectedValues<Value>)? { source.thaw().map { ProjectedElements($0, member) } }

    var handover: (Realm) -> (any ProjectedValues<Value>)? {
        let (handover, member) = (source._handover, member)
        return { realm in handover(realm).map { ProjectedElements($0, member) } }
    }

    func observe(
        _ keyPaths: [String]?, _ queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection<Value>>) -> Void
    ) -> NotificationToken {
        let member = member
        let watched = keyPaths?.isEmpty == false ? keyPaths : nil
        return source._observe(watched ?? projectedNames, on: queue) { change in
            let projected = { (source: Source) in ProjectedCollection(ProjectedElements(source, member)) }
            block(change.mapCollection(projected))
        }
    }

    /// The names of the elements' key paths that the projection reads.
    private var projectedNames: [String] {
        let recorder = KeyPathRecorder.record(member, root: Source.Element.self)
        let names = (recorder?.paths ?? []).map { $0.joined(separator: ".") }
        if names.isEmpty {
            trap(
                """
                A projected collection shows no persisted property of class '\(Source.Element.className())', so it cannot be \
                observed.
                """)
        }
        return names
    }
}

/// The elements of a list or set whose property is projected: the value of `projectTo`.
///
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase> {
    private let source: any ProjectedSource<Element>

    fileprivate init(_ source: some ProjectedSource<Element>) { self.source = source }

    /// The values of a property of all elements, live.
    public subscript<Value>(dynamicMember member: KeyPath<Element, Value>) -> ProjectedCollection<Value> {
        // A recorder that follows the key path continues with the element's property.
        if let element = source.recordingElement { _ = element[keyPath: member] }
        return source.projected(member)
    }
}

extension List where Element: ObjectBase {
    /// The elements, for projecting one of their properties: `friends.projectTo.firstName`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

extension MutableSet where Element: ObjectBase {
    /// The elements, for projecting one of their properties: `friends.projectTo.firstName`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

/// A collection whose elements' properties can be projected.
protocol ProjectedSource<Element>: RealmCollection where Element: ObjectBase {
    /// An element that records accesses, if the collection belongs to an object that records them.
    var recordingElement: Element? { get }
}

extension ProjectedSource {
    fileprivate func projected<Value>(_ member: KeyPath<Element, Value>) -> ProjectedCollection<Value> {
        ProjectedCollection(ProjectedElements(self, member))
    }
}

extension List: ProjectedSource where Element: ObjectBase {
    var recordingElement: Element? { parent.recorder == nil ? nil : self[0] }
}

extension MutableSet: ProjectedSource where Element: ObjectBase {
    var recordingElement: Element? { parent.recorder == nil ? nil : self[0] }
}
