import Foundation
import Kivo

/// A measurement of opening a file in a new process after its writer closed the file and ended.
struct ClosedFileProbe: Equatable {
    /// The parts of the measurement, each in its own process.
    enum Part: String { case write, open }

    var part = Part.write
    let path: String
    /// The number of items in the file.
    let count: Int

    private var configuration: Realm.Configuration {
        .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Holder.self])
    }

    /// Writes the file in one process and opens it in another. Returns the duration of opening, in nanoseconds.
    func askChildren() throws -> Double {
        _ = try ask(.write)
        return try ask(.open)
    }

    private func ask(_ part: Part) throws -> Double {
        var figure: Double?
        try ChildProcess(arguments: [Options.closedFlag, part.rawValue, path, "\(count)"]).run {
            figure = Double($0)
        }
        guard let figure else { throw ChildProcess.Failure(description: "file.open/closed got no figure") }
        return figure
    }

    /// Performs the part, in a child that ends after it.
    func run() throws -> Double {
        switch part {
        case .write: return try nanoseconds { try Rows.fill(configuration, count) }
        case .open:
            var realm: Realm?
            var value = -1
            let time = try nanoseconds {
                let opened = try Realm(configuration: configuration)
                value = opened.objects(Item.self)[count / 2].value
                realm = opened
            }
            expect(value == ItemData.value(count / 2), "file.open/closed read something else")
            withExtendedLifetime(realm) {}
            return time
        }
    }
}
