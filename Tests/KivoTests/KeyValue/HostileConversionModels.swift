import Foundation
import Kivo

/// A mapped value whose conversions run a block first, once: it may do anything.
struct HostileValue: CustomPersistable, Hashable {
    let number: Int
    init(_ number: Int) { self.number = number }
    init(persistedValue: Int) {
        number = persistedValue
        Hostile.run(.reading)
    }
    var persistableValue: Int {
        Hostile.run(.storing)
        return number
    }
    static func == (a: HostileValue, b: HostileValue) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// An enum whose raw value is made by code of its own.
enum HostileEnum: PersistableEnum {
    case first, second
    init?(rawValue: Int) { self = rawValue == 2 ? .second : .first }
    var rawValue: Int {
        Hostile.run(.storing)
        // Comparing the cases would ask for their raw values.
        switch self {
        case .first: return 1
        case .second: return 2
        }
    }
    static var allCases: [HostileEnum] { [.first, .second] }
}

/// The block that the next conversion of this thread runs.
enum Hostile {
    enum Occasion: String { case storing, reading }

    static func run(_ occasion: Occasion) {
        let key = "kivo.hostile." + occasion.rawValue
        guard let block = Thread.current.threadDictionary[key] as? () -> Void else { return }
        Thread.current.threadDictionary[key] = nil
        block()
    }

    /// Runs code in which the first conversion runs a block.
    static func with<Result>(
        _ block: @escaping () -> Void, at occasion: Occasion = .storing, _ body: () throws -> Result
    ) rethrows -> Result {
        let key = "kivo.hostile." + occasion.rawValue
        Thread.current.threadDictionary[key] = block
        defer { Thread.current.threadDictionary[key] = nil }
        return try body()
    }
}

class HostileOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var one = HostileValue(0)
    @Persisted var maybe: HostileValue?
    @Persisted var kind = HostileEnum.first
    @Persisted var maybeKind: HostileEnum?
    @Persisted var list: List<HostileValue>
    @Persisted var gaps: List<HostileValue?>
    @Persisted var kinds: List<HostileEnum>
    @Persisted var set: MutableSet<HostileValue>
    @Persisted var map: Map<String, HostileValue>
    @Persisted var plain: List<String>
}
