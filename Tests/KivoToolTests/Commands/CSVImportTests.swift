import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Imports of CSV into new files and into classes that exist.
final class CSVImportTests: ToolTestCase {
    private var csv: URL { folder.appendingPathComponent("rows.csv") }
    private var new: URL { folder.appendingPathComponent("new.kivo") }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: csv) }

    @discardableResult
    private func load(
        _ text: String, _ words: String..., to url: URL? = nil, as name: String = "Order",
        isJSON: Bool = false
    ) throws -> Answer {
        try write(text)
        return run(["import", csv.path, (url ?? new).path, "--class", name] + words, isJSON: isJSON)
    }

    private func schema(_ url: URL? = nil, _ name: String = "Order") -> String {
        let classes = run("schema", (url ?? new).path, "--format", "text").output
        return classes.components(separatedBy: "\n\n").first { $0.hasPrefix(name) } ?? classes
    }

    /// The objects of a class as CSV, without the class and the key.
    private func dump(_ url: URL? = nil, _ words: String..., of name: String = "Order") -> [String] {
        run(["dump", (url ?? new).path, "--format", "csv", "--class", name] + words).output
            .split(separator: "\n").map {
                $0.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).joined()
            }
    }

    private func removeNew() throws {
        for path in [new.path, new.path + ".lock"] { try? FileManager.default.removeItem(atPath: path) }
    }

    // MARK: New files

    func testANewFile() throws {
        let answer = try load(
            #"""
            Order No,customer,Total (EUR),paid,placed on,ref,Notiz
            1,"Mia, ""the first""",12.5,true,2024-12-31,6ba7b810-9dad-11d1-80b4-00c04fd430c8,
            2,Bo,3,false,2025-01-01T10:00:00Z,6ba7b810-9dad-11d1-80b4-00c04fd430c9,"two
            lines"

            """#, "--key", "orderNo")
        XCTAssertEqual(answer.output, "2 objects of class 'Order' in '\(new.path)'\n", answer.errors)
        XCTAssertEqual(run("verify", new.path).code, .success)
        let schema = run("schema", new.path, "--json").output
        for (name, type) in [
            ("orderNo", "Int"), ("customer", "String"), ("totalEUR", "Double"), ("paid", "Bool"),
            ("placedOn", "Date"), ("ref", "UUID"), ("Notiz", "String?"),
        ] {
            XCTAssertTrue(self.schema().contains(name), name)
            XCTAssertTrue(self.schema().contains(type), "\(type): \(self.schema())")
        }
        XCTAssertTrue(schema.contains("\"primaryKey\":\"orderNo\""), schema)
        XCTAssertEqual(
            dump(nil, "--fields", "orderNo,customer,totalEUR,paid,placedOn,Notiz"),
            [
                "orderNo,customer,totalEUR,paid,placedOn,Notiz",
                "1,\"Mia, \"\"the first\"\"\",12.5,true,2024-12-31T00:00:00Z,",
                "2,Bo,3.0,false,2025-01-01T10:00:00Z,\"two", "",
            ])
        XCTAssertEqual(
            run("dump", new.path, "--class", "Order", "--where", "orderNo == 2", "--count", "--json").objects
                .first?["values"] as? [String: Int], ["count": 1])
    }

    func testManyTransactionsMakeWhatOneMakes() throws {
        let rows = (1...500).map { "\($0 % 7 == 0 ? "" : "\($0)"),text \($0),\"\($0)\n\"" }
        try write("a,b,c\r\n" + rows.joined(separator: "\r\n"))
        for batch in [(7, 1 << 20), (1 << 20, 100), (1 << 20, 1 << 20)] {
            var rows = try CSVImport(csv.path, CSVImport.Arguments(className: "Order"))
            (rows.batchRows, rows.batchBytes) = batch
            try rows.write(intoNewFile: new.path)
            XCTAssertEqual(rows.inserted, 500)
            XCTAssertEqual(
                run("dump", new.path, "--json", "--class", "Order", "--where", "a == nil", "--count").objects
                    .first?["values"] as? [String: Int], ["count": 71])
            XCTAssertEqual(run("verify", new.path).code, .success)
            try removeNew()
        }
    }

    func testMappedColumns() throws {
        let answer = try load(
            "a=b,c,d e,x\n1,2,3,4\n", "--map", "a=b=first", "--map", "c=", "--map", "x=d")
        XCTAssertEqual(answer.code, .success, answer.errors)
        XCTAssertEqual(dump(), ["d,dE,first", "4,3,1"])
        try removeNew()
        for (map, message) in [
            ("c", "no mapping"), ("=x", "no mapping"), ("y=x", "no column 'y'"), ("c=a.b", "'a.b' cannot be"),
            ("c=1", "'1' cannot be"), ("dd=x", "no column 'dd'"),
        ] {
            let answer = try load("c,d\n1,2\n", "--map", map)
            XCTAssertEqual(answer.code, .usage, map)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
        XCTAssertEqual(try load("c,d\n1,2\n", "--map", "c=x", "--map", "c=y").code, .usage)
        for clash in ["a b,aB\n1,2\n", "a,a\n1,2\n", "a,b\n1,2\n"] {
            let answer = try load(clash, "--map", clash.hasPrefix("a,b") ? "b=a" : "zz=")
            XCTAssertNotEqual(answer.code, .success, clash)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: new.path))
    }

    func testWhatANewFileCannotBe() throws {
        let wrong: [(csv: String, words: [String], message: String, code: ExitCode)] = [
            ("", [], "line 1: there is no row", .problem),
            ("a,a\n", [], "two columns have the name 'a'", .problem),
            ("a,,b\n", [], "line 1: column 2 has no name", .problem),
            ("a,b\n1\n", [], "line 2: there are 1 fields for 2 columns", .problem),
            ("a,b\n1,2\n\n\"3\n\",4,5\n", [], "line 4: there are 3 fields for 2 columns", .problem),
            ("a,b\n1,\"2\n", [], "line 2: field 2 begins with a quotation mark", .problem),
            ("a,b\n1,2\"\n", [], "line 2: field 2 has a quotation mark", .problem),
            ("a,b\n1,\"2\"x\n", [], "line 2: field 2 goes on", .problem),
            ("%,b\n1,2\n", [], "column '%'", .problem),
            ("a\n1\n", ["--key", "b"], "primary key 'b'", .usage),
            ("a\n1.5\n", ["--key", "a"], "Double cannot be the primary key", .problem),
            (
                "a,b\n1,2\n2,3\n1,4\n", ["--key", "a"],
                "line 4, column 'a': a row before has the primary key '1'", .problem
            ),
            (
                "a,b\n1,2\n,3\n", ["--key", "a"],
                "line 3, column 'a': property 'Order.a', the primary key, is missing", .problem
            ),
        ]
        for (csv, words, message, code) in wrong {
            try write(csv)
            let answer = run(["import", self.csv.path, new.path, "--class", "Order"] + words)
            XCTAssertEqual(answer.code, code, csv)
            XCTAssertTrue(answer.errors.contains(message), "\(csv): \(answer.errors)")
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                    $0.hasPrefix("new")
                }, [])
        }
        try Data([0x61, 0x0A, 0x31, 0x0A, 0xFF, 0x0A]).write(to: csv)
        let answer = run("import", csv.path, new.path, "--class", "Order")
        XCTAssertTrue(answer.errors.contains("line 3, column 'a': this is not valid UTF-8"), answer.errors)
        XCTAssertEqual(try load("a\n1\n", as: "No class").code, .usage)
        XCTAssertEqual(try load("a\n1\n", as: "").code, .usage)
        XCTAssertEqual(run("import", folder.path + "/none.csv", new.path, "--class", "Order").code, .problem)
    }

    func testOptionsOfCSVNeedAClass() throws {
        try write("a\n1\n")
        for words in [["--dry-run"], ["--map", "a=b"], ["--key", "a"], ["--formulas"], []] {
            let answer = run(["import", csv.path, new.path] + words)
            XCTAssertEqual(answer.code, .usage, "\(words)")
            XCTAssertTrue(answer.errors.contains("'--class'"), answer.errors)
        }
    }

    // MARK: Dry runs

    func testADryRunOfANewFile() throws {
        let text = "id,name,weight\n1,Rex,2.5\n2,,3\n3,Bo\n1,Max,x\n"
        let answer = try load(text, "--dry-run", "--key", "id")
        XCTAssertEqual(answer.code, .problem, answer.errors)
        XCTAssertEqual(
            answer.output,
            """
            4 rows would add 2 objects of class 'Order' to the new file '\(new.path)', and change 0
              id      Int, primary key  column 'id'
              name    String?           column 'name'
              weight  String            column 'weight'

            Order
              key  id  name   weight
              1    1   "Rex"  "2.5"
              2    2   nil    "3"

            line 4: there are 2 fields for 3 columns
            line 5, column 'id': a row before has the primary key '1', too

            """)
        XCTAssertFalse(FileManager.default.fileExists(atPath: new.path))
        let json = try load(text, "--dry-run", "--key", "id", isJSON: true)
        let object = try XCTUnwrap(json.objects.first)
        XCTAssertEqual(object["problems"] as? Int, 2)
        XCTAssertEqual(object["rows"] as? Int, 4)
        XCTAssertEqual(object["isWritten"] as? Bool, false)
        XCTAssertEqual(
            (object["properties"] as? [[String: Any]])?.map { $0["type"] as? String },
            ["Int", "String?", "String"])
        XCTAssertEqual((object["first"] as? [[String: Any]])?.count, 2)
        XCTAssertEqual(try load("a\n1\n", "--dry-run").code, .success)
        XCTAssertEqual(try load("a\n\"1\n", "--dry-run").code, .problem)
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path), ["rows.csv"])
    }

    func testADryRunOfAClassThatExists() throws {
        try makePets()
        let before = try Data(contentsOf: file)
        let answer = try load(
            "key,name,age\n1,Rex,8\n,New,\n99,None,3\n,Old,old\n", "--dry-run", "--map", "key=", to: file,
            as: "ToolDog")
        XCTAssertEqual(answer.code, .problem, answer.errors)
        XCTAssertTrue(answer.output.contains("4 rows would add 2 objects of class 'ToolDog'"), answer.output)
        XCTAssertTrue(answer.output.contains("age   Int     column 'age'"), answer.output)
        XCTAssertTrue(
            answer.output.contains("line 3, column 'age': property 'ToolDog.age' cannot hold nil"),
            answer.output)
        XCTAssertTrue(
            answer.output.contains(
                "line 5, column 'age': property 'ToolDog.age' of type Int cannot hold 'old'"),
            answer.output)
        XCTAssertEqual(try Data(contentsOf: file), before)
    }

    func testManyProblemsAreCounted() throws {
        let answer = try load("a,b\n" + String(repeating: "1\n", count: 100), "--dry-run")
        XCTAssertEqual(answer.output.components(separatedBy: "there are 1 fields").count - 1, 20)
        XCTAssertTrue(answer.output.hasSuffix("and 80 more problems\n"), answer.output)
    }

    // MARK: Classes that exist

    func testRowsAreUpserted() throws {
        try makePets()
        try withRealm { realm in
            try realm.write { realm.create(ToolPerson.self, value: ["id": 2, "name": "Ada"]) }
        }
        let answer = try load("ID,name\n2,Ada L.\n3,Kim\n", "--map", "ID=id", to: file, as: "ToolPerson")
        XCTAssertEqual(answer.output, "added 1 object of class 'ToolPerson', and changed 1\n", answer.errors)
        XCTAssertEqual(
            dump(file, "--fields", "id,name", of: "ToolPerson"), ["id,name", "1,Mia B.", "2,Ada L.", "3,Kim"])
        // What has no column stays.
        XCTAssertTrue(
            run("dump", file.path, "--json").output.contains("\"scores\":[[\"chess\",4],[\"go\",1]]"))
        let twice = try load("id,name\n4,a\n4,b\n", to: file, as: "ToolPerson")
        XCTAssertTrue(
            twice.errors.contains("line 3, column 'id': a row before has the primary key '4'"), twice.errors)
        XCTAssertEqual(dump(file, of: "ToolPerson").count, 4, "all or nothing")
        XCTAssertEqual(run("verify", file.path).code, .success)
        try withRealm { realm in
            XCTAssertEqual(realm.object(ofType: ToolPerson.self, forPrimaryKey: 3)?.name, "Kim")
            XCTAssertEqual(realm.objects(ToolPerson.self).where { $0.name == "Ada L." }.count, 1)
        }
        // The primary key can be called by its column, as for a new file.
        XCTAssertEqual(
            try load("ID,name\n2,Ada\n", "--map", "ID=id", "--key", "ID", to: file, as: "ToolPerson").code,
            .success)
        let json = try load("id\n9\n", to: file, as: "ToolPerson", isJSON: true).objects.first
        XCTAssertEqual(json?["inserted"] as? Int, 1)
        XCTAssertEqual(json?["updated"] as? Int, 0)
    }

    func testObjectsWithoutAPrimaryKeyAreFoundByTheirKey() throws {
        try makePets()
        let answer = try load(
            "class,key,name,age,mother\nToolDog,3,Zoe,9,1\nToolDog,,New,1,\n", to: file, as: "ToolDog")
        XCTAssertEqual(answer.output, "added 1 object of class 'ToolDog', and changed 1\n", answer.errors)
        XCTAssertEqual(
            dump(file, "--fields", "name,age,mother", of: "ToolDog"),
            ["name,age,mother", "Rex,7,", "Zoe,9,1", "New,1,"])
        for (row, message) in [
            ("ToolDog,77,a,1,", "has no object 77"), ("ToolDog,x,a,1,", "'x' is no key"),
            ("ToolCat,3,a,1,", "line 2, column 'class': 'ToolCat' is not 'ToolDog'"),
            ("ToolDog,1,a,1,\nToolDog,1,b,2,", "line 3, column 'key': a row before has the key 1"),
            (
                "ToolDog,1,a,1,77",
                "column 'mother': property 'ToolDog.mother' cannot hold a link to object 77"
            ),
            ("ToolDog,1,a,1,x", "column 'mother': property 'ToolDog.mother' of type link cannot hold 'x'"),
            ("ToolDog,1,,1,", "an empty text is written \"\""),
            ("ToolDog,1,a,9223372036854775808,", "of type Int cannot hold '9223372036854775808'"),
        ] {
            let answer = try load("class,key,name,age,mother\n\(row)\n", to: file, as: "ToolDog")
            XCTAssertEqual(answer.code, .problem, row)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
        XCTAssertEqual(dump(file, of: "ToolDog").count, 4)
    }

    func testWhatAClassCannotTake() throws {
        try makePets()
        try withRealm { realm in try realm.write { realm.create(ToolThing.self, value: ["key": "old"]) } }
        for (text, name, words, message) in [
            (
                "id,nam\n1,a\n", "ToolPerson", [],
                "column 'nam': class 'ToolPerson' has no property 'nam'; did you mean 'name'?"
            ),
            ("name\na\n", "ToolPerson", [], "no column for the primary key"),
            ("id,home\n1,2\n", "ToolPerson", [], "holds embedded objects"),
            ("street\na\n", "ToolAddress", [], "are parts of others"),
            ("a\n1\n", "None", [], "no class 'None'"),
            ("id\n1\n", "ToolPerson", ["--key", "name"], "'name' is not the primary key"),
            ("id,scores\n1,x\n", "ToolPerson", [], "of type dictionary cannot hold 'x'"),
            (
                "key,int8\na,300\n", "ToolThing", [],
                "column 'int8': property 'ToolThing.int8' cannot hold '300'"
            ),
            ("key,any\na,3\n", "ToolThing", [], "CSV does not say of which type it is"),
            ("key,double\na,1e999\n", "ToolThing", [], "cannot hold '1e999'"),
            ("key,date\na,yesterday\n", "ToolThing", [], "of type Date cannot hold 'yesterday'"),
        ] as [(String, String, [String], String)] {
            try write(text)
            let answer = run(["import", csv.path, file.path, "--class", name] + words)
            XCTAssertNotEqual(answer.code, .success, text)
            XCTAssertTrue(answer.errors.contains(message), "\(text): \(answer.errors)")
        }
        XCTAssertEqual(run("dump", file.path, "--json").objects.count, 5)
    }

    /// A program that has the file open receives the rows as one commit.
    func testOneTransaction() throws {
        try makePets()
        let before = run("log", file.path, "--json").objects.count
        XCTAssertEqual(try load("name,age\na,1\nb,2\nc,3\n", to: file, as: "ToolDog").code, .success)
        XCTAssertEqual(run("log", file.path, "--json").objects.count, before + 1)
    }
}
