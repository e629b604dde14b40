#if !canImport(SwiftUI)
import Kivo
import Observation

/// A stand-in for a view, for systems without SwiftUI. It reads, draws, and is notified once when a value that it read changes.
@main
struct Program {
    @MainActor static func main() throws {
        let model = try ShelfModel(.init(inMemoryIdentifier: "shelf", objectTypes: [Book.self]))
        let screen = Screen(model)
        screen.draw()
        try model.add("Lavinia")
        screen.drawIfNeeded()
        try model.add("Always Coming Home")
        screen.drawIfNeeded()
        try model.toggle(model.books[0])
        screen.drawIfNeeded()
        try model.delete(at: [1])
        screen.drawIfNeeded()
        screen.drawIfNeeded()
    }
}

/// A view of lines.
@MainActor final class Screen {
    private let model: ShelfModel
    private let isStale = Flag()

    init(_ model: ShelfModel) { self.model = model }

    func draw() {
        isStale.isSet = false
        withObservationTracking {
            print(
                "[" + model.books.map { "\($0.title)\($0.isRead ? " ✓" : "")" }.joined(separator: ", ") + "]")
        } onChange: { [isStale] in
            // Changes are committed on the main actor, which draws.
            MainActor.assumeIsolated { isStale.isSet = true }
        }
    }

    /// Draws again like a view in its next turn.
    func drawIfNeeded() {
        model.books.realm?.refresh()
        if isStale.isSet { draw() }
    }

    @MainActor final class Flag { var isSet = false }
}
#endif
