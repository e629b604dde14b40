import Foundation
import Kivo
import KivoJournal

extension Command {
    static let compact = Command(
        name: "compact", summary: "Make a file small again.",
        discussion: """
            What later commits replaced is left out, and 'log' begins anew. The file must not be open.
            It is there in its old or its new form, whatever happens meanwhile.
            """,
        arguments: [.file],
        options: [Option("--dry-run", nil, "Only say how many bytes are live."), .json, .text],
        changesFile: true
    ) { arguments, output in
        let isDry = arguments.has("--dry-run")
        let url = URL(fileURLWithPath: arguments.words[0])
        let temporary =
            String(decoding: FileSystem.canonicalPath(url.path), as: UTF8.self) + FileDevice.replacementSuffix
        if !isDry { TemporaryFiles.add(temporary) {} }
        defer { TemporaryFiles.remove(temporary) {} }
        let (before, after): (Int, Int) = try output.progress(isDry ? "measuring" : "compacting") {
            if isDry { return try FileCompaction.measure(url) }
            return try FileCompaction.run(url)
        }
        if output.isJSON {
            output.write(
                JSONText.line { json in
                    json.member("file", arguments.words[0])
                    json.member("bytesBefore", before)
                    json.member(isDry ? "usedBytes" : "bytesAfter", after)
                })
        } else {
            output.write("\(before) bytes\(isDry ? ", \(after) of them live" : " before, \(after) now")\n")
        }
        return .success
    }
}
