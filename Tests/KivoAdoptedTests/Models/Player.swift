#if canImport(Observation)
import Observation
#endif
import Foundation  // for NSObject
import KivoObserving
#if os(macOS)
import Darwin
#endif

// A player and its settings, as Cocoa observes them.

class Track: KeyValueObservable {
    let title: String
    @Observed var length = 0.0

    init(title: String) {
        self.title = title
    }
}

class Player: KeyValueObservable {
    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "summary": keyPathsForValuesAffectingSummary
        case "loudness": keyPathsForValuesAffectingLoudness()
        default: []
        }
    }

    class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        switch key {
        case "rate": automaticallyNotifiesObserversOfRate()
        default: true
        }
    }

    private var storedVolume = 0.5
    private var storedRate = 1.0
    private var storedSource = "none"
    private(set) var log: [String] = []

    @Observed var track: Track? = nil
    @Observed var position = 0.0

    /// A computed property whose setter Cocoa announces.
    var volume: Double {
        get { storedVolume }
        set {
            willChangeValue(forKey: "volume")
            defer { didChangeValue(forKey: "volume") }
            log.append("volume")
            storedVolume = min(max(newValue, 0), 1)
        }
    }

    /// One that announces itself, and says so.
    var rate: Double {
        get { return storedRate }
        set {
            guard newValue != storedRate else { return }
            willChangeValue(forKey: "rate")
            storedRate = newValue
            didChangeValue(forKey: "rate")
        }
    }

    class func automaticallyNotifiesObserversOfRate() -> Bool { return false }

    var source: String {
        get { storedSource }
        set {
            willChangeValue(forKey: "source")
            defer { didChangeValue(forKey: "source") }
            storedSource = newValue
        }
    }

    var summary: String { "\(track?.title ?? "nothing") at \(Int(position))" }

    class func computedProperties() -> [String: AnyKeyPath] {
        [
            "volume": \Player.volume,
            "rate": \Player.rate,
            "source": \Player.source,
            "summary": \Player.summary,
            "loudness": \Player.loudness,
        ]
    }

    static let keyPathsForValuesAffectingSummary: Set<String> = [
        "track.title", "position",
    ]
}

extension Player {
    var loudness: Int {
        get { Int(volume * 100) }
        set {
            willChangeValue(forKey: "loudness")
            defer { didChangeValue(forKey: "loudness") }
            volume = Double(newValue) / 100
        }
    }

    class func keyPathsForValuesAffectingLoudness() -> Set<String> { ["volume"] }
}

final class Radio: Player {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "name": keyPathsForValuesAffectingName()
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    @Observed var station = ""
    var name: String { "Radio \(station)" }

    override class func computedProperties() -> [String: AnyKeyPath] {
        super.computedProperties().merging(["name": \Radio.name]) { _, own in own }
    }

    class func keyPathsForValuesAffectingName() -> Set<String> { ["station"] }
}

class Settings: KeyValueObject {
    @Observed var theme = "light"
    private var handled = 0

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard keyPath == "volume" else {
            return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
        handled += 1
    }

    override func value(forUndefinedKey key: String) -> Any? {
        key == "handled" ? handled : super.value(forUndefinedKey: key)
    }
}

/// An observer, and nothing else.
final class Watcher: KeyValueObject {
    var seen: [String] = []

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard let keyPath = keyPath else {
            return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
        seen.append(keyPath)
    }
}

@MainActor final class PlayerPage: @MainActor KeyValueObservable {
    @Observed var heading = ""
    var subheading: String {
        get { heading.lowercased() }
        set {
            willChangeValue(forKey: "subheading")
            defer { didChangeValue(forKey: "subheading") }
            heading = newValue
        }
    }

    class func computedProperties() -> [String: AnyKeyPath] { ["subheading": \PlayerPage.subheading] }
}
