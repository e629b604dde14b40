import Foundation

/// A runner of the toolchain's own parser. It caches the dumps of sources that have not changed.
package struct ParserDump {
    /// The compiler, `swiftc`.
    package var compiler: URL
    /// The folder of cached dumps; nil disables the cache.
    package var cache: URL?

    package init(compiler: URL, cache: URL? = nil) {
        self.compiler = compiler
        self.cache = cache
    }

    /// Returns the compiler at a path. Without a path, returns the compiler of the environment, or nil if there is none.
    package static func compiler(_ path: String?) -> URL? {
        path.map { URL(fileURLWithPath: $0) } ?? installedCompiler()
    }

    /// Returns the compiler of the environment, from `SWIFT_EXEC` or the search path, or nil if there is none.
    package static func installedCompiler() -> URL? {
        let environment = ProcessInfo.processInfo.environment
        var candidates = environment["SWIFT_EXEC"].map { [$0] } ?? []
        candidates += (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { URL(fileURLWithPath: $0) }
    }

    /// The parser's result for a source.
    package enum Answer {
        case tree(DumpNode)
        /// The parser rejected the source, with an error.
        case refused(String)
        /// There is no result: the parser did not start, was terminated, or wrote unreadable output.
        case failed(String)

        package var tree: DumpNode? {
            if case .tree(let node) = self { node } else { nil }
        }
    }

    /// Returns the parser's result for each source.
    ///
    /// Runs as many parsers at a time as there are processors. A parser that fails is run again, alone, because the machine may
    /// have been short of memory or of processes.
    package func dumps(of sources: [SourceText]) -> [Answer] {
        var answers = [Answer](repeating: .failed("the parser was not run"), count: sources.count)
        var missing: [Int] = []
        for (index, source) in sources.enumerated() {
            if let url = cacheURL(source), let kept = try? Data(contentsOf: url),
                let node = try? DumpReader.read(Array(kept))
            {
                answers[index] = .tree(node)
            } else {
                missing.append(index)
            }
        }
        guard !missing.isEmpty else { return answers }
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-parse-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        // The first run includes all branches of `#if`. Sources that the parser rejects in that form are parsed without any
        // branch.
        run(missing, sources, scratch, isBlanked: true, &answers)
        let withBlocks = missing.filter {
            if case .refused = answers[$0] { !ConditionalBlocks(sources[$0]).isEmpty } else { false }
        }
        run(withBlocks, sources, scratch, isBlanked: false, &answers)
        return answers
    }

    /// Runs the parser on some of the sources.
    private func run(
        _ indices: [Int], _ sources: [SourceText], _ scratch: URL, isBlanked: Bool, _ answers: inout [Answer]
    ) {
        func run(_ batch: some Collection<Int>) {
            let runs = batch.map { index in
                let input = scratch.appendingPathComponent("\(index).swift")
                let output = scratch.appendingPathComponent("\(index).json")
                let source = sources[index]
                let bytes = isBlanked ? ConditionalBlocks(source).blanked(source.bytes) : source.bytes
                let process = Result {
                    try Data(bytes).write(to: input)
                    return try launch(input, output: output, errors: errors(beside: output))
                }
                return (index: index, process: process, output: output)
            }
            for run in runs {
                answers[run.index] = answer(of: run.process, output: run.output, to: sources[run.index])
            }
        }
        let width = max(1, ProcessInfo.processInfo.activeProcessorCount)
        for start in stride(from: 0, to: indices.count, by: width) {
            run(indices[start..<min(start + width, indices.count)])
        }
        for index in indices {
            if case .failed = answers[index] { run(CollectionOfOne(index)) }
        }
    }

    /// Waits for a parser, and caches the tree that it wrote.
    private func answer(of run: Result<Process, any Error>, output: URL, to source: SourceText) -> Answer {
        do {
            let process = try run.get()
            process.waitUntilExit()
            guard process.terminationReason == .exit else {
                return .failed("the parser ended by signal \(process.terminationStatus)")
            }
            guard process.terminationStatus == 0 else {
                return .refused(firstError(beside: output))
            }
            let data = try Data(contentsOf: output)
            let node = try DumpReader.read(Array(data))
            if let url = cacheURL(source) {
                try? FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try? data.write(to: url, options: .atomic)
            }
            return .tree(node)
        } catch {
            return .failed("the parser could not be run, or not be understood: \(error)")
        }
    }

    /// Returns the file next to a dump that receives the parser's errors.
    private func errors(beside output: URL) -> URL { output.appendingPathExtension("errors") }

    private func firstError(beside output: URL) -> String {
        let text = (try? String(contentsOf: errors(beside: output), encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            if let word = line.range(of: "error: ") { return String(line[word.upperBound...]) }
        }
        return "it does not say why"
    }

    private func launch(_ input: URL, output: URL, errors: URL) throws -> Process {
        func created(_ url: URL) throws -> FileHandle {
            try Data().write(to: url)
            return try FileHandle(forWritingTo: url)
        }
        let process = Process()
        process.executableURL = compiler
        process.arguments = [
            "-frontend", "-dump-parse", "-dump-ast-format", "json", "-swift-version", "6", input.path,
        ]
        process.standardOutput = try created(output)
        process.standardError = try created(errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Removes the cached dumps of all other sources.
    package func forgetOthers(than sources: [SourceText]) {
        guard let directory = cache?.appendingPathComponent("dumps") else { return }
        let kept = Set(sources.compactMap { cacheURL($0)?.lastPathComponent })
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        where !kept.contains(name) {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
        }
    }

    /// Returns the cache file of a source, whose name depends on its content and on the compiler.
    private func cacheURL(_ source: SourceText) -> URL? {
        guard let cache else { return nil }
        var hash: (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142)
        func add(_ byte: UInt8) {
            hash.0 = (hash.0 ^ UInt64(byte)) &* 0x100_0000_01b3
            hash.1 = (hash.1 ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15 ^ (hash.1 >> 29)
        }
        for byte in compiler.path.utf8 { add(byte) }
        add(0)
        source.bytes.withUnsafeBufferPointer { for byte in $0 { add(byte) } }
        let name = String(hash.0, radix: 36) + String(hash.1, radix: 36)
        return cache.appendingPathComponent("dumps").appendingPathComponent("\(name).json")
    }
}
