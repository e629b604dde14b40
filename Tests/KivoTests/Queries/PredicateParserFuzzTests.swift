import Foundation
import TestRandomness
import XCTest

@testable import Kivo

final class PredicateParserFuzzTests: XCTestCase {
    private static let predicates = [
        "age > %@ AND name BEGINSWITH[c] 'R'", "(a == 1 OR b != 2.5e3) AND NOT c <= -0x1F",
        "SUBQUERY(items, $x, $x.price > 5 AND $x.name == 'a').@count > 2",
        "ANY dogs.owner.name ENDSWITH[cd] \"x\\n\"",
        "%K.@max.age BETWEEN {1, %d} || 'x' IN tags", "map['k\\u00e9y'] == nil AND map[%@].@keys LIKE '*a?'",
        "NONE #in.b IN {1, 'two', 3.0, YES, NULL} && TRUEPREDICATE", "$0 => a.@avg.b.c OR $1 <> SELF",
        "id == uuid(550e8400-e29b-41d4-a716-446655440000)",
        "ALL o == oid(507f1f77bcf86cd799439011) SORT(name ASC)",
        "a == date(2024-02-29T12:30:59.5+01:00) OR b IN {data(00ff), decimal(1.50)}",
        "(a + 2) * b.c - -1.5 >= %@ / 2 AND -(a) < @count - 1 OR a-1>b", "NOT name MATCHES[c] '(a|b)+.*'",
        "a.b GEOWITHIN geoCircle([1.5, -2], 0.5) OR a GEOWITHIN geoBox([1, 2], [3, 4])",
        "a GEOWITHIN geoPolygon({[0, 0], [9, 0], [9, 9], [0, 0]}, {[4, 3], [5, 3], [5, 4], [4, 3]})",
        "SUBQUERY(a, $p, SUBQUERY($p.b, $q, $q.c == 1).@count > 0 OR $p.e CONTAINS 3).@size =< 1",
    ]

    private static let pieces = [
        "(", ")", "{", "}", "[", "]", ",", ".", "'", "\"", "\\", "%", "%@", "%K", "%d", "$", "$0", "$x", "@",
        "@count",
        "@max", "#", "=", "==", "!", "<", ">", "&&", "||", "AND", "OR", "NOT", "IN", "BETWEEN", "LIKE",
        "MATCHES", "ANY",
        "SELF", "nil", "true", "SUBQUERY(", "uuid(", "oid(", "date(", "data(", "decimal(", "0x", "1e", "-",
        "5", "\u{301}", "é", "\u{0}",
        "😀", "\r\n",
        " ", "+", "*", "/", "GEOWITHIN", "geoBox(", "\\u", "\\uD83D", "[c]", "a", ".b", "_",
    ]

    private let values: [Any?] = [
        5, -2.5, "name", "a.b", "", "@count", nil, true, [1, 2], [1, nil] as [Any?], UUID(),
    ]

    func testDamagedPredicatesAreReadOrRefused() {
        var random = RandomSource()
        var read = 0
        for _ in TestEffort.rounds(20_000) {
            let format = damaged(&random)
            let arguments = (0..<random.below(4)).map { _ in values.randomElement(using: &random)! }
            do {
                let node = try PredicateParser.parse(format, arguments)
                read += 1
                // Every parsed condition can be written and parsed again, with values as arguments.
                var writer = PredicateNodeWriter(arguments: [])
                let text = writer.text(node)
                guard let again = try? PredicateParser.parse(text, writer.arguments!) else {
                    XCTFail("\(format.debugDescription), \(arguments) was read, but not \(text)")
                    continue
                }
                XCTAssertEqual(again.text, node.text, format.debugDescription)
            } catch {
                XCTAssertTrue(0...format.count ~= error.position, format.debugDescription)
                XCTAssertFalse(error.description.isEmpty)
            }
        }
        XCTAssertGreaterThan(read, TestEffort.expected(100))
    }

