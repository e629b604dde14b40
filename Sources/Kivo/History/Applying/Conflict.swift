import Foundation

extension ChangeSet {
    /// A difference between what a change set begins with and what the realm has to which it is applied.
    public struct Conflict: Sendable, Equatable, CustomStringConvertible {
        /// The kinds of conflicts.
        public enum Kind: String, Sendable {
            /// A property has neither the old nor the new value of the change set.
            case value
            /// An object that is modified does not exist, or one without a primary key is deleted and cannot be found. The change is
            /// not applied, whatever the policy.
            case missingObject
            /// An object that is deleted was changed meanwhile.
            case changedObject
            /// A link leads to an object that does not exist. A property keeps its value if the realm prevails, else it becomes
            /// null. In any case an element of a list or set of objects is left out, and a value of a dictionary, or of any type
            /// within a collection, becomes null.
            case missingTarget
        }

        /// The kind of the conflict.
        public let kind: Kind
        /// The object.
        public let object: ObjectID
        /// The stored name of the property; nil for conflicts of whole objects.
        public let property: String?
        /// The key of the entry, in a dictionary.
        public let key: String?
        /// The value with which the change set begins; nil if it has none, and for lists.
        public let old: Value?
        /// The value that the realm has; nil if there is none.
        public let mine: Value?
        /// The value with which the change set ends; nil if it has none, and for lists.
        public let theirs: Value?

        init(
            _ kind: Kind, _ object: ObjectID, _ property: String? = nil, key: String? = nil,
            old: Value? = nil,
            mine: Value? = nil, theirs: Value? = nil
        ) {
            (self.kind, self.object, self.property, self.key) = (kind, object, property, key)
            (self.old, self.mine, self.theirs) = (old, mine, theirs)
        }

        /// A sentence that describes the conflict.
        public var description: String {
            let name = object.primaryKey.map { "\($0)" } ?? "\(object.key)"
            let path = [property, key].compactMap { $0 }.joined(separator: ".")
            return switch kind {
            case .value: "'\(path)' of \(object.className) \(name) was changed meanwhile."
            case .missingObject: "\(object.className) \(name) was deleted meanwhile."
            case .changedObject: "\(object.className) \(name) is deleted, but was changed meanwhile."
            case .missingTarget:
                "'\(path)' of \(object.className) \(name) leads to an object that does not exist."
            }
        }
    }

    /// The side whose value a conflict ends with.
    public enum Resolution: Sendable {
        /// The realm keeps its value.
        case mine
        /// The realm gets the value of the change set.
        case theirs
    }

    /// The resolution of conflicts.
    public enum ConflictPolicy {
        /// A conflict throws ``ConflictError``, and the whole change set is not applied.
        case `throw`
        /// The realm keeps what it has.
        case mine
        /// The change set prevails.
        case theirs
        /// A closure decides each conflict. It must not change the realm.
        case ask((Conflict) -> Resolution)
    }

    /// The error of a change set that was not applied, because there were conflicts.
    public struct ConflictError: Error, Sendable, LocalizedError, CustomStringConvertible {
        /// The conflicts.
        public let conflicts: [Conflict]
        /// A sentence that describes the first conflicts.
        public var description: String {
            let first = conflicts.prefix(3).map(\.description).joined(separator: " ")
            return "Nothing was applied, because of \(conflicts.count) conflicts: \(first)"
        }
        /// A sentence that describes the first conflicts.
        public var errorDescription: String? { description }
    }

    /// The outcome of applying a change set.
    public struct Report: Sendable {
        /// The number of objects that were inserted, deleted or modified.
        public internal(set) var appliedCount = 0
        /// The conflicts, each with its resolution.
        public internal(set) var conflicts: [(conflict: Conflict, resolution: Resolution)] = []
        /// The identities of inserted objects of classes without a primary key, by those in the change set: their keys are new.
        public internal(set) var newObjects: [ObjectID: ObjectID] = [:]
    }
}
