#if canImport(Observation)
import Observation
#endif
import Foundation  // for NSObject
#if os(macOS)
import Darwin
#endif

// A player and its settings, as Cocoa observes them.

class Track: NSObject {
    @objc dynamic let title: String
    @objc dynamic var length = 0.0

    init(title: String) {
        self.title = title
        super.init()
    }
}

class Player: NSObject {
    private var storedVolume = 0.5
    private var storedRate = 1.0
    private var storedSource = "none"
    private(set) var log: [String] = []

    @objc dynamic var track: Track?
    @objc dynamic var position = 0.0

    /// A computed property whose setter Cocoa announces.
    @objc dynamic var volume: Double {
        get { storedVolume }
        set {
            log.append("volume")
            storedVolume = min(max(newValue, 0), 1)
        }
    }

    /// One that announces itself, and says so.
    @objc dynamic var rate: Double {
        get { return storedRate }
        set {
            guard newValue != storedRate else { return }
            willChangeValue(forKey: "rate")
            storedRate = newValue
            didChangeValue(forKey: "rate")
        }
    }

    @objc class func automaticallyNotifiesObserversOfRate() -> Bool { return false }

    @objc dynamic var source: String {
        get { storedSource }
        set { storedSource = newValue }
    }

    @objc dynamic var summary: String { "\(track?.title ?? "nothing") at \(Int(position))" }

    @objc static let keyPathsForValuesAffectingSummary: Set<String> = [
        #keyPath(Player.track.title), #keyPath(Player.position),
    ]
}

extension Player {
    @objc dynamic var loudness: Int {
        get { Int(volume * 100) }
        set { volume = Double(newValue) / 100 }
    }

    @objc class func keyPathsForValuesAffectingLoudness() -> Set<String> { ["volume"] }
}

final class Radio: Player {
    @objc dynamic var station = ""
    @objc dynamic var name: String { "Radio \(station)" }

    @objc class func keyPathsForValuesAffectingName() -> Set<String> { ["station"] }
}

class Settings: NSObject {
    @objc dynamic var theme = "light"
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
final class Watcher: NSObject {
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

@MainActor final class PlayerPage: NSObject {
    @objc dynamic var heading = ""
    @objc dynamic var subheading: String {
        get { heading.lowercased() }
        set { heading = newValue }
    }
}
