extension RealmFileImport {
    /// The result of an import.
    public struct Report: Sendable {
        /// The objects of one class.
        public struct ClassCount: Sendable, Equatable {
            /// The class.
            public let className: String
            /// The number of objects in the file.
            public internal(set) var inFile = 0
            /// The number of objects that were inserted into the realm.
            public internal(set) var inserted = 0
            /// The number of existing objects that got the values of the file.
            public internal(set) var overwritten = 0
            /// The number of existing objects that were kept unchanged although the file has objects with the same primary keys.
            public internal(set) var kept = 0

            /// The number of objects of the file that were not imported. ``Report/issues`` lists the reasons, except for embedded
            /// objects whose owners were kept or left out, or that belong to properties which the class does not have.
            public var leftOut: Int { inFile - inserted - overwritten - kept }
        }

        /// A class of the file that was left out.
        public struct SkippedClass: Sendable, Equatable {
            /// The class.
            public let className: String
            /// The number of objects in the file.
            public let count: Int
            /// The reason.
            public let reason: String
        }

        /// A property that exists only in the file or only in the class.
        public struct PropertyName: Sendable, Hashable, CustomStringConvertible {
            /// The class.
            public let className: String
            /// The property.
            public let propertyName: String

            /// The class and the property, separated by a dot.
            public var description: String { "\(className).\(propertyName)" }
        }

        /// A value, or a whole object, that could not be imported.
        public struct Issue: Sendable, Equatable, CustomStringConvertible {
            /// The class.
            public let className: String
            /// The object's key in the file.
            public let objectKey: Int64
            /// The object's primary key in the file as text, or nil if it has none.
            public let primaryKey: String?
            /// The property in the class, or nil if the whole object was left out.
            public let propertyName: String?
            /// The position of the value in its list or set, or nil if it is not such an element.
            public let position: Int?
            /// The key of the value in its dictionary, or nil if it is not in one.
            public let key: String?
            /// The value in the file, shortened if it is long.
            public let value: String
            /// The reason.
            public let reason: Reason

            /// The issue, in one line.
            public var description: String {
                let name = primaryKey ?? "#\(objectKey)"
                let element = position.map { "[\($0)]" } ?? key.map { "[\"\($0)\"]" } ?? ""
                return
                    "\(className) \(name)\(propertyName.map { "." + $0 } ?? "")\(element): \(value): \(reason)"
            }
        }

        /// The classes that were imported, in the order of the file.
        public internal(set) var classes: [ClassCount] = []
        /// The classes that were not imported.
        public internal(set) var skippedClasses: [SkippedClass] = []
        /// The properties of the file that the classes do not have.
        public internal(set) var unusedProperties: [PropertyName] = []
        /// The properties of the classes that the file does not have. New objects have their defaults.
        public internal(set) var missingProperties: [PropertyName] = []
        /// The values and objects that could not be imported, up to the limit in the options.
        public internal(set) var issues: [Issue] = []
        /// The number of values and objects that could not be imported.
        public internal(set) var issueCount = 0

        /// The number of objects that were inserted into the realm.
        public var insertedCount: Int { classes.reduce(0) { $0 + $1.inserted } }

        /// The counts of one class, or nil if it was not imported.
        public subscript(className: String) -> ClassCount? { classes.first { $0.className == className } }
    }

    /// The reason why a value, or an object, could not be imported.
    public enum Reason: Sendable, Equatable {
        /// The file has no value, and the property requires one.
        case null
        /// The value has another type, or is in another kind of collection, than the property. The associated value describes
        /// what the file has.
        case otherType(String)
        /// The type of the property cannot represent the number exactly.
        case inexact
        /// The text is not valid UTF-8.
        case malformedText
        /// The value links to an object that was not imported.
        case missingTarget
        /// The value links to an embedded object that already has an owner.
        case ownedTwice
        /// The embedded object has no owner.
        case withoutOwner
        /// The file has another object with this primary key.
        case duplicatePrimaryKey
        /// The key contains `.` or begins with `$`, or the dictionary has another entry with that key.
        case mapKey
        /// The set has an equal element.
        case duplicateElement
    }
}

extension RealmFileImport.Reason: CustomStringConvertible {
    /// The reason, as text.
    public var description: String {
        switch self {
        case .null: "the property needs a value"
        case .otherType(let type): "the file has \(type), the property is of another type"
        case .inexact: "the property cannot have this number exactly"
        case .malformedText: "the text is not valid UTF-8"
        case .missingTarget: "the object that it links to was not brought along"
        case .ownedTwice: "another link owns the embedded object"
        case .withoutOwner: "no link leads to the embedded object"
        case .duplicatePrimaryKey: "the file has another object of this primary key"
        case .mapKey: "a map cannot have this key, or has it already"
        case .duplicateElement: "the set has an equal element"
        }
    }
}

extension RealmFileImport.Report: CustomStringConvertible {
    /// The counts and the first issues, one per line.
    public var description: String {
        var lines = classes.map { count in
            var parts = ["\(count.inserted) new"]
            if count.overwritten > 0 { parts.append("\(count.overwritten) overwritten") }
            if count.kept > 0 { parts.append("\(count.kept) kept") }
            if count.leftOut > 0 { parts.append("\(count.leftOut) left out") }
            return "\(count.className): \(parts.joined(separator: ", "))"
        }
        lines += skippedClasses.map { "\($0.className): \($0.count) left out, \($0.reason)" }
        if !unusedProperties.isEmpty {
            lines.append("only in the file: \(unusedProperties.map(\.description).joined(separator: ", "))")
        }
        if !missingProperties.isEmpty {
            lines.append("not in the file: \(missingProperties.map(\.description).joined(separator: ", "))")
        }
        lines += issues.prefix(10).map(\.description)
        let more = issueCount - min(10, issues.count)
        if more > 0 { lines.append("and \(more) more that could not be brought along") }
        return lines.joined(separator: "\n")
    }
}
