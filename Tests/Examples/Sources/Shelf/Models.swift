import Kivo
import Observation

/// A book on the shelf. As it is `Observable`, views that read it are drawn again when it changes.
final class Book: Object, Observable, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var title = ""
    @Persisted var isRead = false
}
