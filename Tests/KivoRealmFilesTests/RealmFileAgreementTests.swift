import KivoRealmCommands
import KivoRealmFiles
import XCTest

/// The contents that are read from each file of a directory are those that the engine that wrote it reads.
final class RealmFileAgreementTests: XCTestCase {
    func testAllFilesAgree() throws {
        let names = try RealmFileFixtures.names()
        var agreeing = 0
        for name in names {
            let difference: String?
            do {
                difference = try RealmFileAgreementTests.difference(name)
            } catch {
                difference = "\(error)"
            }
            if let difference {
                print("\(name): \(difference)")
                XCTFail("\(name): \(difference)")
            } else {
                agreeing += 1
            }
        }
        XCTAssertFalse(names.isEmpty, "there are no files in \(RealmFileFixtures.directory.path)")
        print("realm-files: \(agreeing) of \(names.count) files agree")
    }

    private static func difference(_ name: String) throws -> String? {
        let expectedBytes = try RealmFileFixtures.expected(name)
        // Most dumps are equal to the byte, which needs no further comparison.
        let found: [UInt8]
        let version: Int
        do throws(any Error) {
            let file = try RealmFile(url: RealmFileFixtures.url(name))
            version = file.formatVersion
            found = try file.dump(name: name)
            if found == expectedBytes { return nil }
        } catch let error as RealmFileError {
            guard let reason = try JSON(expectedBytes)["expectError"]?.string else {
                return "refused: \(error)"
            }
            return reason == error.reasonName
                ? nil : "refused as \(error.reasonName) instead of \(reason): \(error)"
        }
        let expected = try JSON(expectedBytes)
        if let reason = expected["expectError"]?.string { return "read, but to be refused as \(reason)" }
        return JSON.difference(comparable(try JSON(found), version), comparable(expected, version))
    }

    /// A dump without what need not agree: texts of numbers whose bits are there, remarks, and for files of earlier formats,
    /// what the engine changes when it upgrades them, as it did to read them.
    private static func comparable(_ dump: JSON, _ version: Int) -> JSON {
        guard case .object(var file) = dump else { return dump }
        file["note"] = nil
        file["groundTruth"] = nil
        file["tables"] = .array((file["tables"]?.elements ?? []).map { comparableTable($0, version) })
        return .object(file)
    }

    private static func comparableTable(_ json: JSON, _ version: Int) -> JSON {
        guard case .object(var table) = json else { return json }
        var sets: [String] = []
        table["properties"] = .array(
            (table["properties"]?.elements ?? []).map { json in
                guard case .object(var property) = json else { return json }
                if version < 24 { property["columnKey"] = nil }
                if version < 22, property["name"] == table["primaryKey"] { property["indexed"] = nil }
                if version < 24, property["collection"]?.string == "set", let type = property["type"]?.string,
                    ["string", "data", "mixed"].contains(type), let name = property["name"]?.string
                {
                    sets.append(name)
                }
                return .object(property)
            })
        if version == 22, table["isAsymmetric"] == .bool(true) { table["objects"] = nil }
        table["objects"] = table["objects"].map { objects in
            .array(
                objects.elements.map { json in
                    guard case .object(var object) = withoutTexts(json) else { return json }
                    if !sets.isEmpty, case .object(var values)? = object["values"] {
                        for name in sets {
                            values[name] = values[name].map {
                                .array($0.elements.sorted { $0.text < $1.text })
                            }
                        }
                        object["values"] = .object(values)
                    }
                    object["backlinks"] = object["backlinks"].map { links in
                        .array(links.elements.sorted { $0.text < $1.text })
                    }
                    return .object(object)
                })
        }
        return .object(table)
    }

    /// Without the texts of floating-point and decimal numbers.
    private static func withoutTexts(_ json: JSON) -> JSON {
        switch json {
        case .array(let elements): return .array(elements.map(withoutTexts))
        case .object(var members):
            if members["bits"] != nil || members["hi"] != nil { members["repr"] = nil }
            return .object(members.mapValues(withoutTexts))
        default: return json
        }
    }
}
