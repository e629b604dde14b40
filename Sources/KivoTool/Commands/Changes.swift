import Foundation
import Kivo
import KivoEngine
import KivoJournal

extension Command {
    static let changes = Command(
        name: "changes", summary: "What is different since a commit, in all.",
        discussion: """
            The difference between the version after a commit and the newest one, in the form of 'log'. What
            was undone in between is left out. '--since 0' begins with an empty file.
            '--encoded' stores the difference for programs instead, with the values of collections: see
            'ChangeSet(decoding:)'. Embedded objects are parts of their owners there.
            """,
        arguments: [.fileOrLog],
        options: [
            Option("--since", "NUMBER", "The number of the commit in 'log'."),
            Option("--class", "NAME", "Only a class. Can be given several times."),
            Option("--encoded", "OUT", "Write the difference into a file that does not exist yet."), .json,
            .text,
        ]
    ) { arguments, output in
        let since = try arguments.commitNumber("--since")
        let names = arguments.values("--class")
        let file = try StoredFile.read(arguments.words[0])
        // What is compared is read through addresses, which do not retain the file.
        defer { withExtendedLifetime(file) {} }
        let name = arguments.name(of: file.path)
        for some in names { _ = try StoredClass.named(some, in: file.classes, of: name) }
        let difference = try output.progress("reading commits") {
            try VersionDifference(file, since: since, called: name)
        }
        if let target = arguments.value("--encoded") {
            var changes = difference.changeSet
            if !names.isEmpty { changes = changes.restricted(toClasses: names) }
            let data = changes.encoded()
            try DifferenceFile.write(data, to: target)
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("file", target)
                        json.member("bytes", data.count)
                        json.member("objects", changes.count)
                        difference.writeNumbers(to: &json)
                    })
            } else {
                let objects = "\(changes.count) object\(changes.count == 1 ? "" : "s")"
                output.write("\(difference.title): \(objects), \(data.count) bytes in '\(target)'\n")
            }
            return .success
        }
        let changes = difference.commitChanges.of(classes: names)
        if output.isJSON {
            output.write(
                JSONText.line { json in
                    difference.writeNumbers(to: &json)
                    changes.write(to: &json)
                })
        } else {
            let text = changes.classes.isEmpty ? "  no difference\n" : changes.text
            output.write("\(difference.title)\n\(text)")
        }
        return .success
    }
}

/// The difference between the version after a commit of a file and the newest one.
private struct VersionDifference {
    private let history: LogHistory
    private let lineage: UInt64
    /// The numbers of the commits that lead to the two versions.
    let since: UInt64, newest: UInt64

    /// Reads the commits after a number.
    ///
    /// - Parameter name: The name of the file in messages.
    /// - Throws: ``Problem`` if the file does not have the commit any more or yet, or was migrated since.
    init(_ file: StoredFile, since: UInt64, called name: String) throws {
        (self.since, lineage) = (since, file.lineage)
        do {
            history = try StoredFile.reporting(name) {
                let history = try file.history(after: since)
                try history.readOn(upTo: .max) { _ in }
                return history
            }
            newest = history.number
        } catch LogHistory.Failure.removed(let oldest) {
            throw Problem(
                "'\(name)' does not contain the commits after \(since), because it was compacted; it has those after \(oldest)"
            )
        } catch LogHistory.Failure.missing(let newest) {
            throw Problem("'\(name)' has no commit \(since); its newest one is \(newest)")
        } catch LogHistory.Failure.migrated(let number) {
            throw Problem(
                "commit \(number) of '\(name)' migrated the classes, so that values before and after it cannot be compared; try '--since \(number)'"
            )
        }
    }

    /// The difference in the form of `kivo log`.
    var commitChanges: CommitChanges {
        history.takeChanges { changes, old, new, catalog in
            CommitChanges(changes, from: StoredValues(old, catalog), to: StoredValues(new, catalog))
                .withoutEqualValues
        }
    }

    /// The difference in the form of `realm.changes(since:)`.
    var changeSet: ChangeSet { history.takeChangeSet(lineage: lineage) }

    /// The numbers of the commits as text for a person.
    var title: String {
        if since == newest { return "no commits after \(since)" }
        return since + 1 == newest ? "commit \(newest)" : "commits \(since + 1) to \(newest)"
    }

    func writeNumbers(to json: inout JSONText) {
        json.member("since", Int(clamping: since))
        json.member("commit", Int(clamping: newest))
    }
}

extension CommitChanges {
    /// The changes without those that were undone. Composed changes contain each property that was assigned.
    fileprivate var withoutEqualValues: CommitChanges {
        CommitChanges(
            classes.map { change in
                var change = change
                for index in change.modified.indices {
                    change.modified[index].values.removeAll { $0.old == $0.new }
                    change.modified[index].collections.removeAll { $0.changes.isEmpty }
                }
                change.modified.removeAll { $0.values.isEmpty && $0.collections.isEmpty }
                return change
            }.filter { !$0.isEmpty })
    }
}

extension CommitChanges.CollectionChange {
    fileprivate var isEmpty: Bool {
        switch self {
        case .positions(let deletions, let insertions, let modifications):
            deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
        case .keys(let deletions, let insertions, let modifications):
            deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
        }
    }
}

/// A file with an encoded difference.
private enum DifferenceFile {
    /// Creates a file with bytes. An interruption leaves no unfinished file.
    ///
    /// - Throws: ``Problem`` if the file exists or cannot be written.
    static func write(_ data: Data, to path: String) throws {
        let unfinished = path + JournalCopy.unfinishedSuffix
        try StoredFile.reporting(path) {
            if FileSystem.exists(path) { throw JournalError.exists }
            do {
                try TemporaryFiles.add(unfinished) { try data.write(to: URL(fileURLWithPath: unfinished)) }
                try TemporaryFiles.remove(unfinished) {
                    try FileSystem.move(unfinished, to: path, replacing: false)
                }
            } catch {
                TemporaryFiles.remove(unfinished) { _ = try? FileSystem.remove(unfinished) }
                if error is JournalError { throw error }
                throw Problem("'\(path)': \(error.localizedDescription)")
            }
        }
    }
}

extension ParsedArguments {
    /// Returns the value of an option as the number of a commit.
    fileprivate func commitNumber(_ name: String) throws(UsageError) -> UInt64 {
        guard let value = value(name) else { throw UsageError("'\(name)' is missing") }
        guard let number = UInt64(value) else {
            throw UsageError("'\(name)' takes the number of a commit, and not '\(value)'")
        }
        return number
    }
}
