import Foundation
import Kivo

extension Command {
    static let compact = Command(
        name: "compact", summary: "Make a file small again.",
        discussion: """
            What later commits replaced is left out; 'log' has one commit afterwards. The file must not
            be open. It is there in its old or its new form, whatever happens meanwhile.
            """,
        arguments: [.file],
        options: [Option("--dry-run", nil, "Only say how many bytes it would have."), .json, .text]
    ) { given, output in
        let isDry = given.has("--dry-run")
        output.progress("compacting")
        let (total, used, isDone) = try FileCompaction.run(URL(fileURLWithPath: given.words[0])) {
            total, used in
            !isDry && used < total
        }
        if output.isJSON {
            output.write(
                JSONText.line { json in
                    json.member("file", given.words[0])
                    json.member("bytesBefore", total)
                    json.member("bytesAfter", isDone || isDry ? used : total)
                    json.member("isDone", isDone)
                })
        } else if isDone {
            output.write("\(total) bytes before, \(used) now\n")
        } else {
            output.write(
                isDry ? "\(total) bytes, would have \(used)\n" : "\(total) bytes, as small as it can be\n")
        }
        return .success
    }
}
