import Foundation
import Kivo

@main
struct KivoTour {
    static func main() {
        let terminal = Terminal()
        switch Arguments(Array(CommandLine.arguments.dropFirst())) {
        case .help:
            terminal.line(Arguments.usage)
        case .wrong(let problem):
            terminal.complain("\(problem); try --help")
            exit(64)
        case .tour(let file, let isStepping):
            do {
                if try !run(file: file, isStepping: isStepping, terminal: terminal) { exit(1) }
            } catch {
                terminal.complain("\(error)")
                exit(1)
            }
        }
    }

    /// Plays the tour. Returns true if all scenes went as expected.
    static func run(file: String?, isStepping: Bool, terminal: Terminal) throws -> Bool {
        let (atlas, folder) = try ZoneTables.load()
        terminal.paragraph(
            "\(atlas.zones.count) zones and \(atlas.countries.count) countries from \(folder)", label: "")
        var player = ScenePlayer(terminal: terminal, isStepping: isStepping)
        if let file {
            guard !FileManager.default.fileExists(atPath: file) else { throw TourError.fileExists(file) }
            terminal.line("into \(file)")
            return try run(atlas, url: URL(fileURLWithPath: file), terminal, &player)
        }
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-tour-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: temporary) }
        terminal.line("into zones.kivo, in a temporary folder")
        return try run(atlas, url: temporary.appendingPathComponent("zones.kivo"), terminal, &player)
    }

    private static func run(
        _ atlas: Atlas, url: URL, _ terminal: Terminal, _ player: inout ScenePlayer
    ) throws -> Bool {
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [Country.self, Zone.self])
        let finalAtlas = try play(atlas, in: configuration, with: &player)
        try player.play(Scenes.reopening(configuration, holding: finalAtlas))
        let summary = "\(player.played) scenes, \(player.notices) notices"
        if player.mismatches == 0 {
            terminal.line(terminal.green("\(summary), all as expected"))
        } else {
            terminal.line(
                terminal.red("\(summary); not as expected in \(player.mismatches) of the scenes"))
        }
        return player.mismatches == 0
    }

    /// Plays every scene that shares one realm; the realm is closed when this returns.
    ///
    /// - Returns: The contents that the realm must have when it is opened again.
    private static func play(
        _ atlas: Atlas, in configuration: Realm.Configuration, with player: inout ScenePlayer
    ) throws -> Atlas {
        let tour = try Tour(configuration: configuration, atlas: atlas)
        for makeScene in Scenes.all where !player.isOver {
            defer { tour.stopListening() }
            try player.play(makeScene(tour), tour.beginTranscript())
        }
        return tour.atlas
    }
}

/// The arguments of the command line.
enum Arguments: Equatable {
    case tour(file: String?, isStepping: Bool)
    case help
    case wrong(String)

    init(_ words: [String]) {
        var file: String?
        var isStepping = false
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
            case "--step": isStepping = true
            default:
                self = .wrong("unknown argument \(word)")
                return
            }
        }
        self = .tour(file: file, isStepping: isStepping)
    }

    static let usage = """
        Usage: kivo-tour [--step] [--file PATH] [--help]

        Reads the time zone tables of this machine into a realm, attaches each kind of
        listener, edits the data from the main thread and from others, and prints what
        every listener was told below the code that caused it.

          --step        wait for the Return key after each scene; q ends the tour
          --file PATH   keep the realm at PATH, which must not exist yet, instead of in
                        a temporary folder
          --help        print this text

        To watch the file as the tour edits it: kivo-tour --file zones.kivo --step, and
        in another terminal: kivo studio zones.kivo

        Exit status: 0 if everything arrived as announced, 1 if not or if the tour could
        not run, 64 on a wrong command line.
        """
}

/// An error that prevents the tour from running. A notification that differs from the expected one is no error.
enum TourError: Error, CustomStringConvertible {
    case badLine(file: String, number: Int, problem: String)
    case noTables(folders: [String])
    case fileExists(String)
    case noZone(String)
    case noCountry(String)
    case tooFew(String, needed: Int)

    var description: String {
        switch self {
        case .badLine(let file, let number, let problem): "\(file):\(number): \(problem)"
        case .noTables(let folders): "no time zone tables in \(folders.joined(separator: " or "))"
        case .fileExists(let path): "\(path) exists already, and the tour needs an empty realm"
        case .noZone(let name): "there is no zone \(name)"
        case .noCountry(let code): "there is no country \(code)"
        case .tooFew(let what, let needed): "the tour needs \(needed) \(what), and the tables have fewer"
        }
    }
}
