import Foundation
import Kivo

extension QueryFuzz {
    enum Shape: Sendable, Equatable {
        case int, double, text, bool, date
        case link(Class)
        /// A list, a set or linking objects.
        case objects(Class, isList: Bool, isLinking: Bool)
        case numbers
        case map

        var isScalar: Bool {
            switch self {
            case .int, .double, .text, .bool, .date: true
            default: false
            }
        }

        var target: Class? {
            switch self {
            case .link(let target), .objects(let target, _, _): target
            default: nil
            }
        }
    }

    /// A property of one of the classes: what the tests need to know to treat it like any other.
    struct Property: Sendable {
        let name: String
        let shape: Shape
        var isOptional = false
        var isWritable = true
        let read: @Sendable (Object) -> [Value]
        var write: @Sendable (Object, Value) -> Void = { _, _ in }
        let typed: @Sendable (TypedStep) -> TypedOperand
        /// The property of the origins that linking objects are the other side of.
        var origin: String?
    }

    static func properties(_ type: Class) -> [Property] { type == .thing ? things : holders }

    static func index(_ name: String, _ type: Class) -> Int {
        properties(type).firstIndex { $0.name == name }!
    }

    private static func thing(_ object: Object) -> QueryFuzzThing {
        unsafeDowncast(object, to: QueryFuzzThing.self)
    }
    private static func holder(_ object: Object) -> QueryFuzzHolder {
        unsafeDowncast(object, to: QueryFuzzHolder.self)
    }

    private static let thingList = Shape.objects(.thing, isList: true, isLinking: false)
    private static let thingSet = Shape.objects(.thing, isList: false, isLinking: false)
    private static let thingOrigins = Shape.objects(.thing, isList: false, isLinking: true)
    private static let holderOrigins = Shape.objects(.holder, isList: false, isLinking: true)

    static let things: [Property] = [
        Property(
            name: "id", shape: .int, isWritable: false, read: { [.int(thing($0).id)] },
            typed: { .int($0.thing.get(\.id)) }),
        Property(
            name: "int", shape: .int, read: { [.int(thing($0).int)] }, write: { thing($0).int = $1.int! },
            typed: { .int($0.thing.get(\.int)) }),
        Property(
            name: "optInt", shape: .int, isOptional: true, read: { [Value(thing($0).optInt)] },
            write: { thing($0).optInt = $1.int }, typed: { .optInt($0.thing.get(\.optInt)) }),
        Property(
            name: "double", shape: .double, read: { [.double(thing($0).double)] },
            write: { thing($0).double = $1.double! }, typed: { .double($0.thing.get(\.double)) }),
        Property(
            name: "optDouble", shape: .double, isOptional: true, read: { [Value(thing($0).optDouble)] },
            write: { thing($0).optDouble = $1.double }, typed: { .optDouble($0.thing.get(\.optDouble)) }),
        Property(
            name: "text", shape: .text, read: { [.text(thing($0).text)] },
            write: { thing($0).text = $1.text! }, typed: { .text($0.thing.get(\.text)) }),
        Property(
            name: "optText", shape: .text, isOptional: true, read: { [Value(thing($0).optText)] },
            write: { thing($0).optText = $1.text }, typed: { .optText($0.thing.get(\.optText)) }),
        Property(
            name: "tag", shape: .text, read: { [.text(thing($0).tag)] }, write: { thing($0).tag = $1.text! },
            typed: { .text($0.thing.get(\.tag)) }),
        Property(
            name: "flag", shape: .bool, read: { [.bool(thing($0).flag)] },
            write: { thing($0).flag = $1 == .bool(true) }, typed: { .bool($0.thing.get(\.flag)) }),
        Property(
            name: "date", shape: .date, read: { [.date(thing($0).date)] },
            write: { thing($0).date = $1.date! }, typed: { .date($0.thing.get(\.date)) }),
        Property(
            name: "optDate", shape: .date, isOptional: true, read: { [Value(thing($0).optDate)] },
            write: { thing($0).optDate = $1.date }, typed: { .optDate($0.thing.get(\.optDate)) }),
        Property(
            name: "link", shape: .link(.thing), isOptional: true,
            read: { [Value(object: thing($0).link?.id)] },
            typed: { .thing($0.thing.get(\.link)) }),
        Property(
            name: "owner", shape: .link(.holder), isOptional: true,
            read: { [Value(object: thing($0).owner?.id)] }, typed: { .holder($0.thing.get(\.owner)) }),
        Property(
            name: "things", shape: thingList, read: { thing($0).things.map { .object($0.id) } },
            typed: { .things($0.thing.get(\.things)) }),
        Property(
            name: "numbers", shape: .numbers, read: { thing($0).numbers.map { .int($0) } },
            typed: { .numbers($0.thing.get(\.numbers)) }),
        Property(
            name: "map", shape: .map, read: { thing($0).map.flatMap { [.text($0.key), .int($0.value)] } },
            typed: { .map($0.thing.get(\.map)) }),
        Property(
            name: "linkedBy", shape: thingOrigins, read: { _ in [] },
            typed: { .thingOrigins($0.thing.get(\.linkedBy)) }, origin: "link"),
        Property(
            name: "inThings", shape: thingOrigins, read: { _ in [] },
            typed: { .thingOrigins($0.thing.get(\.inThings)) }, origin: "things"),
        Property(
            name: "keepers", shape: holderOrigins, read: { _ in [] },
            typed: { .holderOrigins($0.thing.get(\.keepers)) }, origin: "things"),
    ]

