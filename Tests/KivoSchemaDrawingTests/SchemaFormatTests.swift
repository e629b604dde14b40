import Foundation
import KivoSchemaDrawing
import XCTest

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Descriptions of the drawings of schemas.
final class SchemaFormatTests: XCTestCase {
    private let pets = SchemaOutline([
        .init(
            "Person",
            [
                .init("id", type: "ObjectId", isPrimaryKey: true),
                .init("name", type: "String", isIndexed: true),
                .init("nick", storedName: "nick_name", type: "String", isOptional: true),
                .init("dogs", type: "Dog", target: "Dog", collection: .list),
                .init("home", type: "Address", isOptional: true, target: "Address"),
                .init("scores", type: "Double", isOptional: true, collection: .map),
            ]),
        .init(
            "Dog",
            [
                .init("mother", type: "Dog", isOptional: true, target: "Dog"),
                .init("owners", type: "Person", target: "Person", collection: .inverse, origin: "dogs"),
                .init("vet", type: "Vet", isOptional: true, target: "Vet"),
            ]),
        .init("Address", isEmbedded: true, [.init("street", type: "String")]),
    ])

    func testText() {
        XCTAssertEqual(
            pets.drawn(as: .text),
            """
            Person
              id      ObjectId              primary key
              name    String                indexed
              nick    String?               stored as 'nick_name'
              dogs    List<Dog>
              home    Address?
              scores  Map<String, Double?>

            Dog
              mother  Dog?
              owners  LinkingObjects<Person>  inverse of Person.dogs
              vet     Vet?

            Address (embedded)
              street  String

            """)
    }

    func testJSONIsWhatReadersOfJSONRead() throws {
        let data = Data(pets.drawn(as: .json).utf8)
        let top = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let classes = try XCTUnwrap(top["classes"] as? [[String: Any]])
        XCTAssertEqual(classes.map { $0["name"] as? String }, ["Person", "Dog", "Address"])
        XCTAssertEqual(classes.map { $0["isEmbedded"] as? Bool }, [false, false, true])
        XCTAssertEqual(classes.map { $0["primaryKey"] as? String }, ["id", nil, nil])
        let properties = try XCTUnwrap(classes[0]["properties"] as? [[String: Any]])
        XCTAssertEqual(properties.map { $0["nullable"] as? Bool }, [false, false, true, false, true, true])
        XCTAssertEqual(
            properties.map { $0["collection"] as? String }, [nil, nil, nil, "list", nil, "dictionary"])
        XCTAssertEqual(properties[2]["storedName"] as? String, "nick_name")
        XCTAssertEqual(properties[3]["target"] as? String, "Dog")
    }

    func testMermaid() {
        XCTAssertEqual(
            pets.drawn(as: .mermaid),
            """
            classDiagram
              direction LR
              class Person {
                id: ObjectId «key»
                name: String «index»
                nick: String?
                dogs: List~Dog~
                home: Address?
                scores: Map~String, Double?~
              }
              class Dog {
                mother: Dog?
                owners: LinkingObjects~Person~
                vet: Vet?
              }
              class Address {
                <<embedded>>
                street: String
              }
              Person --> "*" Dog : dogs
              Person *--> "0..1" Address : home
              Dog --> "0..1" Dog : mother

            """)
    }

    func testGraphvizNamesRowsAndClasses() {
        let text = pets.drawn(as: .dot)
        XCTAssertTrue(text.hasPrefix("digraph schema {\n"))
        XCTAssertTrue(text.hasSuffix("}\n"))
        XCTAssertTrue(text.contains("List&lt;Dog&gt;"))
        XCTAssertTrue(text.contains("c0:r3:e -> c1:l1:w [arrowhead=crow];"), text)
        XCTAssertTrue(
            text.contains("c0:r4:e -> c2:h:w [arrowhead=normal, dir=both, arrowtail=diamond];"), text)
        XCTAssertTrue(text.contains("c1:r0:e -> c1:h:w [arrowhead=normal];"), text)
        XCTAssertFalse(text.contains("c3"), "a class that is not there is drawn")
    }

    private final class Words: NSObject, XMLParserDelegate {
        var texts: [String] = []
        var names: [String: Int] = [:]
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            names[name, default: 0] += 1
            text = ""
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            if name == "text" || name == "title" { texts.append(text) }
            text = ""
        }
    }

    private func words(_ outline: SchemaOutline) throws -> Words {
        let parser = XMLParser(data: Data(outline.drawn(as: .svg).utf8))
        let words = Words()
        parser.delegate = words
        XCTAssertTrue(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "no XML")")
        return words
    }

    func testTheSVGHasAllClassesPropertiesAndLinks() throws {
        let words = try words(pets)
        for some in pets.classes {
            XCTAssertTrue(words.texts.contains(some.name))
            for property in some.properties {
                XCTAssertTrue(words.texts.contains(property.name))
                XCTAssertTrue(words.texts.contains(property.declaredType))
            }
        }
        for link in ["Person.dogs → Dog", "Person.home → Address", "Dog.mother → Dog"] {
            XCTAssertTrue(words.texts.contains(link), link)
        }
        XCTAssertTrue(words.texts.contains("owns"))
        XCTAssertTrue(words.texts.contains("primary key"))
    }

    func testNamesThatMeanSomethingToTheFormats() throws {
        let strange = "A<b>&\"c\"; {d} [e]\n\u{1}名"
        let outline = SchemaOutline([
            .init(strange, [.init("p&<\"", type: "T<\"&>"), .init("to", type: strange, target: strange)])
        ])
        XCTAssertTrue(try words(outline).texts.contains("p&<\""))
        let object =
            try JSONSerialization.jsonObject(with: Data(outline.drawn(as: .json).utf8)) as? [String: Any]
        let classes = try XCTUnwrap(object?["classes"] as? [[String: Any]])
        XCTAssertEqual(classes[0]["name"] as? String, strange)
        let mermaid = outline.drawn(as: .mermaid)
        XCTAssertTrue(mermaid.contains("class class0[\"A_b_&_c__ _d_ _e___名\"] {"), mermaid)
        XCTAssertFalse(mermaid.contains("{d}"))
        XCTAssertTrue(outline.drawn(as: .dot).contains("A&lt;b&gt;&amp;&quot;c&quot;; {d} [e]名"))
    }

    func testLongNamesAreCutAndStandInFull() throws {
        let long = String(repeating: "long", count: 30)
        let texts = try words(SchemaOutline([.init("A", [.init(long, type: "Int")])])).texts
        XCTAssertTrue(texts.contains(long))
        XCTAssertTrue(texts.contains { $0.hasSuffix("…") && $0.count < 50 })
    }

    func testNothingAndOneClassWithoutProperties() throws {
        for outline in [SchemaOutline([]), SchemaOutline([.init("A", [])])] {
            for format in SchemaFormat.allCases {
                XCTAssertTrue(outline.drawn(as: format).hasSuffix("\n"), format.rawValue)
            }
            XCTAssertEqual(try words(outline).names["svg"], 1)
        }
        XCTAssertEqual(SchemaOutline([]).drawn(as: .json), "{\"classes\":[]}\n")
    }

    func testTheSameOutlineIsDrawnTheSame() {
        for format in SchemaFormat.allCases {
            XCTAssertEqual(pets.drawn(as: format), pets.drawn(as: format))
        }
    }
}
