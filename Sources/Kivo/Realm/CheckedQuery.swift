import Foundation
import KivoEngine

/// A mistake in a query that is written as text: why it cannot be compiled, and where.
package struct QueryMistake: Error, Sendable {
    /// The reason, as a sentence.
    package let message: String
    /// The position in the predicate, in characters; nil if it is unknown.
    package let position: Int?
}

/// The compilation of a query of rows that a person writes while a program runs. What does not fit a class is a mistake of that
/// person, and not of the program, so it is thrown.
package enum CheckedQuery {
    /// Returns the query of the objects of a class for which a predicate holds, in an order.
    ///
    /// - Parameters:
    ///   - className: The name of a class of the catalog.
    ///   - catalog: The tables.
    /// - Throws: ``QueryMistake``, or an error of opening the realm in memory that knows the tables.
    package static func compile(
        _ className: String, where predicate: String?, order: [SortDescriptor] = [], in catalog: Catalog
    ) throws -> RowQuery {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "kivo.checked-query \(UUID())", objectTypes: []))
        realm.instance.adopt(try realm.instance.store.define { $0 = catalog })
        let state = realm.dynamicObjects(className).queryState!
        var query = state.query
        if let predicate {
            let node: QueryNode
            do throws(PredicateSyntaxError) {
                node = try PredicateParser.parse(predicate, [])
            } catch {
                throw QueryMistake(message: error.sentence, position: error.position)
            }
            query = query.filtered(try fitting { () throws(QueryMismatch) in try state.compiled(node) })
        }
        if order.isEmpty { return query }
        let keys = try fitting { () throws(QueryMismatch) in
            try order.map { key throws(QueryMismatch) in try state.sortKey(key.keyPath, key.ascending) }
        }
        return query.followed(by: .sort(keys))
    }

    private static func fitting<Result>(
        _ compile: () throws(QueryMismatch) -> Result
    ) throws(QueryMistake) -> Result {
        do throws(QueryMismatch) {
            return try compile()
        } catch {
            throw QueryMistake(message: error.description, position: nil)
        }
    }
}
