import Dispatch
import Foundation
import KivoEngine

/// A mistake in a query that is written as text: why it cannot be compiled, and where.
package struct QueryMistake: Error, Sendable {
    /// The reason, as a sentence.
    package let message: String
    /// The position in the predicate, in characters; nil if it is unknown.
    package let position: Int?
}

/// The compilation of a query of rows that a person writes while a program runs.
///
/// The compiler of conditions traps for conditions that do not fit a class, because in a program they are mistakes of its author.
/// Here they are input. A compilation therefore has a thread of its own, which a trap ends instead of the process.
package enum CheckedQuery {
    /// Returns the query of the objects of a class for which a predicate holds, in an order.
    ///
    /// - Parameter catalog: The tables, among them that of the class.
    /// - Throws: ``QueryMistake``.
    package static func compile(
        _ className: String, where predicate: String?, order: [SortDescriptor] = [], in catalog: Catalog
    ) throws -> RowQuery {
        _ = isPrepared
        if let predicate {
            do throws(PredicateSyntaxError) {
                _ = try PredicateParser.parse(predicate, [])
            } catch {
                throw QueryMistake(message: error.sentence, position: error.position)
            }
        }
        guard parked.withLock({ $0 }) < largestParked else {
            throw QueryMistake(message: "The predicate may not fit the class.", position: nil)
        }
        let compilation = Compilation()
        let thread = Thread {
            Thread.current.threadDictionary[threadKey] = compilation
            compilation.finish(
                Result {
                    var none: ArraySlice<String> = []
                    let text = try TextQuery(className, where: predicate, taking: &none, order: order)
                    return try Realm.rowQuery(text, in: catalog)
                })
        }
        thread.stackSize = 4 << 20
        thread.start()
        return try compilation.wait()
    }

    fileprivate static let threadKey = "kivo.checked-query"
    /// The number of threads that a trap ended. A thread that trapped cannot unwind: it sleeps for as long as the process runs.
    private static let parked = Lock(0)
    private static let largestParked = 500

    /// Replaces the handler of traps by one that fails the compilation of the thread, if there is one.
    private static let isPrepared: Bool = {
        trapHandler.withLock { handler in
            let next = handler
            handler = { message in
                if let compilation = Thread.current.threadDictionary[threadKey] as? Compilation {
                    parked.withLock { $0 += 1 }
                    compilation.finish(.failure(QueryMistake(message: message, position: nil)))
                    while true { Thread.sleep(forTimeInterval: 1e6) }
                }
                if let next { next(message) }
                fatalError(message)
            }
        }
        return true
    }()
}

/// One compilation, whose result another thread awaits.
private final class Compilation: Sendable {
    private let result = Lock<Result<RowQuery, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func finish(_ new: Result<RowQuery, any Error>) {
        result.withLock { $0 = new }
        done.signal()
    }

    func wait() throws -> RowQuery {
        done.wait()
        return try result.withLock { $0 }!.get()
    }
}

extension Realm {
    /// Returns a text query as the engine evaluates it, for tables of another realm. Traps if it does not fit them.
    fileprivate static func rowQuery(_ query: TextQuery, in catalog: Catalog) throws -> RowQuery {
        let realm = try Realm(
            configuration: Configuration(inMemoryIdentifier: "kivo.checked-query \(UUID())", objectTypes: []))
        realm.instance.adopt(try realm.instance.store.define { $0 = catalog })
        return realm.state(of: query).query
    }
}
