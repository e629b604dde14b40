/// The classes of a schema, as a drawing needs them: names and types in words, and which property leads to which class.
///
/// Whoever has a schema, of a file or of sources, describes it by one of these and draws it:
///
///     let outline = SchemaOutline([
///         .init("Person", [.init("name", type: "String"), .init("dogs", type: "Dog", target: "Dog", collection: .list)]),
///         .init("Dog", [.init("name", type: "String")]),
///     ])
///     print(outline.drawn(as: .mermaid))
///
/// A link to a class that is not among the classes is drawn as a value of that type.
public struct SchemaOutline: Sendable, Equatable {
    /// The classes, in the order in which texts list them.
    public var classes: [Class]

    /// An outline of some classes.
    public init(_ classes: [Class]) { self.classes = classes }

    /// One class.
    public struct Class: Sendable, Equatable {
        /// The name of the class.
        public var name: String
        /// Whether its objects are owned by others.
        public var isEmbedded: Bool
        /// The properties, in the order in which they are drawn.
        public var properties: [Property]

        /// A class of its properties.
        public init(_ name: String, isEmbedded: Bool = false, _ properties: [Property]) {
            self.name = name
            self.isEmbedded = isEmbedded
            self.properties = properties
        }
    }

    /// One property of a class.
    public struct Property: Sendable, Equatable {
        /// What a property holds several values in.
        public enum Collection: String, Sendable {
            /// A `List`.
            case list
            /// A `MutableSet`.
            case set
            /// A `Map` with strings for keys.
            case map = "dictionary"
            /// `LinkingObjects`: computed, from links that lead here.
            case inverse = "linkingObjects"
        }

        /// The name in the class.
        public var name: String
        /// The name under which it is stored, if that is another one.
        public var storedName: String?
        /// The type of the value, or of the elements of a collection, as Swift has it, and without `?`.
        public var type: String
        /// Whether the value, or an element, can be nil.
        public var isOptional: Bool
        /// The class that links lead to, or that linking objects are of; nil for plain values.
        public var target: String?
        /// What the values are held in; nil for a single one.
        public var collection: Collection?
        /// For linking objects, the property of the target that links here.
        public var origin: String?
        /// Whether objects are told apart by the value.
        public var isPrimaryKey: Bool
        /// Whether objects can be found by the value.
        public var isIndexed: Bool

        /// A property.
        public init(
            _ name: String, storedName: String? = nil, type: String, isOptional: Bool = false,
            target: String? = nil, collection: Collection? = nil, origin: String? = nil,
            isPrimaryKey: Bool = false, isIndexed: Bool = false
        ) {
            self.name = name
            self.storedName = storedName
            self.type = type
            self.isOptional = isOptional
            self.target = target
            self.collection = collection
            self.origin = origin
            self.isPrimaryKey = isPrimaryKey
            self.isIndexed = isIndexed
        }

        /// The type as a declaration has it: `Int?`, `List<Dog>`, `Map<String, Dog?>`, `LinkingObjects<Dog>`.
        public var declaredType: String {
            let element = isOptional && collection != .inverse ? type + "?" : type
            return switch collection {
            case nil: element
            case .list: "List<\(element)>"
            case .set: "MutableSet<\(element)>"
            case .map: "Map<String, \(element)>"
            case .inverse: "LinkingObjects<\(element)>"
            }
        }
    }
}

extension SchemaOutline {
    /// A property that leads from one class to another of the outline; not linking objects, which lead back.
    struct Link {
        /// The place of the class among ``SchemaOutline/classes``.
        var source: Int
        /// The place of the property in the class.
        var property: Int
        /// The class that it leads to.
        var target: Int
        /// The place of the linking objects of the target that are the way back, if there are any.
        var inverse: Int?
    }

    /// All links, by class and property. O(properties).
    var links: [Link] {
        let places = Dictionary(
            classes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var links: [Link] = []
        for (source, some) in classes.enumerated() {
            for (index, property) in some.properties.enumerated() where property.collection != .inverse {
                guard let target = property.target.flatMap({ places[$0] }) else { continue }
                let inverse = classes[target].properties.firstIndex {
                    $0.collection == .inverse && $0.target == some.name && $0.origin == property.name
                }
                links.append(Link(source: source, property: index, target: target, inverse: inverse))
            }
        }
        return links
    }

    subscript(link: Link) -> Property { classes[link.source].properties[link.property] }
}
