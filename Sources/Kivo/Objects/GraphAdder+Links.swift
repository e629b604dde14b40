import KivoEngine

/// An object with a row whose properties are being written.
struct OpenObject {
    let object: ObjectBase
    /// Whether the row existed before.
    let isUpdating: Bool
    /// The values from which the object is created; nil if the object itself is added.
    var values: InitialValues?
    /// The position of the next property among the stored properties.
    var next = 0
    /// The links of the next property, while they are followed.
    var links: AddedLinks?
}

/// The target of a property of an object that is being added.
enum AddedLink {
    case none
    /// An object that is itself added.
    case object(ObjectBase)
    /// A value from which an object is created, or an object that is copied.
    case copy(Any)

    var isNone: Bool { if case .none = self { true } else { false } }
}

/// All targets of a property: one link, or the elements of a collection. Confined to the adder.
final class AddedLinks {
    /// The keys of a map, ascending.
    let labels: [String]
    private let links: [AddedLink]
    /// The embedded objects to update in place, by position; 0 for none.
    private let replaced: [ObjectKey]
    /// The rows of the links that were followed so far.
    var keys: [ObjectKey] = []
    /// Whether nil was given instead of links, which empties sets and maps.
    let isNull: Bool
    /// Whether the links are those of a given value, and not an object's own ones.
    let isGiven: Bool

    init(
        _ links: [AddedLink], labels: [String] = [], replaced: [ObjectKey] = [], isNull: Bool = false,
        isGiven: Bool = false
    ) {
        self.links = links
        self.labels = labels
        self.replaced = replaced
        self.isNull = isNull
        self.isGiven = isGiven
    }

    /// The next link to follow, or nil.
    var next: AddedLink? { keys.count < links.count ? links[keys.count] : nil }

    /// The embedded object that the next link's object replaces, or 0.
    var current: ObjectKey { keys.count < replaced.count ? replaced[keys.count] : 0 }
}

