import Foundation
import KivoEngine

extension Command {
    static let count = Command(
        name: "count", summary: "Count objects.",
        arguments: [.file], options: [.json, .text]
    ) { arguments, output in
        let file = try StoredFile.read(arguments.words[0])
        for some in file.classes { output.write("\(some.name) \(file.values.snapshot.table(some.table).count)\n") }
        return .success
    }
}
