/// The elements of a list or set, of which a property is projected: what `projectTo` is.
///
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase> {
    private let source: any ProjectedSource<Element>

    fileprivate init(_ source: some ProjectedSource<Element>) { self.source = source }

    /// The values of a property of all elements, live.
    public subscript<Value>(dynamicMember member: KeyPath<Element, Value>) -> ProjectedCollection<Value> {
        // A key path that is being taken apart goes on with the element's property.
        if let element = source.recordingElement { _ = element[keyPath: member] }
        return source.projected(member)
    }
}

extension List where Element: ObjectBase {
    /// The elements, to project a property of theirs: `friends.projectTo.firstName`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

extension MutableSet where Element: ObjectBase {
    /// The elements, to project a property of theirs: `friends.projectTo.firstName`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}

/// A collection of which a property of the elements can be projected.
protocol ProjectedSource<Element>: RealmCollection where Element: ObjectBase {
    /// An element that records, if the collection is one of an object that does.
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
