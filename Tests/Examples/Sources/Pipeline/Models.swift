import Foundation
import Kivo

/// A text on its way through the pipeline.
final class Document: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var text = ""
    @Persisted(indexed: true) var stage = Stage.received
    @Persisted var words: Map<String, Int>
}

/// How far a document is.
enum Stage: String, PersistableEnum { case received, counted, reported }
