import Kivo
import KivoEngine

/// The numbers at the foot of a table of the page: what the objects of its view add up to.
struct StudioNumbers {
    /// The numbers that a page asks for, of the objects of a class for which a predicate holds. They are texts of a person, and perhaps of
    /// another version of the class.
    struct Request: Sendable {
        let className: String
        let predicate: String?
        /// Each a function, and a property behind a colon: `sum:amount`.
        let numbers: [String]
        /// The property whose values are the keys of groups.
        let key: String?
    }

    /// The number of groups beyond which the page shows only how many there are.
    private static let shownGroups = 500
    /// The number of characters of a key beyond which it is cut.
    private static let shownCharacters = 100
    private static let mostNumbers = 8

    private var numbers: [FollowedNumber] = []
    /// Why the page does not get what it asks for.
    private var mistake: String?

    /// Evaluates the numbers. O(objects). The table is shown also if one of them is wrong.
    init(_ request: Request, _ some: StoredClass, _ snapshot: Snapshot, _ catalog: Catalog) throws {
        if request.numbers.count > StudioNumbers.mostNumbers {
            mistake = "A table has at most \(StudioNumbers.mostNumbers) numbers."
            return
        }
        do {
            for text in request.numbers {
                let number = try StudioNumbers.number(text, by: request.key)
                var none: ArraySlice<String> = []
                let query = try TextQuery(request.className, where: request.predicate, taking: &none)
                numbers.append(try .checked(number, of: some, query, snapshot, catalog))
            }
        } catch let error as UsageError {
            mistake = error.message
        }
    }

    private static func number(_ text: String, by key: String?) throws(UsageError) -> NumberRequest {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let number = NumberRequest(parts[0], of: parts.count > 1 ? parts[1] : nil, by: key) else {
            throw UsageError("There is no number '\(text)'\(key == nil ? "" : " of groups").")
        }
        return number
    }

    /// Applies the changes since a snapshot. Returns whether a number is another one.
    func update(_ traversals: ChangeTraversals, old: Snapshot) -> Bool {
        numbers.reduce(false) { !$1.update(traversals, old: old).isEmpty || $0 }
    }

    /// Writes the numbers, and what is wrong with them, as members. Nothing if the page asked for none.
    func write(_ values: StoredValues, to json: inout JSONText) {
        if let mistake { json.member("numbersMistake", mistake) }
        if numbers.isEmpty { return }
        json.name("numbers")
        json.array { json in
            for number in numbers {
                json.object { json in
                    json.member("function", number.request.functionName)
                    json.member("property", number.request.property)
                    json.member("by", number.request.key)
                    StudioNumbers.write(number, values, to: &json)
                }
            }
        }
    }

    private static func write(_ number: FollowedNumber, _ values: StoredValues, to json: inout JSONText) {
        if number.request.key == nil {
            json.name("value")
            json.value(number.results[0].after.map(values.value) ?? .null)
            return
        }
        json.member("count", number.count)
        if number.count > shownGroups { return }
        json.name("groups")
        json.array { json in
            for group in number.results {
                json.array { json in
                    json.value(shortened(group.key.map(values.value) ?? .null))
                    json.value(group.after.map(values.value) ?? .null)
                }
            }
        }
    }

    /// Returns the beginning of a long text or of long data.
    private static func shortened(_ key: StoredValue) -> StoredValue {
        switch key {
        case .string(let text) where text.utf8.count > shownCharacters:
            .string(text.prefix(shownCharacters) + "…")
        case .data(let bytes) where bytes.count > shownCharacters: .data(Array(bytes.prefix(shownCharacters)))
        default: key
        }
    }
}
