import Foundation

/// The Swift examples of a Markdown page, as programs that can be compiled.
///
/// A fenced `swift` block is a program of its own, unless the comment `<!-- continues -->` stands before it: then it goes
/// on where the block before it ended. A plain block behind the comment `<!-- prints -->` is what the program prints there. The
/// comment `<!-- is not run -->` stands before blocks of programs that do not end by themselves.
struct DocumentedExamples {
    /// One program: what was at the top level of its blocks, with conditions of the compiler, and their statements in a function.
    struct Program {
        /// The page and the line of the first block.
        let name: String
        fileprivate(set) var imports: [String] = []
        fileprivate(set) var declarations: [String] = []
        fileprivate(set) var statements: [String] = []
        /// The lines that it prints, as the page says; nil if the page does not.
        fileprivate(set) var output: [String]?
        /// Whether it is to be run: it has statements, and the page does not say otherwise.
        var runs: Bool { !statements.isEmpty && !isNotRun }
        fileprivate var isNotRun = false

        /// The text of a source file.
        var source: String {
            let body = statements.isEmpty ? [] : ["func example() throws {"] + statements + ["}"]
            return (imports + declarations + body).joined(separator: "\n") + "\n"
        }
    }

    /// The programs, in the order of their first blocks.
    private(set) var programs: [Program] = []
    /// The text of each block.
    private(set) var blocks: [String] = []

    init(page: URL) throws {
        let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
        var index = 0
        while index < lines.count {
            defer { index += 1 }
            let before = lines[..<index].last { !$0.isEmpty }
            let end = lines[index...].dropFirst().firstIndex(of: "```") ?? lines.count
            if lines[index] == "```", before == "<!-- prints -->", !programs.isEmpty {
                programs[programs.count - 1].output = (programs.last?.output ?? []) + lines[index + 1..<end]
                index = end
            }
            guard index < lines.count, lines[index] == "```swift" else { continue }
            if before != "<!-- continues -->" || programs.isEmpty {
                programs.append(Program(name: "\(page.lastPathComponent):\(index + 1)"))
            }
            if before == "<!-- is not run -->" { programs[programs.count - 1].isNotRun = true }
            let block = Array(lines[index + 1..<end])
            blocks.append(block.joined(separator: "\n") + "\n")
            programs[programs.count - 1].append(block)
            index = end
        }
    }
}

extension DocumentedExamples.Program {
    /// Takes the lines of a block apart. What is declared at the left margin ends at the margin too.
    fileprivate mutating func append(_ block: [String]) {
        var isInDeclaration = false
        for line in block {
            if isInDeclaration {
                declarations.append(line)
                isInDeclaration = !line.hasPrefix("}")
            } else if line.hasPrefix("import ") {
                imports.append(line)
            } else if Self.isDeclaration(line) {
                declarations.append(line)
                isInDeclaration = line.hasSuffix("{")
            } else {
                statements.append(line)
            }
        }
    }

    private static func isDeclaration(_ line: String) -> Bool {
        if line.hasPrefix("#") { return true }
        let word = line.split(separator: " ").first {
            !["final", "nonisolated", "public", "open", "private"].contains($0) && !$0.hasPrefix("@")
        }
        return ["class", "struct", "enum", "protocol", "extension", "actor", "func", "typealias"].contains(
            word)
            && !line.hasPrefix(" ")
    }
}
