/// A shell whose completion of words can be taught the tool's commands and options.
enum Completion: String, CaseIterable {
    case bash, zsh, fish

    /// Returns the script that a shell reads.
    func script(_ root: Command) -> String {
        switch self {
        case .bash: Completion.bash(root)
        case .zsh: Completion.zsh(root)
        case .fish: Completion.fish(root)
        }
    }

    /// The commands with words after them, by the words that come before: the root, and groups of commands.
    private static func groups(_ root: Command) -> [(path: [String], commands: [Command])] {
        [([], root.subcommands)]
            + root.subcommands.filter { !$0.subcommands.isEmpty }.map { ([$0.name], $0.subcommands) }
    }

    /// The words after the tool's name that call a command.
    private static func words(of name: String) -> String {
        name.split(separator: " ").dropFirst().joined(separator: " ")
    }

    /// Returns a text in single quotes.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// The commands of a shell that print the names of the classes of a file. Names with other characters than those of Swift are
    /// left out: a shell would expand them.
    private static func classNames(of file: String) -> String {
        "kivo dump --count --format csv -- \(file) 2>/dev/null | tail -n +2 | cut -d, -f1 "
            + "| grep -E '^[A-Za-z_][A-Za-z0-9_]*$'"
    }

    private static func bash(_ root: Command) -> String {
        var names = ""
        for (path, commands) in groups(root) {
            names += """
                        \(quoted(path.joined(separator: " ")))) words=\(quoted(commands.map(\.name).joined(separator: " "))) ;;

                """
        }
        var (choices, options) = ("", "")
        for (name, command) in root.leaves {
            let path = words(of: name)
            for option in command.options {
                guard let values = option.choices else { continue }
                choices +=
                    "        \(quoted(path + " " + option.name))) words=\(quoted(values.joined(separator: " "))) ;;\n"
            }
            let own = command.options.map(\.name) + ["--help"]
            options += "        \(quoted(path))) words=\(quoted(own.joined(separator: " "))) ;;\n"
        }
        return """
            _kivo() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                local command=${COMP_WORDS[1]} words=
                local before="${COMP_WORDS[*]:1:COMP_CWORD-1}"
                case "$before" in
            \(names)    esac
                case "$command" in
                    \(root.subcommands.filter { !$0.subcommands.isEmpty }.map(\.name).joined(separator: "|"))) command="$command ${COMP_WORDS[2]}" ;;
                esac
                if [ -z "$words" ]; then
                    case "$command $previous" in
            \(choices)        esac
                fi
                if [ "$previous" = --class ]; then
                    local word
                    for word in "${COMP_WORDS[@]:2}"; do
                        [ -f "$word" ] && words=$(\(classNames(of: "\"$word\"")))
                        [ -n "$words" ] && break
                    done
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                    return
                fi
                if [ -z "$words" ] && [[ $current == -* ]]; then
                    case "$command" in
            \(options)        esac
                fi
                if [ -n "$words" ]; then
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                else
                    COMPREPLY=($(compgen -f -- "$current"))
                fi
            }
            complete -o filenames -F _kivo kivo

            """
    }

    private static func zsh(_ root: Command) -> String {
        func described(_ commands: [Command]) -> String {
            commands.map { quoted("\($0.name):\($0.summary)") }.joined(separator: " ")
        }
        func specification(_ option: Command.Option) -> String {
            let summary = option.summary.filter { !"[]:".contains($0) }
            let values =
                option.name == "--class"
                ? ":NAME:_kivo_classes"
                : option.choices.map { ":\(option.value!):(\($0.joined(separator: " ")))" }
            return quoted("*\(option.name)[\(summary)]" + (values ?? option.value.map { ":\($0): " } ?? ""))
        }
        func arguments(_ command: Command) -> String {
            let options = command.options + [Command.Option("--help", nil, "Print the help.")]
            let values = command.arguments.first?.choices.map { "*:value:(\($0.joined(separator: " ")))" }
            return
                "_arguments \(options.map(specification).joined(separator: " ")) \(quoted(values ?? "*:file:_files"))"
        }
        var cases = ""
        for command in root.subcommands {
            if command.subcommands.isEmpty {
                cases += "        \(command.name)) \(arguments(command)) ;;\n"
                continue
            }
            let own = command.subcommands.map { "                \($0.name)) \(arguments($0)) ;;\n" }.joined()
            cases += """
                        \(command.name))
                            shift words; (( CURRENT-- ))
                            commands=(\(described(command.subcommands)))
                            if (( CURRENT == 2 )); then _describe command commands; return; fi
                            case "$words[2]" in
                \(own)            esac ;;

                """
        }
        return """
            #compdef kivo
            _kivo_classes() {
                local word
                local -a names
                for word in $words; do
                    [ -f "$word" ] || continue
                    names=(${(f)"$(\(classNames(of: "\"$word\"")))"})
                    (( $#names )) && break
                done
                compadd -a names
            }
            _kivo() {
                local -a commands
                commands=(\(described(root.subcommands)))
                if (( CURRENT == 2 )); then _describe command commands; return; fi
                case "$words[2]" in
            \(cases)    esac
            }
            if [ "$funcstack[1]" = _kivo ]; then _kivo "$@"; else compdef _kivo kivo; fi

            """
    }

    private static func fish(_ root: Command) -> String {
        var text = """
            function __kivo_at
                set -l words (commandline -opc)
                test "$words[2..-1]" = "$argv"
            end
            function __kivo_runs
                set -l words (commandline -opc)
                set -l last (math 1 + (count $argv))
                test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
            end

            """
        text += """
            function __kivo_classes
                for word in (commandline -opc)
                    test -f "$word"; and \(classNames(of: "\"$word\""))
                end
            end

            """
        for (path, commands) in groups(root) {
            let condition = quoted((["__kivo_at"] + path).joined(separator: " "))
            for command in commands {
                text +=
                    "complete -c kivo -f -n \(condition) -a \(command.name) -d \(quoted(command.summary))\n"
            }
        }
        for (name, command) in root.leaves {
            let condition = quoted("__kivo_runs \(words(of: name))")
            for option in command.options {
                text +=
                    "complete -c kivo -n \(condition) -l \(option.name.dropFirst(2)) -d \(quoted(option.summary))"
                if option.value != nil { text += " -x" }
                if option.name == "--class" { text += " -a '(__kivo_classes)'" }
                if let choices = option.choices { text += " -a \(quoted(choices.joined(separator: " ")))" }
                text += "\n"
            }
            if let choices = command.arguments.first?.choices {
                text += "complete -c kivo -f -n \(condition) -a \(quoted(choices.joined(separator: " ")))\n"
            }
        }
        return text
    }
}

extension Command {
    static let completion = Command(
        name: "completion", summary: "Print a script that teaches a shell the commands and options.",
        discussion: """
              bash   source <(kivo completion bash)
              zsh    source <(kivo completion zsh)
              fish   kivo completion fish | source
            """,
        arguments: [
            Argument(
                name: "SHELL", summary: "The shell.", choices: Completion.allCases.map(\.rawValue))
        ]
    ) { arguments, output in
        output.write(Completion(rawValue: arguments.words[0])!.script(Tool.root))
        return .success
    }
}
