import KivoEngine

/// An object with a row whose properties are being written.
struct OpenObject {
    let object: ObjectBase
    /// Whether the row was there before.
    let isUpdating: Bool
    /// The values that the object is made of; nil for one that is added itself.
    var given: GivenValues?
    /// The place among the stored properties of the one that comes next.
    var next = 0
    /// What the next property links to, while that is followed.
    var links: AddedLinks?
}

/// What a property leads to in the object that is being added.
enum AddedLink {
    case none
    /// An object that is added itself.
    case object(ObjectBase)
    /// A value that an object is made of, or an object of which a copy is made.
    case copy(Any)

    var isNone: Bool { if case .none = self { true } else { false } }
}

/// All that a property leads to: one link, or the elements of a collection. Confined to the adder.
final class AddedLinks {
    /// The keys of a map, ascending.
    let labels: [String]
    private let links: [AddedLink]
    /// The embedded objects that are to be changed in place, by position; 0 for none.
    private let places: [ObjectKey]
    /// The objects that the links lead to, as far as they were followed.
    var keys: [ObjectKey] = []

    init(_ links: [AddedLink], labels: [String] = [], places: [ObjectKey] = []) {
        self.links = links
        self.labels = labels
        self.places = places
    }

    /// The link to be followed next, or nil.
    var next: AddedLink? { keys.count < links.count ? links[keys.count] : nil }

    /// The embedded object in whose place the next link's is to be, or 0.
    var current: ObjectKey { keys.count < places.count ? places[keys.count] : 0 }
}

/// An object of which a copy is made: an unmanaged one, or a row of another realm. It is held, so that no other gets its
/// address meanwhile.
struct CopiedObject: Hashable {
    private let object: ObjectBase

    init(_ object: ObjectBase) { self.object = object }

    private var owner: ObjectIdentifier {
        object.isManaged ? ObjectIdentifier(object.kivoContext) : ObjectIdentifier(object)
    }

    private var key: ObjectKey { object.isManaged ? object.kivoRow.key : 0 }

    static func == (a: CopiedObject, b: CopiedObject) -> Bool { a.owner == b.owner && a.key == b.key }

    func hash(into hasher: inout Hasher) {
        hasher.combine(owner)
        hasher.combine(key)
    }
}

extension GraphAdder {
    /// What a property of an object that is being added leads to; nil if there is nothing to write.
    ///
    /// - Parameter given: the value to copy; nil to add what the object itself has.
    func links(
        _ owner: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer, given: Any??
    ) -> AddedLinks? {
        guard let given else { return ownLinks(owner, property, address) }
        let value = nonNull(given)
        guard let found = copiedLinks(value, property.type.collection) else {
            owner.kivoTrapMisfit(property, given)
        }
        if property.hasElementsOnly, found.links.contains(where: \.isNone) {
            owner.kivoTrapNilElement(property)
        }
        let places = places(owner, property, found.labels, count: found.links.count)
        return prepared(AddedLinks(found.links, labels: found.labels, places: places), owner, property)
    }

    /// What an unmanaged object itself has.
    private func ownLinks(
        _ owner: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer
    ) -> AddedLinks? {
        if property.type.collection == .none {
            guard let object = property.wrapper.linkedObject(address) else {
                return isUpdating ? AddedLinks([.none]) : nil
            }
            return AddedLinks([.object(object)], places: places(owner, property, [], count: 1))
        }
        guard
            let collection = property.wrapper.cachedCollection(address) as? any ModelCollection
        else {
            // What was never used is empty.
            return isUpdating ? prepared(AddedLinks([]), owner, property) : nil
        }
        let elements = collection.objects
        let labels = elements.compactMap(\.label)
        let places = places(owner, property, labels, count: elements.count)
        let links = elements.map { $0.object.map { AddedLink.object($0) } ?? .none }
        if property.hasElementsOnly, links.contains(where: \.isNone) { owner.kivoTrapNilElement(property) }
        return prepared(AddedLinks(links, labels: labels, places: places), owner, property)
    }

    /// The links that are meant by a given value; nil if it means none.
    private func copiedLinks(
        _ value: Any?, _ kind: CollectionKind
    ) -> (links: [AddedLink], labels: [String])? {
        func link(_ value: Any?) -> AddedLink? {
            guard let value = nonNull(value) else { return AddedLink.none }
            if let object = (value as? any _CustomPersistable)?._persistedObject { return .object(object) }
            return GivenValues.canMakeObject(value) ? .copy(value) : nil
        }
        func all(_ values: [Any?]) -> [AddedLink]? {
            let links = values.compactMap(link)
            return links.count == values.count ? links : nil
        }
        switch kind {
        case .none: return link(value).map { ([$0], []) }
        case .map:
            guard let value else { return ([], []) }
            guard let entries = GivenElements.entries(value) else { return nil }
            return all(entries.map(\.value)).map { ($0, entries.map(\.key)) }
        case .list, .set:
            guard let value else { return ([], []) }
            guard let elements = GivenElements.elements(value) else { return nil }
            return all(elements).map { ($0, []) }
        case .linkingObjects: return nil
        }
    }

    /// The embedded objects that an updated property holds, where those that come are to be put into their rows.
    private func places(
        _ owner: ObjectBase, _ property: PropertyInfo, _ labels: [String], count: Int
    ) -> [ObjectKey] {
        guard isComparing, property.isOwning else { return [] }
        let (table, key) = (owner.kivoContext.table, owner.kivoRow.key)
        switch property.type.collection {
        case .none: return [transaction.table(table).cell(key, property.column, .link).linkKey]
        case .map:
            let map = MapReference(owner, property)
            return labels.map { label in
                let (position, isEqual) = map.keys.sequence.lowerBound(.string(label))
                return isEqual ? map.values.sequence.cell(at: position).linkKey : 0
            }
        case .list, .set: return CollectionReference(owner, property).sequence.links
        case .linkingObjects: return []
        }
    }

    /// Empties a list that is written anew, of which observers are told before they are told of what is updated for it.
    private func prepared(
        _ links: AddedLinks, _ owner: ObjectBase, _ property: PropertyInfo
    ) -> AddedLinks {
        if isUpdating, !isComparing, property.type.collection == .list, !property.isOwning {
            CollectionReference(owner, property).removeAllElements()
        }
        return links
    }

    /// Writes a property once all that it leads to has its row.
    func write(
        _ links: AddedLinks, _ owner: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer
    ) {
        let collection = property.wrapper.cachedCollection(address) as? any ModelCollection
        switch property.type.collection {
        case .none: storeLink(links.keys[0], owner, property)
        case .list: write(links.keys.map(Cell.link), CollectionReference(owner, property))
        case .set: write(set: links.keys.map(Cell.link), CollectionReference(owner, property))
        case .map:
            write(
                zip(links.labels, links.keys).map { ($0, Cell.link($1)) }, MapReference(owner, property))
        case .linkingObjects: return
        }
        if collection?.become(managed: owner, property) ?? false { return }
        property.wrapper.renew(address, owner, property)
    }
}
