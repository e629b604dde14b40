import Kivo
import KivoEngine

/// The numbers at the foot of a table of the page: what the objects of its view add up to.
struct StudioNumbers {
    /// The numbers that a page asks for, of the objects of a class for which a predicate holds.
    struct Request: Sendable {
        let className: String
        let predicate: String?
        let numbers: [NumberRequest]
    }

    /// The number of groups beyond which the page shows only how many there are.
    static let shownGroups = 500

    private let numbers: [FollowedNumber]

    /// Evaluates the numbers. O(objects).
    ///
    /// - Throws: ``StudioQuery/Mistake`` if a number cannot be computed.
    init(_ request: Request, _ snapshot: Snapshot, _ catalog: Catalog) throws {
        if request.numbers.isEmpty {
            numbers = []
            return
        }
        var none: ArraySlice<String> = []
        do {
            let query = try TextQuery(request.className, where: request.predicate, taking: &none)
            numbers = try request.numbers.map { try CheckedQuery.follow($0, of: query, snapshot, catalog) }
        } catch let mistake as QueryMistake {
            throw StudioQuery.Mistake(message: mistake.message)
        }
    }

    var isEmpty: Bool { numbers.isEmpty }

    /// Applies the changes since a snapshot. Returns whether a number is another one.
    func update(_ traversals: ChangeTraversals, old: Snapshot) -> Bool {
        numbers.reduce(false) { !$1.update(traversals, old: old).isEmpty || $0 }
    }

    /// Writes the numbers as a member, unless there are none.
    func write(to json: inout JSONText) {
        if numbers.isEmpty { return }
        json.name("numbers")
        json.array { json in
            for number in numbers {
                json.object { json in
                    json.member("function", number.request.functionName)
                    json.member("property", number.request.property)
                    json.member("by", number.request.key)
                    StudioNumbers.write(number, to: &json)
                }
            }
        }
    }

    private static func write(_ number: FollowedNumber, to json: inout JSONText) {
        func value(_ value: FollowedNumber.Value?) -> StoredValue {
            value.flatMap { StoredValue($0.cell, $0.type) } ?? .null
        }
        if number.request.key == nil {
            json.name("value")
            json.value(value(number.results[0].after))
            return
        }
        json.member("count", number.count)
        if number.count > shownGroups { return }
        json.name("groups")
        json.array { json in
            for group in number.results {
                json.array { json in
                    json.value(value(group.key))
                    json.value(value(group.after))
                }
            }
        }
    }
}
