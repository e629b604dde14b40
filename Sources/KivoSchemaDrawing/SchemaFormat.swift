/// A format in which a schema can be drawn.
public enum SchemaFormat: String, Sendable, CaseIterable {
    /// Lines for a terminal.
    case text
    /// One JSON object.
    case json
    /// A class diagram of Mermaid, which many Markdown viewers show as a picture.
    case mermaid
    /// A graph of Graphviz.
    case dot
    /// A laid-out picture, in the colours of the page that shows it: light or dark.
    case svg
}

extension SchemaOutline {
    /// Returns the schema in a format, with a line break at the end. The result depends only on the outline.
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
