import Foundation
import XCTest

@testable import KivoSourceModel

/// The sources that the tools are tried on.
enum Fixture {
    static func url(_ path: String) -> URL {
        Bundle.module.resourceURL!.appendingPathComponent("Fixtures").appendingPathComponent(path)
    }

    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    static func source(_ path: String) throws -> SourceText { SourceText(path: path, try text(path)) }

    static func loader() throws -> SourceLoader {
        SourceLoader(ParserDump(compiler: try XCTUnwrap(ParserDump.installedCompiler())))
    }
}
