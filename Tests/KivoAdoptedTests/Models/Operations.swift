import Foundation
import KivoObserving

// Asynchronous operations, in the forms in which programs declare what their states depend on.

/// A state behind a queue, and functions for Objective-C.
class QueuedStep: KeyValueOperation, @unchecked Sendable {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "isReady": keyPathsForValuesAffectingIsReady()
        case "isExecuting": keyPathsForValuesAffectingIsExecuting()
        case "isFinished": keyPathsForValuesAffectingIsFinished()
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    enum State: Int { case ready, executing, finished }

    private let stateQueue = DispatchQueue(label: "state", attributes: .concurrent)
    private var rawState = State.ready

    private var state: State {
        get { return stateQueue.sync { rawState } }
        set {
            willChangeValue(forKey: "state")
            defer { didChangeValue(forKey: "state") }
            stateQueue.sync(flags: .barrier) { rawState = newValue }
        }
    }

    override class func computedProperties() -> [String: AnyKeyPath] { ["state": \QueuedStep.state] }

    override var isReady: Bool { return state == .ready && super.isReady }
    override final var isExecuting: Bool { return state == .executing }
    override final var isFinished: Bool { return state == .finished }
    override final var isAsynchronous: Bool { return true }

    private class func keyPathsForValuesAffectingIsReady() -> Set<String> {
        return ["state"]
    }

    private class func keyPathsForValuesAffectingIsExecuting() -> Set<String> {
        return ["state"]
    }

    private class func keyPathsForValuesAffectingIsFinished() -> Set<String> {
        return ["state"]
    }

    override final func start() {
        if isCancelled { return finish() }
        state = .executing
        DispatchQueue.global().async { self.main() }
    }

    override func main() { finish() }

    final func finish() { state = .finished }
}

/// A private state that is announced by hand, and sets of objects.
class PhasedStep: KeyValueOperation, @unchecked Sendable {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "isExecuting": keyPathsForValuesAffectingIsExecuting()
        case "isFinished": keyPathsForValuesAffectingIsFinished()
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    private enum Phase { case pending, running, done }

    private let lock = NSLock()
    private var storedPhase = Phase.pending

    private var phase: Phase {
        get { return lock.withLock { storedPhase } }
        set {
            willChangeValue(forKey: "phase")
            lock.withLock { storedPhase = newValue }
            didChangeValue(forKey: "phase")
        }
    }

    override class func computedProperties() -> [String: AnyKeyPath] { ["phase": \PhasedStep.phase] }

    class func keyPathsForValuesAffectingIsExecuting() -> Set<String> {
        return ["phase"]
    }

    class func keyPathsForValuesAffectingIsFinished() -> Set<String> {
        return ["phase"]
    }

    override open var isExecuting: Bool { return phase == .running }
    override open var isFinished: Bool { return phase == .done }

    override func start() {
        phase = .running
        DispatchQueue.global().async { self.phase = .done }
    }
}

/// Variables of the class.
final class FlaggedStep: KeyValueOperation, @unchecked Sendable {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "isExecuting": keyPathsForValuesAffectingIsExecuting
        case "isFinished": keyPathsForValuesAffectingIsFinished
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    @Observed private var _isExecuting = false
    @Observed private var _isFinished = false

    override var isExecuting: Bool { _isExecuting }
    override var isFinished: Bool { _isFinished }

    private class var keyPathsForValuesAffectingIsExecuting: Set<String> {
        ["_isExecuting"]
    }

    private class var keyPathsForValuesAffectingIsFinished: Set<String> {
        ["_isFinished"]
    }

    override func start() {
        _isExecuting = true
        DispatchQueue.global().async {
            self._isExecuting = false
            self._isFinished = true
        }
    }
}

/// One list of keys for all states, in an extension.
final class ListedStep: KeyValueOperation, @unchecked Sendable {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "isExecuting": keyPathsForValuesAffectingIsExecuting()
        case "isFinished": keyPathsForValuesAffectingIsFinished()
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    @Observed private var progressState = 0

    private static let stateKeys: Set<String> = ["progressState"]

    override var isExecuting: Bool { progressState == 1 }
    override var isFinished: Bool { progressState == 2 }

    override func start() {
        progressState = 1
        DispatchQueue.global().async { self.progressState = 2 }
    }
}

extension ListedStep {
    static func keyPathsForValuesAffectingIsExecuting() -> Set<String> { stateKeys }
    static func keyPathsForValuesAffectingIsFinished() -> Set<String> { stateKeys }
}

/// The function for all keys.
final class KeyedStep: KeyValueOperation, @unchecked Sendable {
    @Observed private var stage = 0

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "isExecuting", "isFinished": return ["stage"]
        default: return super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    override var isExecuting: Bool { stage == 1 }
    override var isFinished: Bool { stage == 2 }

    override func start() {
        stage = 1
        DispatchQueue.global().async { self.stage = 2 }
    }
}

/// States that are announced themselves.
class AnnouncedStep: KeyValueOperation, @unchecked Sendable {
    private var isRunning = false {
        willSet { willChangeValue(forKey: "isExecuting") }
        didSet { didChangeValue(forKey: "isExecuting") }
    }
    private var isOver = false {
        willSet { willChangeValue(forKey: "isFinished") }
        didSet { didChangeValue(forKey: "isFinished") }
    }

    override var isExecuting: Bool { return isRunning }
    override var isFinished: Bool { return isOver }

    override func start() {
        isRunning = true
        DispatchQueue.global().async {
            self.isRunning = false
            self.isOver = true
        }
    }
}

/// A subclass with progress, which observes itself and what it waits for.
final class ObservingStep: QueuedStep, @unchecked Sendable {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "percent": keyPathsForValuesAffectingPercent()
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    @Observed var fraction = 0.0
    var percent: Int { return Int(fraction * 100) }

    override class func computedProperties() -> [String: AnyKeyPath] {
        super.computedProperties().merging(["percent": \ObservingStep.percent]) { _, own in own }
    }
    private(set) var seen: [String] = []
    private let first: QueuedStep

    class func keyPathsForValuesAffectingPercent() -> Set<String> { return ["fraction"] }

    init(after first: QueuedStep) {
        self.first = first
        super.init()
        addDependency(first)
        first.addObserver(self, forKeyPath: "isFinished", options: [.new], context: nil)
    }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard keyPath == "isFinished", let step = object as? QueuedStep else {
            return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
        if step.isFinished { seen.append("first") }
    }

    override func main() {
        first.removeObserver(self, forKeyPath: "isFinished")
        fraction = 1
        finish()
    }
}
