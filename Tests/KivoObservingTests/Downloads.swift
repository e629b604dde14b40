import Foundation
import KivoObserving

/// A class without any base class of Kivo's.
class Piece: KeyValueObservable {
    @Observed var size = 0
    @Observed var name = ""
    @Observed var next: Piece?
    let number: Int

    init(_ number: Int = 0, size: Int = 0) {
        self.number = number
        self.size = size
    }

    // Subclasses override it.
    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "label": ["name", "size"]
        case "alias": ["next"]
        default: []
        }
    }

    class func computedProperties() -> [String: AnyKeyPath] {
        ["label": \Piece.label, "alias": \Piece.alias]
    }

    var alias: Piece? { next }

    var label: String { "\(name):\(size)" }
}

final class LargePiece: Piece {
    @Observed var weight = 0.0

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "isHeavy" ? ["weight"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }

    override class func computedProperties() -> [String: AnyKeyPath] {
        super.computedProperties().merging(["isHeavy": \LargePiece.isHeavy]) { $1 }
    }

    var isHeavy: Bool { weight > 10 }
}

enum State: Int { case waiting, running, done }

final class Download: Operation, KeyValueObservable, @unchecked Sendable {
    @Observed var fraction = 0.0
    @Observed var count: Int8 = 0
    @Observed var title: String?
    @Observed var pieces: [Piece] = []
    @Observed var tags: Set<String> = []
    @Observed var current: Piece?
    @Observed var state = State.waiting {
        didSet { changes += 1 }
    }
    @Observed private(set) var log: [String] = []
    var changes = 0
    var plain = "plain"
    private var hidden = 0

    var isDone: Bool { state == .done }

    var percent: Int {
        get { Int(fraction * 100) }
        set { fraction = Double(newValue) / 100 }
    }

    var manual: Int {
        get { hidden }
        set {
            willChangeValue(for: \.manual)
            hidden = newValue
            didChangeValue(for: \.manual)
        }
    }

    func note(_ text: String) { log.append(text) }

    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "isDone": ["state"]
        case "percent": ["fraction"]
        case "currentLabel": ["current.label"]
        default: []
        }
    }

    class func computedProperties() -> [String: AnyKeyPath] {
        [
            "isDone": \Download.isDone, "percent": \Download.percent, "manual": \Download.manual,
            "currentLabel": \Download.currentLabel,
        ]
    }

    var currentLabel: String? { current?.label }

    class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        key != "count" && key != "manualPieces"
    }
}

/// An observer by name that keeps what it receives.
final class Recorder: KeyValueObserver {
    struct Notice {
        var keyPath: String
        var change: [NSKeyValueChangeKey: Any]
        var context: UnsafeMutableRawPointer?

        var old: Any? { change[.oldKey] }
        var new: Any? { change[.newKey] }
        var kind: NSKeyValueChange? { (change[.kindKey] as? UInt).flatMap { NSKeyValueChange(rawValue: $0) } }
        var indexes: [Int]? { (change[.indexesKey] as? IndexSet).map { Array($0) } }
        var isPrior: Bool { change[.notificationIsPriorKey] as? Bool ?? false }
    }

    var notices: [Notice] = []
    var onNotice: (() -> Void)?

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        notices.append(Notice(keyPath: keyPath!, change: change!, context: context))
        onNotice?()
    }
}
