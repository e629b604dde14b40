import KivoSchemaDrawing
import KivoSourceModel

/// The options of the tool.
struct SchemaOptions {
    var format = SchemaFormat.text
    var output: String?
    var from: String?
    var to: String?
    var compiler: String?
    var isHelpWanted = false
    /// The package's directory, the directories of the targets, and their files.
    var package = "."
    var directories: [String] = []
    var sources: [String] = []
    /// The directories and files of targets whose models are not drawn, but that declare types which the others use.
    var dependencyDirectories: [String] = []
    var dependencies: [String] = []

    init(_ arguments: [String]) throws {
        try ToolArguments.forEach(arguments) { argument, value in
            switch argument {
            case "--format":
                let name = try value()
                guard let format = SchemaFormat(rawValue: name) else {
                    let known = SchemaFormat.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ToolArguments.Misuse("'\(name)' is no format; there are \(known)")
                }
                self.format = format
            case "--output": output = try value()
            case "--from": from = try value()
            case "--to": to = try value()
            case "--compiler": compiler = try value()
            case "--package": package = try value()
            case "--directory": directories.append(try value())
            case "--source": sources.append(try value())
            case "--dependency-directory": dependencyDirectories.append(try value())
            case "--dependency": dependencies.append(try value())
            case "--help", "-h": isHelpWanted = true
            default: throw ToolArguments.Misuse.unknown(argument)
            }
        }
        if from != nil, format != .text, format != .json {
            throw ToolArguments.Misuse("a difference is printed as text or json, not as \(format.rawValue)")
        }
    }
}
