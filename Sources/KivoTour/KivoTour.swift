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
        case .tour(let file):
            do {
                if try !run(file: file, terminal: terminal) { exit(1) }
            } catch {
                terminal.complain("\(error)")
                exit(1)
            }
        }
    }

    /// Plays the whole tour. Returns true if all scenes went as expected.
    private static func run(file: String?, terminal: Terminal) throws -> Bool {
        guard let file else {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("kivo-tour-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            return try run(url: folder.appendingPathComponent("zones.realm"), terminal: terminal)
        }
        guard !FileManager.default.fileExists(atPath: file) else { throw TourError.fileExists(file) }
        return try run(url: URL(fileURLWithPath: file), terminal: terminal)
    }

    private static func run(url: URL, terminal: Terminal) throws -> Bool {
        let (atlas, folder) = try ZoneTables.load()
        terminal.line(
            "\(atlas.zones.count) zones and \(atlas.countries.count) countries from \(folder)")
        terminal.line("into \(url.path)")
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [Country.self, Zone.self])
        var player = ScenePlayer(terminal: terminal)
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
        for makeScene in Scenes.all {
            defer { tour.stopListening() }
            try player.play(makeScene(tour), tour.beginTranscript())
        }
        return tour.atlas
    }
}
