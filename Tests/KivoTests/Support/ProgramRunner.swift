import Foundation

/// Builds and runs programs that import the modules of this build.
final class ProgramRunner {
    /// The folder with the modules and object files that the tests were built with; nil if they are not where the package
    /// manager puts them.
    static let products: URL? = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let (module, objects) = ("Modules/Kivo.swiftmodule", "Kivo.build")
            let isThere = [module, objects].allSatisfy {
                FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
            }
            if isThere { return folder }
        }
        return nil
    }()

    static var isAvailable: Bool { products != nil }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-program-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a program to its end: a source, with others that are part of it.
    func run(
        _ source: String, with others: [URL] = [], flags: [String] = []
    ) throws -> (status: Int32, output: String) {
        guard let products = Self.products else {
            throw Failure(description: "There is nothing to link with.")
        }
        let (file, program) = (
            folder.appendingPathComponent("Program.swift"), folder.appendingPathComponent("program")
        )
        try Data(source.utf8).write(to: file)
        let objects = try ["Kivo", "KivoEngine", "KivoJournal", "KivoLog", "KivoObserving"].flatMap {
            module in
            try self.objects(of: products.appendingPathComponent("\(module).build"))
        }
        let built = try launch(
            [compiler, "-parse-as-library", "-swift-version", "6", "-o", program.path, file.path]
                + others.map(\.path) + flags + ["-I", products.appendingPathComponent("Modules").path]
                + sanitizer + objects.map(\.path))
        guard built.status == 0 else { throw Failure(description: built.output) }
        return try launch([program.path])
    }

    /// The object files of a module, from the map that the build keeps: those of sources that were renamed or removed since
    /// stay in the folder.
    func objects(of build: URL) throws -> [URL] {
        let map = try JSONDecoder().decode(
            [String: Outputs].self,
            from: Data(contentsOf: build.appendingPathComponent("output-file-map.json")))
        return map.values.compactMap { $0.object.map { URL(fileURLWithPath: $0) } }
    }

    /// The files that the build makes from a source.
    private struct Outputs: Decodable {
        var object: String?
    }

    /// The option without which object files of a build for a sanitizer do not link.
    var sanitizer: [String] {
        for (name, symbol) in [("address", "__asan_init"), ("thread", "__tsan_init")]
        where dlsym(dlopen(nil, RTLD_NOW), symbol) != nil { return ["-sanitize=\(name)"] }
        return []
    }

    /// The compiler of the environment.
    var compiler: String { ProcessInfo.processInfo.environment["SWIFT_EXEC"] ?? "swiftc" }

    /// Runs a command to its end.
    func launch(
        _ arguments: [String], environment: [String: String]? = nil
    ) throws -> (status: Int32, output: String) {
        let log = folder.appendingPathComponent("output.log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        try output.close()
        return (process.terminationStatus, try String(contentsOf: log, encoding: .utf8))
    }
}
