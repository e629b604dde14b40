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
