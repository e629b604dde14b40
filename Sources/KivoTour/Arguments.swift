/// The arguments of the command line.
enum Arguments: Equatable {
    case tour(file: String?)
    case help
    case wrong(String)

    init(_ words: [String]) {
        var file: String?
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h":
                self = .help
                return
            case "--file":
                guard let path = rest.popFirst(), !path.isEmpty else {
                    self = .wrong("--file needs a path")
                    return
                }
                file = path
            default:
                self = .wrong("unknown argument \(word)")
                return
            }
        }
        self = .tour(file: file)
    }

    static let usage = """
        Usage: kivo-tour [--file PATH] [--help]

        Reads the time zone tables of this machine into a realm, attaches each kind of listener, edits the
        data from the main thread and from others, and prints what every listener was told next to what it
        had to be told.

          --file PATH   keep the realm at PATH, which must not exist yet, instead of in a temporary folder
          --help        print this text

        Exit status: 0 if everything arrived as announced, 1 if not or if the tour could not run,
        64 on a wrong command line.
        """
}
