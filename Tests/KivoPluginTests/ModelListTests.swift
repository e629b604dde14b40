import XCTest

@testable import KivoModelsTool
@testable import KivoSourceModel

final class ModelListTests: XCTestCase {
    private func list(_ text: String) throws -> (text: String, notes: [Diagnostic]) {
        let loaded = try Fixture.loader().load([SourceText(path: "Models.swift", text)])
        var list = ModelList(program: loaded.program)
        return (list.text(), list.notes)
    }

    func testClassesAreListedByTheirNames() throws {
        let (text, notes) = try list(
            """
            import Kivo
            class A: Object {}
            enum Space { class B: A {}; struct Inner {} }
            extension Space.Inner { final class C: EmbeddedObject {} }
            class View: Projection<A> {}
            class Other {}
            class Hidden: Object { override class func shouldIncludeInDefaultSchema() -> Bool { false } }
            """)
        XCTAssertEqual(notes, [])
        XCTAssertTrue(
            text.hasSuffix(
                """
                enum KivoModels {
                    /// All of them, embedded ones too.
                    nonisolated static var all: [ObjectBase.Type] {
                        [
                            A.self,
                            Space.B.self,
                            Space.Inner.C.self,
                        ]
                    }
                }

                """), text)
    }

    func testWhatCannotBeNamedIsLeftOutWithANote() throws {
        let (text, notes) = try list(
            """
            import Kivo
            private class A: Object {}
            private enum Space { class B: Object {} }
            class C<T>: Object {}
            func f() { class D: Object {} }
            @available(*, deprecated) class E: Object {}
            fileprivate extension Int { class F: Object {} }
            class G: Object {}
            """)
        XCTAssertEqual(notes.map(\.severity), Array(repeating: .note, count: 6))
        XCTAssertEqual(notes.map(\.location.line), [2, 3, 4, 6, 7, 5].sorted())
        XCTAssertTrue(text.contains("[\n            G.self,\n        ]"), text)
        for name in ["A", "Space.B", "C", "D", "E", "Int.F"] {
            XCTAssertTrue(text.contains("// Not listed: \(name), "), "\(name): \(text)")
        }
    }

    func testConditionsAreKept() throws {
        let (text, _) = try list(
            """
            import RealmSwift
            #if DEBUG
            class A: Object {}
            #elseif os(Linux) && canImport(Foundation)
            class B: Object {}
            #if FAST
            class C: Object {}
            #endif
            #else
            class D: Object {}
            #endif
            @available(macOS 99, iOS 99, *) class E: Object {}
            """)
        XCTAssertTrue(text.contains("import RealmSwift\n"))
        XCTAssertTrue(
            text.contains(
                """
                        var all: [ObjectBase.Type] = []
                        #if DEBUG
                        all.append(A.self)
                        #endif
                        #if !(DEBUG) && (os(Linux) && canImport(Foundation))
                        all.append(B.self)
                        #endif
                        #if !(DEBUG) && (os(Linux) && canImport(Foundation))
                        #if FAST
                        all.append(C.self)
                        #endif
                        #endif
                        #if !(DEBUG) && !(os(Linux) && canImport(Foundation))
                        all.append(D.self)
                        #endif
                        if #available(macOS 99, iOS 99, *) { all.append(E.self) }
                        return all
                """), text)
    }

    func testATargetWithoutModels() throws {
        XCTAssertTrue(try list("import Kivo\nlet a = \"\".filter { _ in true }").text.contains("[]"))
        XCTAssertFalse(try list("let a = 3").text.contains("import Kivo"))
    }
}
