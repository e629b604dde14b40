import Foundation
import Kivo

/// A string-based observer with one `observeValue` for all key paths, which records kind, indexes and values.
final class KeyValueWatcher: KeyValueObserver {
    private let name: String
    private let transcript: Transcript

    init(_ name: String, in transcript: Transcript) {
        self.name = name
        self.transcript = transcript
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        let kind = Self.kind(change?[.kindKey])
        if let indexes = change?[.indexesKey] as? IndexSet {
            transcript.hear(name, "\(kind) \(Notice.positions(indexes))")
        } else {
            transcript.hear(name, "\(kind) \(Notice.transition(change?[.oldKey], change?[.newKey]))")
        }
    }

    /// Returns the name of the kind, which is passed as `NSKeyValueChange` or, like in Foundation, as a number.
    private static func kind(_ value: Any?) -> String {
        let kind = value as? NSKeyValueChange ?? (value as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
        return switch kind {
        case .setting: "setting"
        case .insertion: "insertion"
        case .removal: "removal"
        case .replacement: "replacement"
        default: "no kind"
        }
    }
}
