/// What a schema can be drawn as.
public enum SchemaFormat: String, Sendable, CaseIterable {
    /// Lines for a terminal.
    case text
    /// One JSON object.
    case json
    /// A class diagram of Mermaid, which many pages of Markdown show as a picture.
    case mermaid
    /// A graph of Graphviz.
    case dot
    /// A picture, laid out, in the colours of the page that shows it: light or dark.
    case svg
}

extension SchemaOutline {
    /// The schema in a format. Ends with a line break. The same outline gives the same text, everywhere.
    public func drawn(as format: SchemaFormat) -> String {
        switch format {
        case .text: text
        case .json: json
        case .mermaid: mermaid
        case .dot: graphviz
        case .svg: svg
        }
    }
}
