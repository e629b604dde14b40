import Foundation
import Testing

/// Runs programs that are compiled together with the publishers and a double of Combine.
enum CombineProgram {
    static func run(_ source: String) throws -> (status: Int32, output: String) {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let sources = try ["Kivo", "KivoObserving"].flatMap { module in
            try FileManager.default.contentsOfDirectory(
                at: PackageFolder.url.appendingPathComponent("Sources/\(module)/Combine"),
                includingPropertiesForKeys: nil
            ).filter { $0.pathExtension == "swift" }
        }
        #expect(sources.count >= 6)
        return try ProgramRunner().run(
            source, with: sources + [tests.appendingPathComponent("CombineDouble.swift")],
            flags: ["-D", "KIVO_COMBINE_DOUBLE"])
    }
}
