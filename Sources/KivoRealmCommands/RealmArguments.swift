import KivoRealmImport

/// The arguments of the command `realm`.
struct RealmArguments {
    /// The action to perform.
    enum Action: String {
        case info, schema, dump, models, `import`
    }

    typealias Misuse = RealmCommand.Misuse

    let action: Action
    let file: String
    /// The path of the import's target; empty for other actions.
    private(set) var target = ""
    private(set) var models: String?
    private(set) var module = ""
    private(set) var existing = RealmFileImport.ExistingObjects.error
    private(set) var batch: Int?
    private(set) var isJSON = false

    init(_ arguments: [String]) throws {
        guard let name = arguments.first else { throw Misuse(message: "say what to do") }
        guard let action = Action(rawValue: name) else { throw Misuse(message: "there is no '\(name)'") }
        self.action = action
        var paths: [String] = []
        var options: [(String, String)] = []
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                paths.append(argument)
                continue
            }
            if argument == "--json" {
                isJSON = true
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw Misuse(message: "'\(argument)' needs a value")
            }
            options.append((parts[0], value))
        }
        let expected = action == .import ? 2 : 1
        guard paths.count == expected else {
            throw Misuse(
                message:
                    "'\(name)' takes \(expected == 2 ? "two files" : "a file"), and \(paths.count) are given")
        }
        file = paths[0]
        if action == .import { target = paths[1] }
        for (option, value) in options {
            guard action == .import else { throw Misuse(message: "'\(name)' takes no '\(option)'") }
            try set(option, value)
        }
    }

    private mutating func set(_ option: String, _ value: String) throws {
        switch option {
        case "--models": models = value
        case "--module": module = value
        case "--existing":
            switch value {
            case "error": existing = .error
            case "overwrite": existing = .overwrite
            case "keep": existing = .keep
            default: throw Misuse(message: "'--existing' is 'error', 'overwrite' or 'keep', not '\(value)'")
            }
        case "--batch":
            guard let number = Int(value), number > 0 else {
                throw Misuse(message: "'--batch' is a number of objects, not '\(value)'")
            }
            batch = number
        default: throw Misuse(message: "there is no '\(option)'")
        }
    }
}
