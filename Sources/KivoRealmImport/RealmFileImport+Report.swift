extension RealmFileImport {
    /// What came of an import.
    public struct Report: Sendable {
        /// The objects of one class.
        public struct ClassCount: Sendable, Equatable {
            /// The class.
            public let className: String
            /// The objects in the file.
            public internal(set) var inFile = 0
            /// The objects that are new in the realm.
            public internal(set) var inserted = 0
            /// The objects of the realm that got the values of the file.
            public internal(set) var overwritten = 0
            /// The objects of the realm that were kept although the file has others with their primary keys.
            public internal(set) var kept = 0

            /// The objects of the file that are not in the realm. ``Report/issues`` says why; embedded objects of objects that
            /// were kept or left out, and of properties that the class does not have, are not named there.
            public var leftOut: Int { inFile - inserted - overwritten - kept }
        }

        /// A class of the file that was left out.
        public struct SkippedClass: Sendable, Equatable {
            /// The class.
            public let className: String
            /// The objects in the file.
            public let count: Int
            /// Why.
            public let reason: String
        }

        /// A property that only the file has, or only the class.
        public struct PropertyName: Sendable, Hashable, CustomStringConvertible {
            /// The class.
            public let className: String
            /// The property.
            public let propertyName: String

            /// Both, with a point between.
            public var description: String { "\(className).\(propertyName)" }
        }

        /// A value, or a whole object, that could not be brought along.
        public struct Issue: Sendable, Equatable, CustomStringConvertible {
            /// The class.
            public let className: String
            /// The object's key in the file.
            public let objectKey: Int64
            /// The object's primary key in the file, in words; nil if it has none.
            public let primaryKey: String?
            /// The property in the class, nil if the whole object was left out.
            public let propertyName: String?
            /// The place in the list or set that the value is an element of, nil for others.
            public let position: Int?
            /// The key in the dictionary that the value is in, nil for others.
            public let key: String?
            /// The value in the file, shortened if it is long.
            public let value: String
            /// Why.
            public let reason: Reason

            /// All of it, in a line.
            public var description: String {
                let name = primaryKey ?? "#\(objectKey)"
                let place = position.map { "[\($0)]" } ?? key.map { "[\"\($0)\"]" } ?? ""
                return
                    "\(className) \(name)\(propertyName.map { "." + $0 } ?? "")\(place): \(value): \(reason)"
            }
        }

        /// The classes that were brought along, in the order of the file.
        public internal(set) var classes: [ClassCount] = []
        /// The classes that were not.
        public internal(set) var skippedClasses: [SkippedClass] = []
        /// The properties of the file that the classes do not have.
        public internal(set) var unusedProperties: [PropertyName] = []
        /// The properties of the classes that the file does not have: new objects have their defaults.
        public internal(set) var missingProperties: [PropertyName] = []
        /// What could not be brought along, up to the limit in the options.
        public internal(set) var issues: [Issue] = []
        /// How many values and objects could not be brought along.
        public internal(set) var issueCount = 0

        /// The objects that are new in the realm.
        public var insertedCount: Int { classes.reduce(0) { $0 + $1.inserted } }

        /// The objects of one class, nil if it was not brought along.
        public subscript(className: String) -> ClassCount? { classes.first { $0.className == className } }
    }

    /// Why a value, or an object, could not be brought along.
    public enum Reason: Sendable, Equatable {
        /// There is no value, and the property needs one.
        case null
        /// It is of a type, or in a kind of collection, that the property does not have: which one.
        case otherType(String)
        /// The number cannot be had exactly in the type of the property.
        case inexact
        /// The text is not valid UTF-8.
        case malformedText
        /// It links to an object that was not brought along.
        case missingTarget
        /// It links to an embedded object that another link has led to already.
        case ownedTwice
        /// No link leads to the embedded object.
        case withoutOwner
        /// The file has another object of this primary key.
        case duplicatePrimaryKey
        /// The key contains `.` or begins with `$`, or the dictionary has another entry of that key.
        case mapKey
        /// The set has an equal element.
        case duplicateElement
    }
}

extension RealmFileImport.Reason: CustomStringConvertible {
    /// The reason in words.
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
    /// The counts, and the first issues, in lines.
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
