#if canImport(SwiftUI)
import Kivo
import SwiftUI

/// A list that follows the realm: results and books of an observable class are noted when a view reads them.
struct ShelfView: View {
    let model: ShelfModel
    @State private var title = ""

    var body: some View {
        // Kivo has a list too.
        SwiftUI.List {
            ForEach(model.books) { book in
                Toggle(
                    book.title,
                    isOn: Binding(get: { book.isRead }, set: { _ in try? model.toggle(book) }))
            }
            .onDelete { try? model.delete(at: $0) }
            TextField("Another book", text: $title)
                .onSubmit {
                    try? model.add(title)
                    title = ""
                }
        }
    }
}

@main
struct ShelfApp: App {
    private let model = try? ShelfModel(Realm.Configuration(objectTypes: [Book.self]))

    var body: some Scene {
        WindowGroup {
            if let model { ShelfView(model: model) } else { Text("The shelf cannot be opened.") }
        }
    }
}
#endif
