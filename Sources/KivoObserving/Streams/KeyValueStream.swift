import Foundation

/// The values or the changes of an observed key path, for `for await`.
///
///     for await fraction in download.values(of: \.fraction) { show(fraction) }
///
/// **Bounded by coalescing.** At most one element waits for the consumer. A change that arrives meanwhile is composed with it: the
/// consumer receives the difference between what it received last and what is there now. Intermediate values are lost, and a slow
/// consumer costs one element.
///
/// **Values are those of the assignment.** They are read inside of the assignment, on the thread that assigns, so that an instance
/// that a worker thread changes can be followed from the main actor. A managed object's changes arrive with its realm's turns.
///
/// **Isolation follows the consumer.** The loop runs where the caller of `next` runs. Streams cannot be sent elsewhere; a `Sendable`
/// object can, and its stream be made there.
///
/// Each iteration is independent, and observes from its beginning. It ends when the object is released, when a managed object is
/// deleted or its realm invalidated, and when the task is cancelled. Releasing the iterator ends the observation. A stream retains
/// its object; an iteration does not.
public struct KeyValueStream<Element>: AsyncSequence {
    /// Streams of values do not fail.
    public typealias Failure = Never

    let makeSource: () -> KeyValueStreamSource<Element>

    /// Begins an iteration. Call this where the object may be used.
    public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    /// One iteration over values or changes.
    public struct Iterator: AsyncIteratorProtocol {
        let source: KeyValueStreamSource<Element>

        /// Returns the next element as soon as there is one, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await source.next(actor)
        }
    }
}

@available(*, unavailable)
extension KeyValueStream: Sendable {}
@available(*, unavailable)
extension KeyValueStream.Iterator: Sendable {}

extension KeyValueObservable {
    /// Returns the values of a key path: the current one, and the newest one after each change.
    ///
    ///     for await fraction in download.values(of: \.fraction) { show(fraction) }
    ///
    /// Equal values are not filtered. See ``KeyValueStream`` for coalescing, isolation and the end.
    ///
    /// - Precondition: The key path can be observed, see ``observe(_:options:changeHandler:)``.
    public func values<Value>(of keyPath: KeyPath<Self, Value>) -> KeyValueStream<Value> {
        KeyValueStream {
            KeyValueStreamSource(self) { buffer in
                self.observe(keyPath, options: [.initial, .new]) { object, change in
                    // Changes with positions have only the elements at these.
                    let value = change.kind == .setting ? change.newValue : object[keyPath: keyPath]
                    if let value { buffer.receive(value) { $1 } }
                }
            }
        }
    }

    /// Returns the changes of a key path.
    ///
    ///     for await change in download.changes(of: \.fraction) { print(change.oldValue!, change.newValue!) }
    ///
    /// A change that is composed of several has the first old value and the last new value. If one of them had positions, as
    /// insertions do, the composed change is a `.setting`, whose new value is the whole collection; its old value is then known
    /// only if the first change was a `.setting`. See ``KeyValueStream`` for isolation and the end.
    ///
    /// - Parameters:
    ///   - keyPath: the key path to observe.
    ///   - options: the values that changes have. With `initial` the first element is the current value. `prior` is ignored.
    /// - Precondition: The key path can be observed, see ``observe(_:options:changeHandler:)``.
    public func changes<Value>(
        of keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.old, .new]
    ) -> KeyValueStream<KeyValueObservedChange<Value>> {
        let options = options.subtracting(.prior)
        return KeyValueStream {
            KeyValueStreamSource(self) { buffer in
                self.observe(keyPath, options: options) { object, change in
                    var whole = change.newValue
                    if change.kind != .setting, options.contains(.new) { whole = object[keyPath: keyPath] }
                    buffer.receive(change) { first, last in
                        KeyValueObservedChange(
                            kind: .setting, newValue: whole,
                            oldValue: first.kind == .setting ? first.oldValue : nil, indexes: nil,
                            isPrior: false)
                    }
                }
            }
        }
    }
}
