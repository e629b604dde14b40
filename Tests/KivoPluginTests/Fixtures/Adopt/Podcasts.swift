import Foundation
import RealmSwift

// The library of a podcast player.

@objc enum DownloadState: Int {
    case none, waiting, loading, done
}

class Podcast: Object {
    @objc dynamic var feed = ""
    @objc dynamic var title = ""
    @objc dynamic var author: String?
    @objc dynamic var artwork: Data? = nil
    @objc dynamic var subscribedAt = Date()
    let episodes = List<Episode>()
    let tags = List<String>()

    override static func primaryKey() -> String? {
        return "feed"
    }

    override static func indexedProperties() -> [String] {
        return ["title"]
    }

    /// How many were not heard yet.
    var unheard: Int { episodes.filter("position == 0 AND state != %d", DownloadState.done.rawValue).count }
}

class Episode: Object {
    @objc dynamic var guid = UUID().uuidString
    @objc dynamic var title = ""
    @objc dynamic var length: Double = 0
    /// Where to go on, in seconds.
    @objc dynamic var position = 0.0
    @objc dynamic var state = DownloadState.none
    @objc dynamic var chapter: Chapter?
    @objc private dynamic var note: String? = nil
    @objc dynamic var isSelected = false
    let rating = RealmOptional<Int>()
    let podcasts = LinkingObjects(fromType: Podcast.self, property: "episodes")
    var player: AnyObject?

    override class func primaryKey() -> String? { #keyPath(Episode.guid) }

    override class func ignoredProperties() -> [String] { ["isSelected"] }

    convenience init(title: String, length: Double) {
        self.init()
        self.title = title
        self.length = length
    }

    func rate(_ stars: Int) {
        rating.value = max(rating.value ?? 0, stars)
        note = "rated"
    }
}

class Chapter: EmbeddedObject {
    @objc dynamic var title = ""
    @objc dynamic var start = 0.0
}

struct PodcastLibrary {
    let realm: Realm

    func recent(since date: Date) -> Results<Podcast> {
        realm.objects(Podcast.self)
            .filter(NSPredicate(format: "subscribedAt > %@", date as NSDate))
            .sorted(byKeyPath: #keyPath(Podcast.title))
    }

    func loved() -> [Episode] {
        realm.objects(Episode.self).filter("rating >= 4").filter { ($0.rating.value ?? 0) >= 4 }
    }

    func watch(_ podcast: Podcast, _ told: @escaping (String) -> Void) -> NotificationToken {
        podcast.observe { change in
            guard case .change(_, let properties) = change else { return }
            told(properties.map { $0.name }.joined(separator: ","))
        }
    }
}

/// What plays, for the controls that observe it.
class PodcastPlayer: NSObject {
    @objc dynamic var rate: Float = 1
    @objc dynamic var elapsed = 0.0
    @objc dynamic private(set) var isPlaying = false
    @objc dynamic var queue: [String] = []
    @objc dynamic var summary: String { "\(queue.count) at \(rate)x" }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "summary" ? [#keyPath(PodcastPlayer.queue), #keyPath(PodcastPlayer.rate)] : []
    }

    func toggle() { isPlaying.toggle() }
}
