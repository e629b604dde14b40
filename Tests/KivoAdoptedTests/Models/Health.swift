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

enum Unit: Int {
    case metric, imperial
}

class Person: KeyValueObservable {
    @Observed var name: String
    @Observed var birthday: Date? = nil
    @Observed var unit = Unit.metric
    @Observed var doctor: Doctor? = nil
    @Observed var weights: [Double] = []
    private var revision = 0

    convenience init() {
        self.init(name: "nobody")
    }

    init(name: String) {
        self.name = name
        revision = 1
    }

    var title: String {
        return "\(name) of \(doctor?.name ?? "nobody")"
    }

    class func computedProperties() -> [String: AnyKeyPath] { ["title": \Person.title] }

    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "title": return ["name", "doctor.name"]
        default: return Set<String>()
        }
    }
}

class Doctor: KeyValueObservable {
    @Observed var name = ""
    @Observed var fee: NSNumber? = nil

    init() {
        name = "Dr."
    }
}

class Specialist: Doctor {
    @Observed var field = ""
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
