public import Kivo
public import KivoRealmFiles

/// Bringing the objects of a `.realm` file into a realm: what can be said about how, and what comes of it.
///
/// The call is `Realm.importObjects(fromRealmFile:)`.
public enum RealmFileImport {
    /// Which classes of the file are brought along.
    public enum Classes: Sendable {
        /// Those that the realm has or may have: the `objectTypes` of its configuration; without these, what the program has
        /// used of the classes, in this realm or elsewhere, and what the realm stores. Others are left out, and named in the
        /// report.
        case known
        /// These classes and all that they link to. Others are left out, and named in the report.
        case types([ObjectBase.Type])
        /// All classes. Those that are not ``known`` are stored as the file describes them: their objects are read as
        /// `DynamicObject`s, or by classes of the same names and properties which the program declares later.
        ///
        /// A `.` in the name of such a property becomes `_`.
        case all
    }

    /// What is done about an object of the file whose primary key an object of the realm has.
    public enum ExistingObjects: Sendable {
        /// The import fails with `Realm.Error.invalidInput`.
        case error
        /// The object of the realm gets the values of the one in the file. Only what differs is written; properties which the
        /// file does not have stay, and embedded objects are made anew.
        case overwrite
        /// The object of the realm stays as it is, and links from other objects of the file lead to it.
        case keep
    }

    /// In how many transactions the objects are written.
    public enum Transactions: Sendable {
        /// All in one: nothing is in the realm if the import fails. If a write transaction is open already, the import becomes a
        /// part of it. The memory that it takes grows with the objects.
        case one
        /// One for each number of objects, which bounds the memory: what remains is a few dozen bytes for each object, and next to
        /// nothing for those whose keys in the file are consecutive.
        ///
        /// Others see the objects as they come, those with links first without these. What was committed remains if the import
        /// fails. No write transaction may be open.
        case batches(of: Int)
    }

    /// How a file is brought along.
    public struct Options: Sendable {
        /// Which classes are brought along.
        public var classes: Classes
        /// What is done about primary keys that the realm has already.
        public var existingObjects: ExistingObjects
        /// In how many transactions the objects are written.
        public var transactions: Transactions
        /// How many values that could not be brought along the report names; it counts all of them.
        public var issueLimit: Int
        /// Gives a dictionary's key another text which the realm can have: keys there contain no `.` and do not begin with `$`. It is
        /// asked for the other keys only. If there is none, or it returns nil, the entry is left out, and named in the report.
        public var mapKey: (@Sendable (String) -> String?)?

        /// Options; without arguments known classes in one transaction that fails if a primary key is there already.
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

    /// A value of the file which does not fit the property of its name, for a block that converts it.
    public struct UnfitValue {
        /// The object in the file, whose other values can be read.
        public let object: RealmFile.Object
        /// The class in the realm.
        public let className: String
        /// The property in the class.
        public let propertyName: String
        /// What the property is declared as.
        public let propertyType: String
        /// The place in the list or set that the value is an element of, nil for others.
        public let position: Int?
        /// The key in the dictionary that the value is in, nil for others.
        public let key: String?
        /// The value in the file.
        public let value: RealmFile.Value
        /// Why it does not fit.
        public let reason: Reason
    }

    /// Gives a value that does not fit another form: one that can be assigned to the property by name or, for an element, put into
    /// its collection. Nil leaves the value out, which the report then says; the property has its default, as the class declares
    /// it or of its type.
    public typealias Converter = (UnfitValue) throws -> Any?

    /// How far an import is. Given after each batch, and each 10,000 objects of an import in one transaction.
    public struct Progress: Sendable {
        /// The objects that are written; those with links twice, once without and once with them.
        public internal(set) var completedSteps: Int
        /// As many as there will be.
        public let totalSteps: Int
        /// The class whose objects were written last.
        public internal(set) var className: String

        /// How much is done, 0 to 1.
        public var fractionCompleted: Double {
            totalSteps == 0 ? 1 : min(1, Double(completedSteps) / Double(totalSteps))
        }
    }
}
