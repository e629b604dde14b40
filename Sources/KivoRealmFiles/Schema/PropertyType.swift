extension RealmFile {
    /// The type of a property's value, or of the elements of its collection.
    public enum PropertyType: String, Hashable, Sendable, CaseIterable {
        /// A signed integer of 64 bits.
        case int
        /// True or false.
        case bool
        /// A text.
        case string
        /// Bytes.
        case data
        /// A value of any type.
        case mixed
        /// A point in time.
        case date
        /// A floating-point number of 32 bits.
        case float
        /// A floating-point number of 64 bits.
        case double
        /// A decimal number of 34 digits.
        case decimal128
        /// An object of one class.
        case link
        /// An object id of 12 bytes.
        case objectID = "objectId"
        /// An object of any class. No SDK makes such properties; objects in values of any type are ``link``.
        case typedLink
        /// An id of 16 bytes.
        case uuid

        init?(columnType: Int) {
            switch columnType {
            case 0: self = .int
            case 1: self = .bool
            case 2: self = .string
            case 4: self = .data
            case 6: self = .mixed
            case 8: self = .date
            case 9: self = .float
            case 10: self = .double
            case 11: self = .decimal128
            // In files before format 24, type 13 is a list of links.
            case 12, 13: self = .link
            case 15: self = .objectID
            case 16: self = .typedLink
            case 17: self = .uuid
            default: return nil
            }
        }
    }

    /// The kind of a property that holds more than one value.
    public enum CollectionKind: String, Hashable, Sendable {
        /// Ordered elements, which can occur more than once.
        case list
        /// Unique elements, in the order of the file.
        case set
        /// Values with one key each.
        case dictionary
    }
}
