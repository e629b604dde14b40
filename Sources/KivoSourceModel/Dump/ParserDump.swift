import Foundation

/// Runs the toolchain's own parser over sources, and keeps what it said of sources that have not changed since.
package struct ParserDump {
    /// The compiler, `swiftc`.
    package var compiler: URL
    /// Where dumps are kept between runs; nil keeps none.
    package var cache: URL?

    package init(compiler: URL, cache: URL? = nil) {
        self.compiler = compiler
        self.cache = cache
    }

    /// The compiler at a path, or that of the environment if none is given; nil if there is none.
    package static func compiler(_ path: String?) -> URL? {
        path.map { URL(fileURLWithPath: $0) } ?? installedCompiler()
    }

    /// The compiler of the environment: what `SWIFT_EXEC` or the search path names; nil if there is none.
    package static func installedCompiler() -> URL? {
        let environment = ProcessInfo.processInfo.environment
        var candidates = environment["SWIFT_EXEC"].map { [$0] } ?? []
        candidates += (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { URL(fileURLWithPath: $0) }
    }

    /// What the parser says of each source; nil for one that it refuses, or of which nothing readable came.
    ///
    /// Runs as many parsers at a time as there are processors.
    package func dumps(of sources: [SourceText]) -> [DumpNode?] {
        var dumps = [DumpNode?](repeating: nil, count: sources.count)
        var missing: [Int] = []
        for (index, source) in sources.enumerated() {
            if let url = cacheURL(source), let kept = try? Data(contentsOf: url),
                let node = try? DumpReader.read(Array(kept))
            {
                dumps[index] = node
            } else {
                missing.append(index)
            }
        }
        guard !missing.isEmpty else { return dumps }
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-parse-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        // With all branches of `#if` first; what cannot be parsed so, without any.
        let refused = run(missing, sources, scratch, isBlanked: true, &dumps)
        let withBlocks = refused.filter { !ConditionalBlocks(sources[$0]).isEmpty }
        if !withBlocks.isEmpty { _ = run(withBlocks, sources, scratch, isBlanked: false, &dumps) }
        return dumps
    }

    /// Runs the parser over some of the sources. Returns those that it refused.
    private func run(
        _ indices: [Int], _ sources: [SourceText], _ scratch: URL, isBlanked: Bool, _ dumps: inout [DumpNode?]
    ) -> [Int] {
        var refused: [Int] = []
        let width = max(1, ProcessInfo.processInfo.activeProcessorCount)
        for start in stride(from: 0, to: indices.count, by: width) {
            let batch = indices[start..<min(start + width, indices.count)]
            let runs = batch.map { index -> (index: Int, process: Process?, output: URL) in
                let output = scratch.appendingPathComponent("\(index).json")
                let input = scratch.appendingPathComponent("\(index).swift")
                let source = sources[index]
                let bytes = isBlanked ? ConditionalBlocks(source).blanked(source.bytes) : source.bytes
                guard (try? Data(bytes).write(to: input)) != nil else { return (index, nil, output) }
                return (index, try? launch(input, output), output)
            }
            for run in runs {
                run.process?.waitUntilExit()
                guard let process = run.process, process.terminationStatus == 0,
                    let data = try? Data(contentsOf: run.output), let node = try? DumpReader.read(Array(data))
                else {
                    refused.append(run.index)
                    continue
                }
                dumps[run.index] = node
                if let url = cacheURL(sources[run.index]) {
                    try? FileManager.default.createDirectory(
                        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try? data.write(to: url, options: .atomic)
                }
            }
        }
        return refused
    }

    private func launch(_ input: URL, _ output: URL) throws -> Process {
        guard FileManager.default.createFile(atPath: output.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let process = Process()
        process.executableURL = compiler
        process.arguments = [
            "-frontend", "-dump-parse", "-dump-ast-format", "json", "-swift-version", "6", input.path,
        ]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Forgets what is kept of other sources than these.
    package func forgetOthers(than sources: [SourceText]) {
        guard let directory = cache?.appendingPathComponent("dumps") else { return }
        let kept = Set(sources.compactMap { cacheURL($0)?.lastPathComponent })
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        where !kept.contains(name) {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
        }
    }

    /// Where the dump of a source is kept: by its content and by the compiler.
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
