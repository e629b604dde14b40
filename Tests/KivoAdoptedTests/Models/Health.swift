import Foundation
import Kivo

// A health diary: entries are stored, and what is shown of them is observed by key path.

enum Mood: String, PersistableEnum {
    case bad, fair, good
}

class DiaryEntry: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var day = Date()
    @Persisted var mood: Mood = .fair
    @Persisted var symptoms: Kivo.List<String>
    @Persisted var measurements: Kivo.List<Measured>
    @Persisted(originProperty: "entries") var diaries: LinkingObjects<Diary>
}

class Measured: EmbeddedObject {
    @Persisted var kind = ""
    @Persisted var amount: Double?
}

class Diary: Object {
    @Persisted var name = ""
    @Persisted var entries: List<DiaryEntry>
    @Persisted var height: Double? = 1.8
}

enum Unit: Int, PersistableEnum {
    case metric, imperial
}

class Person: Object {
    @Persisted var name: String
    @Persisted var birthday: Date? = nil
    @Persisted var unit = Unit.metric
    @Persisted var doctor: Doctor?
    @Ignored var weights: [Double] = []
    private var revision = 0

    required convenience init() {
        self.init(name: "nobody")
    }

    init(name: String) {
        super.init()
        self.name = name
        revision = 1
    }

    var title: String {
        return "\(name) of \(doctor?.name ?? "nobody")"
    }

    override class func computedProperties() -> [String: AnyKeyPath] { ["title": \Person.title] }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "title": return ["name", "doctor.name"]
        default: return super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }
}

class Doctor: Object {
    @Persisted var name = ""
    @Ignored var fee: NSNumber?

    required init() {
        super.init()
        name = "Dr."
    }
}

class Specialist: Doctor {
    @Persisted var field = ""
}

/// Hears of changes by name.
class TitleObserver: KeyValueObserver {
    var heard: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        heard.append("\(keyPath ?? ""): \((object as? Person)?.title ?? "")")
    }
}

func follow(_ person: Person, _ observer: TitleObserver) {
    person.addObserver(observer, forKeyPath: "title", options: [], context: nil)
}

func unfollow(_ person: Person, _ observer: TitleObserver) {
    person.removeObserver(observer, forKeyPath: "title")
}

func average(_ diaries: Results<Diary>) -> Double {
    diaries.compactMap { $0.height }.reduce(0, +) / Double(max(diaries.count, 1))
}
