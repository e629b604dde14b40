import Foundation
import Kivo
import KivoJournal

extension Command {
    static let reindex = Command(
        name: "reindex", summary: "Give a file new indexes.",
        discussion: """
            For a file in which 'verify --indexes' finds objects that their indexes miss. The objects stay,
            'log' begins again, and the file is as small as 'compact' makes it. It must not be open, and is
            there in its old or its new form, whatever happens meanwhile.
            Exit code 1 if the file is damaged, or if two objects have one primary key.
            """,
        arguments: [.file], options: [.json, .text], changesFile: true
    ) { arguments, output in
        let path = arguments.words[0]
        let unfinished =
            String(decoding: FileSystem.canonicalPath(path), as: UTF8.self) + JournalCopy.unfinishedSuffix
        TemporaryFiles.add(unfinished) {}
        defer { TemporaryFiles.remove(unfinished) {} }
        try output.progress("reindexing") {
            try StoredFile.reporting(path) { try Realm.reindex(fileURL: URL(fileURLWithPath: path)) }
        }
        var findings = try Findings(path, output)
        findings.countObjects()
        findings.verifyIndexes()
        if output.isJSON { output.write(JSONText.line(findings.write)) } else { output.write(findings.text) }
        return findings.isIntact ? .success : .problem
    }
}
