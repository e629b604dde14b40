import Foundation
import Kivo

/// How long opening a file takes in a new process whose writer ended right after it had closed it.
struct ClosedFileProbe: Equatable {
    /// The parts, each of which a process does.
    enum Part: String { case write, open }

    var part = Part.write
    let path: String
    /// How many items the file has.
    let count: Int

    private var configuration: Realm.Configuration {
        .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Holder.self])
    }

    /// Writes the file in one process, and opens it in another. Returns the nanoseconds of opening.
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

    /// Does the part, in a child that ends after it.
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
