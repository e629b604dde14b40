import Foundation
import RealmSwift

// A health diary: entries are stored, and what is shown of them is observed by key path.

enum Mood: String, PersistableEnum {
    case bad, fair, good
}

class DiaryEntry: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var day = Date()
    @Persisted var mood: Mood = .fair
    @Persisted var symptoms: RealmSwift.List<String>
    @Persisted var measurements: RealmSwift.List<Measured>
    @Persisted(originProperty: "entries") var diaries: LinkingObjects<Diary>
}

class Measured: EmbeddedObject {
    @Persisted var kind = ""
    @Persisted var amount: Double?
}

class Diary: Object {
    @objc dynamic var name = ""
    let entries = List<DiaryEntry>()
    let height = RealmOptional<Double>(1.8)
}

@objc enum Unit: Int {
    case metric, imperial
}

class Person: NSObject {
    @objc dynamic var name: String
    @objc dynamic var birthday: Date? = nil
    @objc dynamic var unit = Unit.metric
    @objc dynamic var doctor: Doctor?
    @objc dynamic var weights: [Double] = []
    private var revision = 0

    override convenience init() {
        self.init(name: "nobody")
    }

    init(name: String) {
        self.name = name
        revision = 1
        super.init()
    }

    @objc dynamic var title: String {
        return "\(name) of \(doctor?.name ?? "nobody")"
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "title": return ["name", #keyPath(Person.doctor.name)]
        default: return super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }
}

class Doctor: NSObject {
    @objc dynamic var name = ""
    @objc dynamic var fee: NSNumber?

    override init() {
        name = "Dr."
        super.init()
    }
}

class Specialist: Doctor {
    @objc dynamic var field = ""
}

/// Hears of changes by name.
class TitleObserver: NSObject {
    var heard: [String] = []

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        heard.append("\(keyPath ?? ""): \((object as? Person)?.title ?? "")")
    }
}

func follow(_ person: Person, _ observer: TitleObserver) {
    person.addObserver(observer, forKeyPath: #keyPath(Person.title), options: [], context: nil)
}

func unfollow(_ person: Person, _ observer: TitleObserver) {
    person.removeObserver(observer, forKeyPath: #keyPath(Person.title))
}

func average(_ diaries: Results<Diary>) -> Double {
    diaries.compactMap { $0.height.value }.reduce(0, +) / Double(max(diaries.count, 1))
}
