import Kivo
import KivoEngine
import KivoJournal

extension Command {
    static let consumers = Command(
        name: "consumers", summary: "List the consumers of a file, or remove one.",
        discussion: """
            A consumer is a part of a program that reads each change once, and whose place the file stores.
            The file keeps what it has not read: remove one as which no program reads any more.
            """,
        arguments: [.file],
        options: [
            Option("--remove", "NAME", "Remove the consumer, and what is kept for it alone."), .json, .text,
        ],
        changesFile: true
    ) { arguments, output in
        let file = try StoredFile.read(arguments.words[0])
        var found = file.consumers
        if let name = arguments.value("--remove") {
            found.removeAll { $0.name != name }
            guard !found.isEmpty else {
                throw Problem("'\(arguments.name(of: file.path))' has no consumer '\(name)'")
            }
            try file.realm(readOnly: false).removeConsumer(name)
        }
        let isRemoved = arguments.has("--remove")
        if output.isJSON {
            for consumer in found {
                output.write(
                    JSONText.line { json in
                        json.member("name", consumer.name)
                        json.member("commit", Int(clamping: consumer.number))
                        json.member("behind", file.distance(consumer))
                        if isRemoved { json.member("isRemoved", true) }
                    })
            }
        } else if found.isEmpty {
            output.write("no consumers\n")
        } else {
            let width = found.map(\.name.count).max() ?? 0
            for consumer in found {
                let padding = String(repeating: " ", count: width - consumer.name.count + 2)
                output.write(
                    "\(isRemoved ? "removed " : "")\(consumer.name)\(padding)has read up to commit "
                        + "\(consumer.number), \(file.distance(consumer)) before the newest\n")
            }
        }
        return .success
    }
}

extension StoredFile {
    /// The consumers of the file.
    fileprivate var consumers: [StoredConsumer] {
        StoredConsumer.all(in: history.snapshot, history.catalog, lineage: lineage)
            .filter { $0.kind == .consumer }
    }

    /// The number of commits after the place of a consumer, also those by which consumers acknowledge.
    fileprivate func distance(_ consumer: StoredConsumer) -> Int {
        Int(clamping: version - min(version, consumer.number))
    }
}
