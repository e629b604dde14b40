import Foundation
import Kivo

/// Models of cases that read and write by name, and of cases with one key of their own.
extension KeyValueCaseClasses {
    /// Counts work.
    final class Progress: KeyValueCaseClass {
        @Observed var total = 0
        @Observed var done = 0

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("total", \Progress.total), .init("done", \Progress.done)]
        }
    }

    /// Part of a chain of objects, with a container.
    final class Chain: KeyValueCaseClass {
        @Observed var num1 = 0
        @Observed var num2 = 0.0
        @Observed var child: Chain?
        @Observed var dict: Table? = Table()

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("num1", \Chain.num1), .init("num2", \Chain.num2), .init("child", \Chain.child),
                .init("dict", \Chain.dict),
            ]
        }
    }

    /// Stores zero where it is given nil.
    final class NilHook: KeyValueCaseClass {
        @Observed var num = 1

        func setNilValueForKey(_ key: String) { setValue(0, forKey: key) }

        static var caseProperties: [KeyValueCaseProperty] { [.init("num", \NilHook.num)] }
    }

    final class Keys: KeyValueCaseClass {
        @Observed var key1: String?
        @Observed var key2: String?

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("key1", \Keys.key1), .init("key2", \Keys.key2)]
        }
    }

    /// Keeps a field to itself.
    final class Closed: KeyValueCaseClass {
        private var boolVal = true

        static var accessInstanceVariablesDirectly: Bool { false }

        static var caseProperties: [KeyValueCaseProperty] { [] }
    }

    final class Labelled: KeyValueCaseClass {
        @Observed var label: String? = ""
        @Observed var cities: [AnyHashable] = ["Grand Rapids", "Chicago"]
        private var storedNumbers: [AnyHashable] = ["One", "Ten", "Three", "Ninety"]

        /// Drops one value, keeps another, and replaces others by one of its own.
        var numbers: [AnyHashable] {
            get { storedNumbers }
            set {
                let isReplacement = newValue.count == storedNumbers.count
                storedNumbers = newValue.filter { $0 != AnyHashable("NaN") }
                if storedNumbers.first != AnyHashable("One") { storedNumbers.insert("One", at: 0) }
                if isReplacement { storedNumbers[1] = "Two" }
            }
        }

        static func computedProperties() -> [String: AnyKeyPath] { ["numbers": \Labelled.numbers] }

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("label", \Labelled.label), .init("cities", \Labelled.cities),
                .init("numbers", \Labelled.numbers),
            ]
        }
    }

    final class Sets: KeyValueCaseClass {
        @Observed var two: Set<AnyHashable> = ["one", "two", "eight"]

        static var caseProperties: [KeyValueCaseProperty] { [.init("two", \Sets.two)] }
    }

    final class ItemsOwner: KeyValueCaseClass {
        @Observed var items: [AnyHashable] = []

        static var caseProperties: [KeyValueCaseProperty] { [.init("items", \ItemsOwner.items)] }
    }

    /// A class with arrays that are reached in different ways.
    final class Adapter: KeyValueCaseClass {
        @Observed var immutableWithSetter: [AnyHashable] = ["y"]
        @Observed var mutableField = NSMutableArray(array: ["y"])
        @Observed var nilField: NSMutableArray?
        let immutableField: [AnyHashable] = ["y"]
        /// The values under other names; nil at first, but for one.
        private var fields: [String: Any] = ["onlyByKVC": ["y"]]

        private var appended: [AnyHashable] = []

        /// Ten elements that are computed, and those that were appended.
        var synthetic: [AnyHashable] {
            get { (0..<10).map { AnyHashable($0) } + appended }
            set { appended = Array(newValue.dropFirst(10)) }
        }

        static func computedProperties() -> [String: AnyKeyPath] {
            ["immutableField": \Adapter.immutableField, "synthetic": \Adapter.synthetic]
        }

        func value(forUndefinedKey key: String) -> Any? { fields[key] }

        func setValue(_ value: Any?, forUndefinedKey key: String) { fields[key] = value }

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("immutableWithSetter", \Adapter.immutableWithSetter),
                .init("mutableField", \Adapter.mutableField), .init("nilField", \Adapter.nilField),
            ]
        }
    }

    /// Leads into containers that cannot be changed.
    final class FrozenTable: KeyValueObject, KeyValueCaseModel {
        override func value(forUndefinedKey key: String) -> Any? {
            guard key == "key" else { return super.value(forUndefinedKey: key) }
            let leaf = NSArray(array: ["y"])
            return NSDictionary(dictionary: ["subkey": NSDictionary(dictionary: ["leaf": leaf])])
        }

        static var caseProperties: [KeyValueCaseProperty] { [] }
    }
}
