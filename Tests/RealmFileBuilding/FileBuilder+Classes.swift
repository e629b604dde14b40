extension FileBuilder {
    /// A file as an application leaves it: with the version of its schema, links and what leads back from them.
    ///
    /// A class has at most 256 objects, and a collection at most 1000 elements: what one leaf holds.
    package static func file(_ classes: [FileClass], schemaVersion: Int64) -> [UInt8] {
        var builder = FileBuilder()
        let number = builder.integers([schemaVersion])
        let only = builder.cluster(count: 1, [number])
        var tables = [("metadata", builder.table([Column(name: "version", type: 0)], root: only))]
        let places = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1.name, $0 + 1) })
        let links = Links(classes)
        for type in classes {
            precondition(type.objects.count <= 256)
            var leaves = type.properties.map { property in
                let values = type.objects.map { $0[property.name] ?? .null }
                return property.collection == nil
                    ? builder.leaf(
                        values, property.type, isOptional: property.isOptional, isColumn: true, places)
                    : builder.collections(values, property, places)
            }
            for link in links.leadingBack(to: type) { leaves.append(builder.backlinks(link, type)) }
            let root = builder.cluster(count: type.objects.count, leaves)
            let table = builder.table(
                links.columns(of: type, places), root: root, index: places[type.name]!,
                isEmbedded: type.isEmbedded,
                primaryKey: type.primaryKey.flatMap { key in
                    type.properties.firstIndex { $0.name == key }
                })
            tables.append(("class_" + type.name, table))
        }
        return builder.finish(tables)
    }

    /// A leaf of the objects that lead to each object of a class by one property.
    private mutating func backlinks(_ link: Links.Link, _ target: FileClass) -> Int64 {
        var origins = [[Int64]](repeating: [], count: target.objects.count)
        for (place, object) in link.origin.objects.enumerated() {
            for found in object[link.property.name]?.places ?? [] { origins[found].append(Int64(place)) }
        }
        return references(
            origins.map { keys in
                switch keys.count {
                case 0: 0
                case 1: keys[0] << 1 | 1
                default: integers(keys)
                }
            })
    }
}

/// Which columns the classes of a file have, with those which lead back from links.
private struct Links {
    struct Link {
        var origin: FileClass
        var property: FileClass.Property
    }

    let classes: [FileClass]
    private let all: [Link]

    init(_ classes: [FileClass]) {
        self.classes = classes
        all = classes.flatMap { type in
            type.properties.filter { $0.target != nil }.map { Link(origin: type, property: $0) }
        }
    }

    func leadingBack(to type: FileClass) -> [Link] { all.filter { $0.property.target == type.name } }

    func columns(of type: FileClass, _ places: [String: Int]) -> [FileBuilder.Column] {
        let own = type.properties.map { property in
            var column = plainColumn(property)
            if let name = property.target {
                let target = classes.first { $0.name == name }!
                let order = leadingBack(to: target).firstIndex {
                    $0.origin.name == type.name && $0.property.name == property.name
                }!
                column.target = places[name]!
                column.oppositeKey = backColumn().key(at: target.properties.count + order)
            }
            return column
        }
        let back = leadingBack(to: type).map { link in
            let place = link.origin.properties.firstIndex { $0.name == link.property.name }!
            var column = backColumn()
            column.target = places[link.origin.name]!
            column.oppositeKey = plainColumn(link.property).key(at: place)
            return column
        }
        return own + back
    }

    private func plainColumn(_ property: FileClass.Property) -> FileBuilder.Column {
        var column = FileBuilder.Column(
            name: property.name, type: property.type.rawValue,
            attributes: (property.collection?.rawValue ?? 0) | (property.isOptional ? 16 : 0)
                | (property.isIndexed ? 1 : 0))
        column.tag = 1
        return column
    }

    private func backColumn() -> FileBuilder.Column {
        var column = FileBuilder.Column(name: "", type: 14)
        column.tag = 1
        return column
    }
}

extension FileValue {
    /// The places of the objects that a value of a property of links leads to.
    fileprivate var places: [Int] {
        switch self {
        case .object(let place): [place]
        case .list(let elements): elements.flatMap(\.places)
        case .dictionary(let entries):
            entries.sorted { $0.key < $1.key }.flatMap(\.value.places)
        default: []
        }
    }
}
