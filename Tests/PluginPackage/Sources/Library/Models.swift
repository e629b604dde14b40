import Kivo
import Shared

class Author: Named {
    @Persisted(originProperty: "authors") var books: LinkingObjects<Book>
}

class Book: Named {
    @Persisted var genre = Genre.novel
    @Persisted var authors: List<Author>
    @Persisted var place: Shelf.Place?
}

#if os(Linux) || os(macOS) || os(Windows)
class Loan: Object {
    @Persisted var book: Book?
}
#endif
