/// One iteration over a ``KeyValueStream``: an observation, and the element that waits for the consumer.
final class KeyValueStreamSource<Element> {
    private let buffer = KeyValueStreamBuffer<Element>()
    private var tokens: [KeyValueObservation] = []

    /// Begins to observe an object, which it does not retain.
    ///
    /// - Parameter observe: begins the observation that fills the buffer.
    init<Subject: KeyValueObservable>(
        _ object: Subject, _ observe: (KeyValueStreamBuffer<Element>) -> KeyValueObservation
    ) {
        let subjectClass = object._observing.base
        let key = subjectClass.invalidationKey
        // No key has an empty name: then only the release of the object ends the stream.
        let path = WatchedKeyPath(key ?? "", [.key(key ?? "")])
        let end = CallbackRegistration(path) { [buffer] moment in
            if moment == .did || moment == .subjectEnded { buffer.end() }
        }
        subjectClass.register(end, on: object)
        tokens = [observe(buffer), KeyValueObservation(end)]
    }

    /// Returns the next element as soon as there is one, or nil at the end.
    func next(_ isolation: isolated (any Actor)?) async -> Element? {
        while !Task.isCancelled {
            switch buffer.take() {
            case .element(let element): return element
            case .none: await buffer.wait(isolation)
            case .end:
                tokens = []
                return nil
            }
        }
        tokens = []
        buffer.end()
        return nil
    }
}

/// The element that waits for the consumer of a ``KeyValueStream``. Any thread may fill it.
final class KeyValueStreamBuffer<Element> {
    enum Answer {
        case element(Element)
        case none
        case end
    }

    private enum State {
        case empty
        case filled(Element)
        /// The observation has ended, and one element is left.
        case last(Element)
        case ended

        /// Takes over a new element, composed with the waiting one if there is one.
        mutating func receive(_ element: Element, _ compose: (_ first: Element, _ last: Element) -> Element) {
            switch self {
            case .empty: self = .filled(element)
            case .filled(let first): self = .filled(compose(first, element))
            case .last, .ended: break
            }
        }

        mutating func end() {
            switch self {
            case .empty: self = .ended
            case .filled(let element): self = .last(element)
            case .last, .ended: break
            }
        }

        mutating func take() -> Answer {
            switch self {
            case .empty: return .none
            case .filled(let element):
                self = .empty
                return .element(element)
            case .last(let element):
                self = .ended
                return .element(element)
            case .ended: return .end
            }
        }
    }

    private let state = Locked(State.empty)
    private let waiting = ConsumerWait()

    func receive(_ element: Element, composing compose: (_ first: Element, _ last: Element) -> Element) {
        // Elements are released outside of the lock, because that may run code of the app.
        let last = state.withLock { state in
            let last = state
            state.receive(element, compose)
            return last
        }
        withExtendedLifetime(last) {}
        waiting.wake()
    }

    /// Ends the stream after the waiting element.
    func end() {
        state.withLock { $0.end() }
        waiting.wake()
    }

    func take() -> Answer { state.withLock { $0.take() } }

    func wait(_ isolation: isolated (any Actor)?) async { await waiting.wait(isolation) }
}
