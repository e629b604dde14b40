import KivoRealmCommands

extension Command {
    static let realm = Command(
        name: "realm", summary: "Read .realm files of the established engine, and bring them in.",
        takesOver: { words, output in
            let code = RealmCommand.run(
                words,
                CommandOutput(
                    isJSON: output.isJSON,
                    write: { bytes in
                        output.write(bytes)
                        if output.end != nil { throw CommandOutput.Closed() }
                    }, note: { output.remark($0) }, progress: { text in output.progress(text) },
                    isIncomplete: { path, isIncomplete in
                        if isIncomplete {
                            TemporaryFiles.add(path) {}
                        } else {
                            TemporaryFiles.remove(path) {}
                        }
                    }))
            return ExitCode(rawValue: code) ?? .problem
        })
}
