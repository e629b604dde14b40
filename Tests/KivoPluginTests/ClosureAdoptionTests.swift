import Foundation
import TestRandomness
import XCTest

@testable import KivoAdoptTool
@testable import KivoSourceModel

/// Every construct inside of every kind of closure is rewritten, or listed: what becomes of it compiles, but for the lines that
/// are left for a person.
final class ClosureAdoptionTests: XCTestCase {
    private static let models = """
        import Foundation
        import RealmSwift
        class Dog: Object {
            @objc dynamic var name = ""
            let age = RealmOptional<Int>()
            @objc dynamic var friend: Dog?
            let pups = List<Dog>()
        }
        struct Wrapped { var value: Int? }
        func use(_ values: Any?...) {}
        @discardableResult func run<R>(_ body: () throws -> R) rethrows -> R { try body() }
        func run(_ body: (Int) throws -> Void, other: () -> Void) rethrows { try body(1); other() }
        func later(_ body: @escaping () async -> Void) {}
        func now(_ value: @autoclosure () -> Int?) {}

        """

    /// The statements that are tried, in which `dog`, `dogs`, `maybe` and `realm` are declared, and `plain`, which has a value of
    /// its own.
    private static let constructs = [
        "use(dog.age.value, Holder().dog.age.value)",
        "use(dog.name, dog.age.value, plain.value, dog.age.value)",
        "dog.age.value = 3",
        "dog.age.value = dog.age.value.map { $0 + 1 }",
        "dog.friend?.age.value = dog.friend!.age.value",
        "if let dog { use(dog.age.value) }",
        "if let dog = maybe { use(dog.age.value) }",
        "if let maybe, let age = maybe.age.value, age == maybe.age.value { use(maybe.age.value, age) }",
        "if case .some(let age) = dog.age.value { use(age, dog.age.value) }",
        "guard let maybe, let age = maybe.age.value else { return }; use(age, maybe.age.value)",
        "while let age = dog.age.value { use(age, dog.age.value); break }",
        "repeat { use(dog.age.value) } while dog.age.value == 1",
        "for dog in dogs where dog.age.value == 1 { use(dog.age.value) }",
        "for (number, dog) in dogs.enumerated() where dog.age.value == number { use(dog.age.value) }",
        "switch dog.age.value { case .some(let age) where dog.age.value == age: use(dog.age.value); default: use(dog.age.value) }",
        "do { try realm.write { dog.age.value = 1 } } catch let error as Realm.Error where dog.age.value == 1 { use(error) } catch { use(dog.age.value) }",
        "defer { use(dog.age.value) }; use(dog.age.value)",
        "let one = dog.age.value, two: Int = dog.age.value ?? 1; use(one, two, dog.age.value)",
        "let (one, two) = (dog.age.value, dog.age.value); use(one, two, dog.age.value)",
        "var one = dog.age.value { didSet { use(dog.age.value) } }; one = dog.age.value",
        "var one: Int? { dog.age.value }; use(one, dog.age.value)",
        "let one = dog.age.value == 1 ? dog.age.value : dog.age.value; use(one)",
        "let one = if dog.age.value == 1 { dog.age.value } else { dog.age.value }; use(one)",
        "use(\"\\(dog.age.value ?? 1) \\(String(describing: dog.age.value))\", dog.age.value)",
        "use(#\"\\#(dog.age.value ?? 1)\"#, [dog.age.value], [\"a\": dog.age.value], dog.age.value)",
        "use(dogs.map(\\.age.value), plain.value, dogs.map(\\Dog.age.value), dog.age.value)",
        "use(dogs.map(\\.friend?.age.value), dogs.map { $0.age.value }, dogs.map { ($0 as Dog).age.value })",
        "func inner(_ age: Int? = dog.age.value) { use(age, dog.age.value) }; inner(dog.age.value)",
        "class Local { var dog = Dog(); func f() { use(dog.age.value) } }; use(Local().dog.age.value)",
        "use({ dog.age.value }(), { (age: Int?) in dog.age.value == age }(dog.age.value))",
        "use(dog .age .value, dog . age . value)",
        "use(#keyPath(Dog.name), dog.age.value, #keyPath(Dog.friend.name))",
        "use(realm.objects(Dog.self).filter(NSPredicate(format: \"name = %@\", \"x\")).first?.age.value)",
        "use(realm.objects(Dog.self).sorted(byKeyPath: \"name\").first?.age.value, dog.age.value)",
        "now(dog.age.value); now(plain.value)",
        "autoreleasepool { use(dog.age.value) }",
        "use(#keyPath(Unknown.name), dog.age.value)",
        "let box = dog.age; use(box.value, dog.age.value)",
        "let box: RealmOptional<Int> = dog.age; use(box.value)",
        "use(RLMRealm.default(), dog.age.value)",
    ]