    private func damaged(_ random: inout RandomSource) -> String {
        var scalars = Array(Self.predicates.randomElement(using: &random)!.unicodeScalars)
        for _ in 0...random.below(4) {
            let place = random.below(scalars.count + 1)
            let end = min(scalars.count, place + random.below(6))
            switch random.below(6) {
            case 0: scalars.removeSubrange(place..<end)
            case 1: scalars.insert(contentsOf: scalars[place..<end], at: random.below(scalars.count + 1))
            case 2:
                scalars.insert(
                    contentsOf: Self.pieces.randomElement(using: &random)!.unicodeScalars, at: place)
            case 3:
                scalars.replaceSubrange(
                    place..<end, with: Self.pieces.randomElement(using: &random)!.unicodeScalars)
            case 4: scalars.removeSubrange(place...)
            default:
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                var bytes = Array(String(text).utf8)
                if !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    func testRandomTreesAreReadAsTheyAreWritten() throws {
        var random = RandomSource()
        for round in TestEffort.rounds(3000) {
            let node = node(&random, depth: 4, subqueries: 3)
            let expected = node.text
            let read = try PredicateParser.parse(expected, [])
            XCTAssertEqual(Array(read.text.utf8), Array(expected.utf8), expected)
            // Other spellings of the condition, with values as literals and as arguments.
            var writer = PredicateNodeWriter(arguments: round % 2 == 0 ? [] : nil, random: random)
            let spelled = writer.text(node)
            random = writer.random!
            let readAgain = try PredicateParser.parse(spelled, writer.arguments ?? [])
            XCTAssertEqual(Array(readAgain.text.utf8), Array(expected.utf8), spelled)
        }
    }

    private func node(_ random: inout RandomSource, depth: Int, subqueries: Int) -> QueryNode {
        switch depth == 0 ? 9 : random.below(10) {
        case 0...1:
            return .and(
                node(&random, depth: depth - 1, subqueries: subqueries),
                node(&random, depth: depth - 1, subqueries: subqueries))
        case 2...3:
            return .or(
                node(&random, depth: depth - 1, subqueries: subqueries),
                node(&random, depth: depth - 1, subqueries: subqueries))
        case 4:
            let condition = node(&random, depth: depth - 1, subqueries: subqueries)
            // Two NOTs are read as none.
            if case .not = condition { return condition }
            return .not(condition)
        case 5: return .constant(random.chance(50))
        case 6 where subqueries > 0:
            let condition = node(&random, depth: depth - 1, subqueries: subqueries - 1)
            var collection = path(&random)
            collection.aggregate = nil
            return .comparison(
                QueryComparison(
                    left: .subquery(collection, condition), operator: .greater, right: .value(random.below(9))
                ))
        default: return .comparison(comparison(&random))
        }
    }

    private func comparison(_ random: inout RandomSource) -> QueryComparison {
        let operators: [QueryComparison.Operator] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith,
            .contains, .like,
            .isIn, .between, .matches, .geoWithin,
        ]
        let quantifiers: [QueryComparison.Quantifier] = [.any, .all, .none]
        var comparison = QueryComparison(
            quantifier: quantifiers.randomElement(using: &random)!, left: .path(path(&random)),
            operator: operators.randomElement(using: &random)!, right: .path(path(&random)),
            options: StringOptions(rawValue: Int8(random.below(4))))
        if random.chance(30) { comparison.left = arithmetic(&random, depth: 3) }
        switch comparison.operator {
        case .matches: comparison.right = .value(try? RegularExpression("a[^b]+|'.", comparison.options))
        case .geoWithin: comparison.right = .value(shape(&random))
        case .between: comparison.right = .value([value(&random), value(&random)])
        case .isIn where random.chance(30): comparison.left = .value(value(&random))
        case .isIn where random.chance(70):
            comparison.right = .value((0..<random.below(4)).map { _ in value(&random) })
        case .isIn: break
        default: if random.chance(80) { comparison.right = .value(value(&random)) }
        }
        return comparison
    }

    /// Arithmetic in which not all is known.
    private func arithmetic(_ random: inout RandomSource, depth: Int) -> QueryOperand {
        let signs: [ArithmeticOperator] = [.plus, .minus, .times, .dividedBy]
        let sign = signs.randomElement(using: &random)!
        let inner: QueryOperand =
            depth > 0 && random.chance(60) ? arithmetic(&random, depth: depth - 1) : .path(path(&random))
        let number: QueryOperand =
            random.chance(50)
            ? .path(path(&random)) : .value(random.chance(50) ? random.below(9) - 4 : 1.5 as Any)
        return random.chance(50) ? .arithmetic(inner, sign, number) : .arithmetic(number, sign, inner)
    }

    private func shape(_ random: inout RandomSource) -> any RLMGeospatial {
        let corner = (Double(random.below(80)), Double(random.below(170)))
        switch random.below(3) {
        case 0: return GeoBox(bottomLeft: (-1.5, -2), topRight: corner)!
        case 1: return GeoCircle(center: corner, radiusInRadians: 0.25)!
        default:
            let hole = [(1.0, 2.0), (1, 1), (2, 1), (1, 2)]
            return GeoPolygon(
                outerRing: [(0, 0), (0, 9), corner, (0, 0)], holes: random.chance(50) ? [hole] : nil)!
        }
    }

    private func path(_ random: inout RandomSource) -> QueryPath {
        var path = QueryPath(components: components(&random, atMost: 4))
        let functions: [QueryPath.Function] = [.min, .max, .sum, .average]
        switch random.below(6) {
        case 0: path.aggregate = (.count, [])
        case 1: path.aggregate = (functions.randomElement(using: &random)!, components(&random, atMost: 3))
        default: break
        }
        return path
    }

    private func components(_ random: inout RandomSource, atMost limit: Int) -> [QueryPath.Component] {
        let names = [
            "a", "name", "in", "Any", "self", "no", "_x1", "größe", "犬", "count", "uuid", "nil", "subquery",
        ]
        return (0..<random.below(limit)).map { _ in
            switch random.below(10) {
            case 0: .keys
            case 1: .values
            case 2: .key(string(&random))
            default: .property(names.randomElement(using: &random)!)
            }
        }
    }

    private func value(_ random: inout RandomSource) -> Any? {
        switch random.below(8) {
        case 0: nil
        case 1: random.chance(50)
        case 2: Int(truncatingIfNeeded: random.next())
        case 3: random.below(100) - 50
        case 4: Double.random(in: -1...1, using: &random) * pow(10, Double(random.below(40) - 20))
        case 5: UUID(uuidString: "550E8400-E29B-41D4-A716-44665544\(1000 + random.below(9000))")
        case 6: ObjectId(timestamp: Date(), machineId: random.below(1000), processId: random.below(1000))
        default: string(&random)
        }
    }

    private func string(_ random: inout RandomSource) -> String {
        let pieces = [
            "a", "'", "\"", "\\", "\n", "\r\n", "\t", "é", "e\u{301}", "\u{301}", "😀", "%@", "$0", " ", ")",
            "\u{0}",
        ]
        return (0..<random.below(6)).map { _ in pieces.randomElement(using: &random)! }.joined()
    }
}