    static let holders: [Property] = [
        Property(
            name: "id", shape: .int, isWritable: false, read: { [.int(holder($0).id)] },
            typed: { .int($0.holder.get(\.id)) }),
        Property(
            name: "int", shape: .int, read: { [.int(holder($0).int)] }, write: { holder($0).int = $1.int! },
            typed: { .int($0.holder.get(\.int)) }),
        Property(
            name: "text", shape: .text, read: { [.text(holder($0).text)] },
            write: { holder($0).text = $1.text! }, typed: { .text($0.holder.get(\.text)) }),
        Property(
            name: "code", shape: .text, isOptional: true, read: { [Value(holder($0).code)] },
            write: { holder($0).code = $1.text }, typed: { .optText($0.holder.get(\.code)) }),
        Property(
            name: "things", shape: thingList, read: { holder($0).things.map { .object($0.id) } },
            typed: { .things($0.holder.get(\.things)) }),
        Property(
            name: "set", shape: thingSet, read: { holder($0).set.map { .object($0.id) } },
            typed: { .thingSet($0.holder.get(\.set)) }),
        Property(
            name: "boss", shape: .link(.holder), isOptional: true,
            read: { [Value(object: holder($0).boss?.id)] }, typed: { .holder($0.holder.get(\.boss)) }),
        Property(
            name: "owned", shape: thingOrigins, read: { _ in [] },
            typed: { .thingOrigins($0.holder.get(\.owned)) }, origin: "owner"),
        Property(
            name: "staff", shape: holderOrigins, read: { _ in [] },
            typed: { .holderOrigins($0.holder.get(\.staff)) }, origin: "boss"),
    ]
}

extension QueryFuzz.Value {
    init(_ int: Int?) { self = int.map { .int($0) } ?? .null }
    init(_ double: Double?) { self = double.map { .double($0) } ?? .null }
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ date: Date?) { self = date.map { .date($0) } ?? .null }
    init(object: Int?) { self = object.map { .object($0) } ?? .null }

    var int: Int? { if case .int(let int) = self { int } else { nil } }
    var double: Double? { if case .double(let double) = self { double } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var date: Date? { if case .date(let date) = self { date } else { nil } }
    var object: Int? { if case .object(let id) = self { id } else { nil } }
}
