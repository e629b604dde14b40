public import Kivo
public import KivoRealmFiles

/// A namespace for the options, progress and results of importing the objects of a `.realm` file into a realm.
///
/// Call `Realm.importObjects(fromRealmFile:)` to import objects.
public enum RealmFileImport {
    /// The classes of the file that are imported.
    public enum Classes: Sendable {
        /// The classes that the realm has or may have. These are the `objectTypes` of its configuration. Without `objectTypes`,
        /// they are the classes that the program has used in any realm, and the classes that the realm stores. Other classes are
        /// left out and listed in the report.
        case known
        /// The given classes and all classes to which they link. Other classes are left out and listed in the report.
        case types([ObjectBase.Type])
        /// All classes. Those that are not ``known`` are stored as the file describes them. Their objects are read as
        /// `DynamicObject`s, or with classes that the program declares later with the same names and properties.
        ///
        /// A `.` in the name of such a property becomes `_`.
        case all
    }

    /// The treatment of an object in the file whose primary key exists in the realm.
    public enum ExistingObjects: Sendable {
        /// The import fails with `Realm.Error.invalidInput`.
        case error
        /// The realm's object gets the values of the file's. Only values that differ are written; properties that the file does
        /// not have stay. Embedded objects are created again.
        case overwrite
        /// The realm's object stays unchanged, and links from other objects of the file lead to it.
        case keep
    }

    /// The number of transactions in which the objects are written.
    public enum Transactions: Sendable {
        /// One transaction: the realm stays unchanged if the import fails. If a write transaction is open already, the import
        /// becomes part of it. The memory use grows with the number of objects.
        case one
        /// One transaction for each given number of objects, which bounds the memory use. The remaining memory is a few dozen
        /// bytes per object, and almost nothing for objects with consecutive keys in the file.
        ///
        /// Other readers see the objects of each batch, at first without their links. Committed batches remain if the import
        /// fails. No write transaction may be open.
        case batches(of: Int)
    }

    /// The options of an import.
    public struct Options: Sendable {
        /// The classes that are imported.
        public var classes: Classes
        /// The treatment of primary keys that already exist in the realm.
        public var existingObjects: ExistingObjects
        /// The number of transactions in which the objects are written.
        public var transactions: Transactions
        /// The maximum number of issues that the report lists. It counts all of them.
        public var issueLimit: Int
        /// Converts a dictionary's key to one that is valid in a realm. Valid keys contain no `.` and do not begin with `$`; the
        /// closure is called only for other keys. Without it, or if it returns nil, the entry is left out and listed in the
        /// report.
        public var mapKey: (@Sendable (String) -> String?)?

        /// Creates options. The defaults import the known classes in one transaction, which fails if a primary key already
        /// exists.
        public init(
            classes: Classes = .known, existingObjects: ExistingObjects = .error,
            transactions: Transactions = .one, issueLimit: Int = 10_000,
            mapKey: (@Sendable (String) -> String?)? = nil
        ) {
            self.classes = classes
            self.existingObjects = existingObjects
            self.transactions = transactions
            self.issueLimit = issueLimit
            self.mapKey = mapKey
        }
    }

    /// A value of the file that does not fit the property of its name, for a closure that converts it.
    public struct UnfitValue {
        /// The object in the file. Its other values can be read.
        public let object: RealmFile.Object
        /// The class in the realm.
        public let className: String
        /// The property in the class.
        public let propertyName: String
        /// The declared type of the property.
        public let propertyType: String
        /// The position of the value in its list or set, or nil if it is not such an element.
        public let position: Int?
        /// The key of the value in its dictionary, or nil if it is not in one.
        public let key: String?
        /// The value in the file.
        public let value: RealmFile.Value
        /// The reason why it does not fit.
        public let reason: Reason
    }

    /// A closure that converts a value that does not fit. It returns a value that can be assigned to the property by name or, for
    /// an element, inserted into its collection. If it returns nil, the value is left out and listed in the report; the property
    /// gets the default of its declaration or its type.
    public typealias Converter = (UnfitValue) throws -> Any?

    /// The progress of an import. It is reported after each batch, and after every 10,000 objects of an import in one
    /// transaction.
    public struct Progress: Sendable {
        /// The number of written objects. Objects with links count twice: once without and once with their links.
        public internal(set) var completedSteps: Int
        /// The total number of steps.
        public let totalSteps: Int
        /// The class whose objects were written last.
        public internal(set) var className: String

        /// The completed fraction, from 0 to 1.
        public var fractionCompleted: Double {
            totalSteps == 0 ? 1 : min(1, Double(completedSteps) / Double(totalSteps))
        }
    }
}
