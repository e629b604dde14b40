import Kivo

enum Shelf {
    class Place: EmbeddedObject {
        @Persisted var row: Int
    }
}

private class Scratch: Object {
    @Persisted var text: String
}
