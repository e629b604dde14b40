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
        let node = try predicate.map { predicate throws(QueryMistake) in
            do throws(PredicateSyntaxError) {
                return try PredicateParser.parse(predicate, [])
            } catch {
                throw QueryMistake(message: error.sentence, position: error.position)
            }
        }
        return try compiling(className, in: catalog) { state throws(QueryMismatch) in
            let query = try state.query(where: node)
            if order.isEmpty { return query }
            let keys = try order.map { key throws(QueryMismatch) in
                try state.sortKey(key.keyPath, key.ascending)
            }
            return query.followed(by: .sort(keys))
        }
    }

    /// Returns what `compile` makes of all objects of a class.
    static func compiling<Result>(
        _ className: String, in catalog: Catalog, _ compile: (QueryState) throws(QueryMismatch) -> Result
    ) throws -> Result {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "kivo.checked-query \(UUID())", objectTypes: []))
        realm.instance.adopt(try realm.instance.store.define { $0 = catalog })
        do throws(QueryMismatch) {
            return try compile(realm.dynamicObjects(className).queryState!)
        } catch {
            throw QueryMistake(message: error.description, position: nil)
        }
    }
}

extension QueryState {
    /// Returns the query of the objects for which a condition holds; of all objects without one.
    func query(where node: QueryNode?) throws(QueryMismatch) -> RowQuery {
        guard let node else { return query }
        return query.filtered(try compiled(node))
    }
}
