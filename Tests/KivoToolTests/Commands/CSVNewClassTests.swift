import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// Types of columns that are given, and new classes in files that exist.
final class CSVNewClassTests: ToolTestCase {
    private var csv: URL { folder.appendingPathComponent("rows.csv") }
    private var new: URL { folder.appendingPathComponent("new.kivo") }

    private func load(_ text: String, _ words: String..., to url: URL? = nil) throws -> Answer {
        try Data(text.utf8).write(to: csv)
        return run(["import", csv.path, (url ?? new).path, "--class", "Order"] + words)
    }

    private func values(_ url: URL? = nil) -> [[String: Any]] {
        run(["dump", (url ?? new).path, "--class", "Order"], isJSON: true).objects.compactMap {
            $0["values"] as? [String: Any]
        }
    }

    func testTypesOfColumns() throws {
        let text = "Order No,phone,sum,note,day,code\n1,49,2,,2024-12-31,ff00\n2,0151,3.5,x,2025-01-01,\"\"\n"
        let words = [
            "--type", "Order No=string", "--type=phone=String?", "--type", "sum=Decimal128", "--type",
            "code=Data",
        ]
        try Data(text.utf8).write(to: csv)
        let dry = run(["import", csv.path, new.path, "--class", "Order", "--dry-run"] + words)
        XCTAssertEqual(dry.code, .success, dry.errors)
        for line in [
            "orderNo  String      column 'Order No'", "phone    String?     column 'phone'",
            "sum      Decimal128  column 'sum'", "note     String?     column 'note'",
            "day      Date        column 'day'", "code     Data        column 'code'",
        ] {
            XCTAssertTrue(dry.output.contains("  \(line)\n"), "\(line): \(dry.output)")
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: new.path))
        let answer = run(["import", csv.path, new.path, "--class", "Order", "--key", "orderNo"] + words)
        XCTAssertEqual(answer.code, .success, answer.errors)
        XCTAssertEqual(values().map { $0["orderNo"] as? String }, ["1", "2"])
        XCTAssertEqual(values().map { $0["phone"] as? String }, ["49", "0151"])
        XCTAssertEqual(
            run("dump", new.path, "--fields", "sum", "--format", "csv").output,
            "class,key,sum\nOrder,1,2\nOrder,2,3.5\n")
        XCTAssertEqual(run("verify", new.path).code, .success)
    }

    func testValuesThatDoNotFitTheirType() throws {
        let text = "a,b\n1,2\nx,300\n,4\n"
        let dry = try load(text, "--dry-run", "--type", "a=Int", "--type", "b=Int8")
        XCTAssertEqual(dry.code, .problem)
        XCTAssertTrue(dry.output.contains("a  Int?  column 'a'\n  b  Int8  column 'b'"), dry.output)
        XCTAssertTrue(
            dry.output.contains("line 3, column 'a': property 'Order.a' of type Int cannot hold 'x'"),
            dry.output)
        let wrong = try load("a\n300\n", "--type", "a=Int8")
        XCTAssertEqual(wrong.code, .problem)
        XCTAssertTrue(wrong.errors.contains("line 2, column 'a'"), wrong.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: new.path))
        for (type, message) in [
            ("a", "'a' is no type of a column: 'COLUMN=TYPE'"), ("=Int", "no type of a column"),
            ("c=Int", "there is no column 'c'"),
            ("a=Number", "'Number' is no type of a column, which is one of Bool,"),
            ("a=AnyRealmValue", "is no type of a column"), ("a=", "'' is no type of a column"),
        ] {
            let answer = try load(text, "--type", type)
            XCTAssertEqual(answer.code, .usage, type)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
        let twice = try load(text, "--type", "a=Int", "--type", "a=Int")
        XCTAssertTrue(twice.errors.contains("column 'a' has two types"), twice.errors)
        let key = try load("a\n1\n", "--type", "a=Double", "--key", "a")
        XCTAssertTrue(key.errors.contains("Double cannot be the primary key"), key.errors)
    }

    func testANewClassInAFileThatExists() throws {
        try makePets()
        let before = try Data(contentsOf: file)
        let text = "id,name,age\na,Mia,3\nb,Bo,\n"
        let unknown = try load(text, to: file)
        XCTAssertEqual(unknown.code, .problem)
        XCTAssertTrue(unknown.errors.contains("has no class 'Order'; --new-class makes it"), unknown.errors)
        let dry = try load(text, "--new-class", "--key", "id", "--dry-run", to: file)
        XCTAssertEqual(dry.code, .success, dry.errors)
        XCTAssertTrue(dry.output.contains("2 rows would add 2 objects of class 'Order'"), dry.output)
        XCTAssertTrue(dry.output.contains("id    String, primary key  column 'id'"), dry.output)
        XCTAssertTrue(dry.output.contains("\"Bo\""), dry.output)
        XCTAssertEqual(try Data(contentsOf: file), before)
        let wrong = try load("id,name\na,1\na,2\n", "--new-class", "--key", "id", to: file)
        XCTAssertTrue(wrong.errors.contains("a row before has the primary key"), wrong.errors)
        XCTAssertFalse(run("info", file.path, "--json").output.contains("Order"))
        let answer = try load(text, "--new-class", "--key", "id", to: file)
        XCTAssertEqual(answer.output, "added 2 objects of class 'Order', and changed 0\n", answer.errors)
        XCTAssertEqual(values(file).map { $0["name"] as? String }, ["Mia", "Bo"])
        XCTAssertEqual(run("verify", file.path).code, .success)
        let again = try load(text, "--new-class", to: file)
        XCTAssertTrue(again.errors.contains("has a class 'Order' already"), again.errors)
        XCTAssertEqual(
            try load("id,age\na,4\nc,5\n", to: file).output,
            "added 1 object of class 'Order', and changed 1\n")
        let type = try load("id,age\na,4\n", "--type", "age=Double", to: file)
        XCTAssertEqual(type.code, .usage)
        XCTAssertTrue(
            type.errors.contains("'--type age=Double': the properties of class 'Order' have types already"),
            type.errors)
        // A program that declares the class uses it, and the objects of others are as before.
        let configuration = Realm.Configuration(
            fileURL: file, objectTypes: Self.classes + [CSVOrder.self])
        let realm = try Realm(configuration: configuration)
        XCTAssertEqual(realm.object(ofType: CSVOrder.self, forPrimaryKey: "a")?.age, 4)
        XCTAssertEqual(realm.objects(ToolDog.self).count, 2)
    }

    /// A program that has the file open is notified of the new class by the commit.
    func testANewClassWhileAProgramHasTheFileOpen() throws {
        try makePets()
        try withRealm { realm in
            let answer = try load("id,name,age\na,Mia,3\n", "--new-class", "--key", "id", to: file)
            XCTAssertEqual(answer.code, .success, answer.errors)
            try realm.write { realm.objects(ToolDog.self)[0].age = 9 }
        }
        XCTAssertEqual(values(file).count, 1)
        XCTAssertEqual(run("verify", file.path).code, .success)
    }

    func testANewClassWithoutRows() throws {
        try makePets()
        for words in [["--new-class"], ["--new-class", "--dry-run"]] {
            try Data("id,name\n".utf8).write(to: csv)
            let answer = run(["import", csv.path, file.path, "--class", "Order"] + words)
            XCTAssertEqual(answer.code, .problem)
            XCTAssertTrue(answer.errors.contains("there is no row"), answer.errors)
        }
    }
}

class CSVOrder: Object {
    override class func _realmObjectName() -> String? { "Order" }
    @Persisted(primaryKey: true) var id: String
    @Persisted var name = ""
    @Persisted var age: Int?
}
