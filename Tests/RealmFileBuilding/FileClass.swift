/// A class of a file, with its objects.
package struct FileClass: Sendable {
    /// The declaration of a property.
    package struct Property: Sendable {
        package var name: String
        package var type: FileType
        package var isOptional: Bool
        package var collection: FileCollection?
        package var target: String?
        package var isIndexed: Bool

        package init(
            _ name: String, _ type: FileType, isOptional: Bool = false, _ collection: FileCollection? = nil,
            isIndexed: Bool = false
        ) {
            self.name = name
            self.type = type
            self.isOptional = isOptional || type == .any || collection == .dictionary && type == .object
            self.collection = collection
            self.isIndexed = isIndexed
        }

        /// Links, or embedded objects.
        package init(_ name: String, to target: String, _ collection: FileCollection? = nil) {
            self.init(name, .object, isOptional: collection == nil, collection)
            self.target = target
        }
    }

    package var name: String
    package var isEmbedded: Bool
    package var primaryKey: String?
    /// The properties, of which the primary key is the first, as in the files of applications.
    package var properties: [Property]
    /// The objects by property; their places are their keys. What is missing is null, or empty.
    package var objects: [[String: FileValue]]

    package init(
        _ name: String, isEmbedded: Bool = false, primaryKey: String? = nil, _ properties: [Property],
        _ objects: [[String: FileValue]]
    ) {
        self.name = name
        self.isEmbedded = isEmbedded
        self.primaryKey = primaryKey
        self.properties = properties
        self.objects = objects
    }
}

/// The type of a column's values, by the numbers of the format.
package enum FileType: Int, Sendable {
    case int = 0
    case bool = 1
    case string = 2
    case data = 4
    case any = 6
    case date = 8
    case float = 9
    case double = 10
    case decimal = 11
    case object = 12
    case objectID = 15
    case uuid = 17
}

/// The kind of collection in a column, by its bit in the column's attributes.
package enum FileCollection: Int, Sendable {
    case list = 32
    case dictionary = 64
    case set = 128
}

/// A value in a file.
package enum FileValue: Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case string(String)
    case data([UInt8])
    /// Seconds since 1970 and nanoseconds.
    case date(Int64, Int64)
    case float(Float)
    case double(Double)
    /// A number of digits, and how many of them stand behind the point.
    case decimal(UInt64, fraction: Int)
    case objectID([UInt8])
    case uuid([UInt8])
    /// The object of a place, of the class that the property links to.
    case object(Int)
    /// The object of a place of a class, as a value of any type.
    case objectOf(String, Int)
    /// The elements of a list or, in their order, of a set.
    case list([FileValue])
    case dictionary([String: FileValue])
}
