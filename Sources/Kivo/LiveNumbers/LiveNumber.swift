import KivoEngine
import KivoObserving
import Observation

/// A number that follows the elements of a collection: their number, or the sum, the average, the least or the greatest value of a
/// property.
///
///     let total = realm.objects(Order.self).where { $0.isOpen }.live.sum(of: \.amount)
///     let token = total.observe { amount in badge.text = "\(amount)" }
///
/// An observed number is computed once and then updated from each change, at a cost that depends on the change and not on the number
/// of elements. Its observers are notified only if it has become another number, however many elements changed. It can be observed
/// with a closure, at a pace, as an asynchronous sequence, by key path (`observe(\.value)`), and by `withObservationTracking`.
///
/// Sums of floating-point numbers are exact, and rounded once: they do not depend on the order of the changes, and can differ in the
/// last digits from `sum(of:)` of the collection, which rounds at each addition. Sums of ``Decimal128`` are exact if no
/// sum of a part of the values has more than 34 digits.
///
/// Confined to the thread, queue or actor of its realm. If the owner of the collection is deleted, the number is that of no elements.
public final class LiveNumber<Value> {
    let query: QueryState
    let number: NumberState
    let convert: (Cell) -> Value
    /// The observations by key path.
    var watch = LiveWatch()

    init(_ query: QueryState, _ kind: NumberKind, _ convert: @escaping (Cell) -> Value) {
        query.instance.checkConfinement { "results" }
        (self.query, self.convert) = (query, convert)
        number = query.number(kind)
    }

    /// The current number.
    ///
    /// - Complexity: O(1) while the number is observed; otherwise O(n) at the first read after a change.
    /// - Precondition: The number fits the type.
    public var value: Value {
        query.noteTrackedRead(of: number)
        return convert(number.cell(query))
    }

    /// Returns this number in another instance of the realm. The closure does not retain this instance.
    var handedOver: (RealmInstance) -> LiveNumber {
        let (query, kind, convert) = (query.handedOver, number.kind, convert)
        return { LiveNumber(query($0), kind, convert) }
    }
}

extension LiveNumber: Observable {}

@available(*, unavailable)
extension LiveNumber: Sendable {}

extension LiveNumber: CustomStringConvertible {
    /// The current number, in words.
    public var description: String { "\(value)" }
}