/// An object that is copied: an unmanaged one, or a row of another realm. It is retained, so that no other object gets its
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
    /// Returns the links of a property of an object that is being added, or nil if nothing has to be written.
    ///
    /// - Parameter copied: The value to copy; without one the links of the object itself are added. A new dynamic object gets the
    ///   default of the declared class.
    func links(
        _ owner: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer,
        copying copied: InitialValue
    ) -> AddedLinks? {
        var given = copied
        if case .absent = given, !isUpdating, owner.kivoContext.isDynamic {
            given = .value(owner.kivoContext.info.dynamicDefault(property))
        }
        guard case .value(let copied) = given else { return ownLinks(owner, property, address) }
        let value = nonNull(copied)
        guard let copies = copiedLinks(value, property.type.collection) else {
            owner.kivoTrapMisfit(property, copied)
        }
        if property.hasElementsOnly, copies.links.contains(where: \.isNone) {
            owner.kivoTrapNilElement(property)
        }
        let replaced = replaced(owner, property, copies.labels, count: copies.links.count)
        let links = AddedLinks(
            copies.links, labels: copies.labels, replaced: replaced, isNull: value == nil, isGiven: true)
        return prepared(links, owner, property)
    }

    /// Returns the links of an unmanaged object's own property.
    private func ownLinks(
        _ owner: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer
    ) -> AddedLinks? {
        if property.type.collection == .none {
            guard let object = property.wrapper.linkedObject(address) else {
                return isUpdating ? AddedLinks([.none]) : nil
            }
            return AddedLinks([.object(object)], replaced: replaced(owner, property, [], count: 1))
        }
        guard
            let collection = property.wrapper.cachedCollection(address) as? any ModelCollection
        else {
            // A collection that was never used is empty.
            return isUpdating ? prepared(AddedLinks([]), owner, property) : nil
        }
        let elements = collection.objects
        let labels = elements.compactMap(\.label)
        let replaced = replaced(owner, property, labels, count: elements.count)
        let links = elements.map { $0.object.map { AddedLink.object($0) } ?? .none }
        if property.hasElementsOnly, links.contains(where: \.isNone) { owner.kivoTrapNilElement(property) }
        return prepared(AddedLinks(links, labels: labels, replaced: replaced), owner, property)
    }

    /// Returns the links that a given value represents, or nil if it represents none.
    private func copiedLinks(
        _ value: Any?, _ kind: CollectionKind
    ) -> (links: [AddedLink], labels: [String])? {
        func link(_ value: Any?) -> AddedLink? {
            guard let value = nonNull(value) else { return AddedLink.none }
            if let object = (value as? any _CustomPersistable)?.persistedObject { return .object(object) }
            return InitialValues.canMakeObject(value) ? .copy(value) : nil
        }
        func all(_ values: [Any?]) -> [AddedLink]? {
            let links = values.compactMap(link)
            return links.count == values.count ? links : nil
        }
        switch kind {
        case .none: return link(value).map { ([$0], []) }
        case .map:
            guard let value else { return ([], []) }
            guard let entries = CollectionContents.entries(value) else { return nil }
            return all(entries.map(\.value)).map { ($0, entries.map(\.key)) }
        case .list, .set:
            guard let value else { return ([], []) }
            guard let elements = CollectionContents.elements(ofSequence: value) else { return nil }
            return all(elements).map { ($0, []) }
        case .linkingObjects: return nil
        }
    }

    /// Returns the embedded objects of an updated property, into whose rows the new objects are written.
    private func replaced(
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

    /// Empties a list that is about to be rewritten. The observers of the list are notified of that before the observers of the
    /// objects that are updated as its elements.
    private func prepared(
        _ links: AddedLinks, _ owner: ObjectBase, _ property: PropertyInfo
    ) -> AddedLinks {
        if isUpdating, !isComparing, property.type.collection == .list, !property.isOwning {
            CollectionReference(owner, property).removeAllElements()
        }
        return links
    }

    /// Writes a property once all objects that it links to have their rows.
    func write(
        _ links: AddedLinks, _ owner: ObjectBase, _ property: PropertyInfo, _ address: UnsafeMutableRawPointer
    ) {
        let collection = property.wrapper.cachedCollection(address) as? any ModelCollection
        isReplacing = links.isNull
        defer { isReplacing = false }
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

/// Values of any type in the values from which an object is created: objects in them that are not in this realm are copied.
extension GraphAdder {
    /// Returns the value to write instead of a value, with copies of the objects that are not in this realm. If copies have to be
    /// written first, they are open afterwards. Call this again when they are written.
    func withCopies(_ original: Any?, _ property: PropertyInfo) -> Any? {
        guard let value = nonNull(original) else { return original }
        switch property.type.collection {
        case .none:
            guard let value = AnyRealmValue.fromAny(value), needsCopy(value) else { return original }
            return withCopies(value)
        case .map:
            guard let entries = CollectionContents.entries(value) else { return original }
            let values = entries.compactMap { AnyRealmValue.fromAny($0.value) }
            guard values.count == entries.count, values.contains(where: needsCopy) else { return original }
            return Dictionary(
                zip(entries, values).map { ($0.key, withCopies($1) as Any) }, uniquingKeysWith: { $1 })
        case .list, .set, .linkingObjects:
            guard let elements = CollectionContents.elements(ofSequence: value) else { return original }
            let values = elements.compactMap { AnyRealmValue.fromAny($0) }
            guard values.count == elements.count, values.contains(where: needsCopy) else { return original }
            return values.map(withCopies)
        }
    }

    /// Returns whether a value is or contains an object that is not in this realm.
    private func needsCopy(_ value: AnyRealmValue) -> Bool {
        switch value {
        case .object(let object): !isHere(object)
        case .list(let list): list.contents.contains(where: needsCopy)
        case .dictionary(let map): map.entries.contains { needsCopy($0.value) }
        default: false
        }
    }

    private func withCopies(_ value: AnyRealmValue) -> AnyRealmValue {
        switch value {
        case .object(let object) where !isHere(object):
            .object(unsafeDowncast(copy(of: object), to: Object.self))
        case .list(let list): .fromArray(list.contents.map(withCopies))
        case .dictionary(let map):
            .fromDictionary(
                Dictionary(map.entries.map { ($0.key, withCopies($0.value)) }, uniquingKeysWith: { $1 }))
        default: value
        }
    }
}
