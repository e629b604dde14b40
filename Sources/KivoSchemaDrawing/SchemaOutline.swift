/// The classes of a schema for a drawing: names, types as text, and the links between classes.
///
/// Describe a schema, of a file or of sources, by an outline, and draw it:
///
///     let outline = SchemaOutline([
///         .init("Person", [.init("name", type: "String"), .init("dogs", type: "Dog", target: "Dog", collection: .list)]),
///         .init("Dog", [.init("name", type: "String")]),
///     ])
///     print(outline.drawn(as: .mermaid))
///
/// A link to a class that is not in the outline is drawn as a value of that type.
public struct SchemaOutline: Sendable, Equatable {
    /// The classes, in the order in which text formats list them.
    public var classes: [Class]

    /// Creates an outline of some classes.
    public init(_ classes: [Class]) { self.classes = classes }

    /// One class.
    public struct Class: Sendable, Equatable {
        /// The name of the class.
        public var name: String
        /// A Boolean value that indicates whether other objects own its objects.
        public var isEmbedded: Bool
        /// The properties, in the order in which they are drawn.
        public var properties: [Property]

        /// Creates a class with properties.
        public init(_ name: String, isEmbedded: Bool = false, _ properties: [Property]) {
            self.name = name
            self.isEmbedded = isEmbedded
            self.properties = properties
        }
    }

    /// One property of a class.
    public struct Property: Sendable, Equatable {
        /// The kind of collection in which a property holds several values.
        public enum Collection: String, Sendable {
            /// A `List`.
            case list
            /// A `MutableSet`.
            case set
            /// A `Map` with string keys.
            case map = "dictionary"
            /// `LinkingObjects`: computed from links to the class.
            case inverse = "linkingObjects"
        }

        /// The name in the class.
        public var name: String
        /// The name under which the property is stored, if it differs.
        public var storedName: String?
        /// The type of the value, or of the elements of a collection, in Swift's notation without `?`.
        public var type: String
        /// A Boolean value that indicates whether the value, or an element, can be nil.
        public var isOptional: Bool
        /// The class to which links lead, or whose objects linking objects are; nil for plain values.
        public var target: String?
        /// The kind of collection, or nil for a single value.
        public var collection: Collection?
        /// For linking objects, the property of the target that links to the class.
        public var origin: String?
        /// A Boolean value that indicates whether the property is the primary key.
        public var isPrimaryKey: Bool
        /// A Boolean value that indicates whether the property is indexed.
        public var isIndexed: Bool

        /// Creates a property.
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

        /// The type in the notation of a declaration: `Int?`, `List<Dog>`, `Map<String, Dog?>`, `LinkingObjects<Dog>`.
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
    /// A property that links one class of the outline to another; not linking objects, which lead back.
    struct Link {
        /// The index of the class in ``SchemaOutline/classes``.
        var source: Int
        /// The index of the property in the class.
        var property: Int
        /// The index of the class to which it leads.
        var target: Int
        /// The index of the target's linking objects that lead back, if there are any.
        var inverse: Int?
    }

    /// All links, by class and property. O(properties).
    var links: [Link] {
        let indexes = Dictionary(
            classes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var links: [Link] = []
        for (source, some) in classes.enumerated() {
            for (index, property) in some.properties.enumerated() where property.collection != .inverse {
                guard let target = property.target.flatMap({ indexes[$0] }) else { continue }
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