    /// The code around a statement.
    private static let closures: [(String, String)] = [
        ("run {", "}"), ("run { [self] in", "}"), ("run { [unowned self] in _ = self;", "}"),
        ("run { [weak self] in _ = self;", "}"), ("run { [weak self, dog] in _ = self;", "}"),
        ("run { [dog, maybe] in", "}"), ("run { [dog = dog, one = dog.age.value] in use(one);", "}"),
        ("run { [one = dog.age.value, two = dogs.map(\\.age.value)] () -> Void in use(one, two);", "}"),
        ("run { () throws(Never) -> Void in", "}"), ("run { run { [dog] in run { [maybe, dog] in", "} } }"),
        ("run({ (number: Int) -> Void in use(number);", "}, other: { [dog] in use(dog.age.value) })"),
        ("run { _ in use(dog.age.value) } other: { [unowned self] in _ = self;", "}"),
        ("let body = { [unowned self] () -> Void in _ = self;", "}; body()"),
        ("let body: () -> Void = { [weak self] in guard let self else { return }; _ = self;", "}; body()"),
        ("lazy var value: Void = { [dog] in", "}(); value"),
        ("func inner(_ dog: Dog = dog) { run { [dog] in", "} }; inner()"),
        ("if let one = maybe { run { [one, dog] in _ = one;", "} }"),
        ("for one in dogs { run { [one] in use(one.age.value);", "} }"),
        ("use([\"a\": { [dog] in", "}], dog.age.value)"), ("use(\"\\(run { [dog] in", "})\", dog.age.value)"),
        ("later { [dog] in", "}"), ("later { [weak self, dog] () async in _ = self;", "}"),
    ]

    /// The beginnings of constructs that are left for a person, each with a part of its message.
    private static let listed = [
        "autoreleasepool": "'autoreleasepool'",
        "use(#keyPath(Unknown": "'#keyPath'", "let box = ": "'box' was a RealmOptional",
        "let box: ": "'RealmOptional'", "use(RLMRealm": "'RLMRealm'",
    ]

    func testEveryConstructInEveryClosureCompilesOrIsListed() throws {
        var lines = Self.models.components(separatedBy: "\n").dropLast()
        lines.append(
            "class Holder { var dog = Dog()")
        var constructs: [Int: String] = [:]
        for (opening, closing) in TestEffort.sample(Self.closures, 6) {
            for construct in Self.constructs {
                let start = construct.hasPrefix("if let dog {") ? "let dog = maybe;" : ""
                lines.append(
                    "func f\(lines.count)(_ dog: Dog, _ maybe: Dog?, _ dogs: [Dog], _ realm: Realm) { let plain = Wrapped(value: 1); _ = plain; \(opening) \(start) \(construct) \(closing) }"
                )
                constructs[lines.count] = construct
            }
        }
        lines.append("}")
        var loader = try Fixture.loader()
        loader.readsAll = true
        let adoption = Adoption(
            loader.load([SourceText(path: "A.swift", lines.joined(separator: "\n") + "\n")]))
        var adopted = try XCTUnwrap(adoption.run().first).text.components(separatedBy: "\n")
        let left = Dictionary(grouping: adoption.leftOvers, by: \.location.line)
        for (line, construct) in constructs {
            let messages = left[line, default: []].map(\.message)
            let expected = Self.listed.first { construct.hasPrefix($0.key) }?.value
            XCTAssertFalse(adopted[line - 1].contains("age.value"), adopted[line - 1])
            if let expected {
                XCTAssertTrue(messages.contains { $0.contains(expected) }, "\(lines[line - 1]): \(messages)")
                adopted[line - 1] = ""
            } else {
                XCTAssertEqual(messages, [], lines[line - 1])
            }
        }
        XCTAssertTrue(left.keys.allSatisfy { constructs[$0] != nil }, "\(left)")
        if let problems = try Fixture.problems(inSource: adopted.joined(separator: "\n")) {
            XCTFail(
                problems.components(separatedBy: "\n").filter { $0.contains("error:") }.joined(
                    separator: "\n"))
        }
    }
}
